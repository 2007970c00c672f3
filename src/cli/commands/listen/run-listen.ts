import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { Exchange } from '../../../client/retries.ts';
import type { Event } from '../../../contract/events.ts';
import type { WireRequest } from '../../../contract/operation.ts';
import type { EventType } from '../../../contract/vocabulary.ts';
import { parseSinkScript, type SinkAnswer, sinkAnswerText, stepAt } from '../../../domain/sink-scripts.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { type Invocation, invocation, phrase, type Text } from '../../kit/result/message.ts';
import type { StreamLine, StreamResult } from '../../kit/result/result.ts';
import { eventTypeIn, openEventStream, warnOfStillClock } from '../../nouns/event.ts';
import type { Context } from '../../session/command.ts';
import { changeProfile, readProfiles } from '../../settings/settings.ts';
import { createForwarder, type Forwarder, most, openReceivers, type Remaining } from './forwarding.ts';
import { type Arrived, type Line, type Ready, streamLine } from './lines.ts';

import { type TargetRule, type Targets, targetOf, typesWanted } from './targets.ts';

/** Forwards the service's events until the process is interrupted. */
export function listening(context: Context, options: ListenOptions): StreamResult {
  let remaining: Text | null = null;
  const ended = (text: Text | null) => {
    remaining = text;
  };
  return {
    kind: 'stream',
    areFieldsKnown: true,
    lines: streamLines(context, options, ended),
    notes: () => (remaining === null ? [] : [remaining]),
  };
}

async function* streamLines(
  context: Context,
  options: ListenOptions,
  ended: (remaining: Text | null) => void,
): AsyncGenerator<StreamLine> {
  const parts = await openParts(context, options);
  const { lines, forwarder, ending, close } = parts;
  const remaining = () => remainingText(options, forwarder.remaining());
  const leave = () => ending.abort();
  context.signal.addEventListener('abort', leave, { once: true });
  try {
    context.setInterruptionText(() => remaining() ?? 'Nothing was changed at the service.');
    followEvents(parts).then(lines.end, lines.fail);
    for await (const line of lines.values) {
      yield streamLine(line);
      if (line.type === 'ready') hint(parts);
    }
  } catch (error) {
    const text = remaining();
    if (text !== null && !context.output.json) context.note(text);
    throw error;
  } finally {
    leave();
    context.signal.removeEventListener('abort', leave);
    ended(remaining());
    await close();
  }
}

/** Says how to see the secret that verifies the events. */
function hint({ context, options }: Parts): void {
  if (options.printSecret || context.output.json) return;
  context.note(
    phrase`Events are signed. Show the secret: ${invocation('listen', [], { printSecret: true })}`,
  );
}

/** Takes events from the service one by one, as there is room, until the run ends. */
async function followEvents({ context, options, ready, lines, forwarder, ending }: Parts): Promise<void> {
  const opened = () => {
    lines.put(ready);
    onOpen(context).catch(lines.fail);
  };
  const wanted = { types: typesWanted(options.events, options.routes), since: options.since ?? undefined };
  for await (const event of openEventStream(context, { ...wanted, signal: ending.signal }, opened)) {
    await forwarder.take(event);
    await lines.room();
  }
}

/** Called when the stream is open, so that later changes of this process are included. */
async function onOpen(context: Context): Promise<void> {
  await context.runService();
  await warnOfStillClock(context);
}

/** The options of `listen`. */
interface ListenOptions extends Targets {
  events: readonly EventType[];
  /** The script of the local receiver for events without a route. */
  sink: string | undefined;
  /** Start from this time; null: from now. */
  since: string | null;
  /** Whether to verify certificates. */
  verify: boolean;
  printSecret: boolean;
}

/** Describes the events that did not arrive, with the command that continues; null if all arrived. */
function remainingText(options: ListenOptions, { waiting, given_up, since }: Remaining): Text | null {
  if (since === null) return null;
  const parts = [
    ...(waiting > 0 ? [`${eventsText(waiting)} not delivered yet`] : []),
    ...(given_up > 0 ? [`${eventsText(given_up)} given up`] : []),
  ];
  return phrase`${parts.join(', ')}. To go on from there: ${againCommand(options, since)}`;
}

function eventsText(count: number): string {
  return count === 1 ? '1 event is' : `${count} events are`;
}

/** The same command, starting from a given time. */
function againCommand({ rest, routes, events, sink, verify }: ListenOptions, since: string): Invocation {
  const flags = routes.flatMap(({ pattern, url }: TargetRule) => ['--route', `${pattern}=${url}`]);
  return invocation('listen', [...flags], {
    ...(sink === undefined ? { forwardTo: rest ?? undefined } : { sink }),
    events: events.length === 0 ? undefined : events.join(','),
    skipVerify: !verify,
    since,
  });
}

/** The dependencies of a run of `listen`. */
interface Parts {
  context: Context;
  options: ListenOptions;
  ready: Ready;
  lines: Channel<Line>;
  forwarder: Forwarder;
  /** Aborted to end the run. */
  ending: AbortController;
  close(): Promise<void>;
}

/** Creates what forwarding needs; connects to the service. */
async function openParts(context: Context, options: ListenOptions): Promise<Parts> {
  const { host } = context;
  const mode = await context.mode();
  const secret = await listeningSecret(context);
  const lines = createChannel<Line>(most);
  const sink = options.sink === undefined ? null : await startSink(options.sink, lines.put);
  const targets: Targets = { routes: options.routes, rest: sink?.url ?? options.rest };
  const observe = context.globals.debug ? await exchangesShown(context) : undefined;
  const receivers = await openReceivers({ host, verify: options.verify, print: lines.put, observe });
  const webhook = new Webhook(secret);
  const forwarder = createForwarder({
    targetOf: ({ type }) => targetOf(type, targets),
    receiverOf: receivers.of,
    requestOf: (event, url) => signedRequest(event, url, { webhook, now: host.now() }),
    print: lines.put,
    failed: lines.fail,
  });
  const ready: Ready = {
    type: 'ready',
    profile: context.settings.name,
    mode,
    forward_to: targets.rest,
    routes: targets.routes,
    events: options.events.length === 0 ? null : options.events,
    sink: sink?.url ?? null,
    ...(options.printSecret ? { secret } : {}),
  };
  const close = async () => {
    forwarder.stop();
    await receivers.close();
    await sink?.close();
  };
  return { context, options, ready, lines, forwarder, ending: new AbortController(), close };
}

/** The receiver of `--sink`, which verifies nothing and responds by its script. */
export interface Sink {
  /** The listening address: `http://127.0.0.1:49152/`. */
  url: string;
  close(): Promise<void>;
}

/** An event has less than 20 kB. */
const max_body_bytes = 1_048_576;

/** Starts a sink on a free loopback port. It prints each attempt before its response is sent. Throws BadSinkScript. */
export async function startSink(script: string, print: (line: Arrived) => void): Promise<Sink> {
  const steps = parseSinkScript(script);
  let count = 0;
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      if (body === null) return void response.writeHead(413).end();
      const answer = stepAt(steps, count);
      count += 1;
      print({
        type: 'arrived',
        number: count,
        event_id: request.headersDistinct['webhook-id']?.join(', ') ?? null,
        event_type: eventTypeIn(body),
        answer: sinkAnswerText(answer),
      });
      reply(answer, request, response);
    });
  });
  const url = await addressOf(server);
  return { url, close: () => closeServer(server) };
}

/** Null if it is too long for an event; never resolves if the request was aborted. */
function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= max_body_bytes) chunks.push(chunk);
  });
  return new Promise((resolve) => {
    request.on('end', () => resolve(length > max_body_bytes ? null : Buffer.concat(chunks).toString('utf8')));
  });
}

function reply(answer: SinkAnswer, request: IncomingMessage, response: ServerResponse): void {
  if (answer.kind === 'reset') request.socket.resetAndDestroy();
  if (answer.kind !== 'status') return;
  const { status, retry_after_seconds: seconds } = answer;
  response.writeHead(status, seconds === null ? {} : { 'retry-after': String(seconds) });
  response.end();
}

function addressOf(server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      resolve(`http://127.0.0.1:${port}/`);
    });
  });
}

/** Resolves when the server is closed, even if requests were left unanswered. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Shows the exchanges with the receiver for `--debug`, like those with the service. */
async function exchangesShown({ host, output: { showPii } }: Context) {
  const { exchangeText } = await import('../../session/observed-requests.ts');
  return (exchange: Exchange) => {
    void host.stderr.write(`${exchangeText(exchange, { showPii })}\n`).catch(() => {});
  };
}

/** A FIFO queue between a producer and one consumer. */
interface Channel<T> {
  put(value: T): void;
  /** Resolves when the queue is below its limit. */
  room(): Promise<void>;
  /** Ends the queue after its last value was taken. */
  end(): void;
  /** Ends the queue with an error after its last value was taken. */
  fail(error: unknown): void;
  values: AsyncIterable<T>;
}

/** Creates a queue for one reader with a limit for the producer. */
function createChannel<T>(most: number): Channel<T> {
  const kept: T[] = [];
  let ending: { error: unknown } | 'end' | null = null;
  let arrived = () => {};
  let taken = () => {};
  const close = (how: { error: unknown } | 'end') => {
    ending ??= how;
    arrived();
    taken();
  };
  async function* values(): AsyncGenerator<T> {
    for (;;) {
      for (let value = kept.shift(); value !== undefined; value = kept.shift()) {
        taken();
        yield value;
      }
      if (ending === 'end') return;
      if (ending !== null) throw ending.error;
      await new Promise<void>((resolve) => {
        arrived = resolve;
      });
    }
  }
  return {
    put: (value) => {
      kept.push(value);
      arrived();
    },
    room: async () => {
      while (kept.length >= most && ending === null)
        await new Promise<void>((resolve) => {
          taken = resolve;
        });
    },
    end: () => close('end'),
    fail: (error) => close({ error }),
    values: values(),
  };
}

/** The length of webhook endpoint secrets. */
const secret_bytes = 32;

/** The part of the context that is used. */
interface Asking {
  settings: Pick<Context['settings'], 'profile' | 'file' | 'name' | 'apiKey'>;
  host: Pick<Context['host'], 'secret'>;
}

/**
 * Returns the secret that signs forwarded events, the same in every run: it is created on first use and stored in the
 * profile. Without a profile for this service it is derived from the API key.
 */
export async function listeningSecret({ settings, host }: Asking): Promise<string> {
  const { profile, file, name, apiKey } = settings;
  if (profile === null) return derived(apiKey);
  // Another process or a new key may have changed the profile.
  const kept = readProfiles(file).profiles[name] ?? profile;
  if (kept.listening_secret !== undefined) return kept.listening_secret;
  let secret = whole(await host.secret(secret_bytes));
  changeProfile(file, name, (now = kept) => {
    // Another process may have created one in the meantime.
    secret = now.listening_secret ?? secret;
    return { ...now, listening_secret: secret };
  });
  return secret;
}

function derived(apiKey: string | null): string {
  if (apiKey !== null) return whole(createHmac('sha256', apiKey).update('waybill listen').digest('base64'));
  throw new Failure(4, 'no_api_key', 'The signing secret is derived from the API key, and no key is set.', {
    hint: 'Set WAYBILL_API_KEY, or log in.',
  });
}

function whole(base64: string): string {
  return `whsec_${base64}`;
}

/** Creates the request for an event, signed at the current time, like a webhook of the service. */
export function signedRequest(
  event: Event,
  url: string,
  { webhook, now }: { webhook: Webhook; now: number },
): WireRequest {
  const { pathname, search } = new URL(url);
  const body = JSON.stringify(event);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'waybill',
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': webhook.sign(event.id, new Date(now), body),
  };
  return { method: 'POST', path: pathname + search, headers, body };
}

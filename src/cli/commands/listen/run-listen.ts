import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { Exchange } from '../../../client/retries.ts';
import type { Event } from '../../../contract/events.ts';
import type { WireRequest } from '../../../contract/operation.ts';
import type { EventType } from '../../../contract/vocabulary.ts';
import { parseSinkScript, type SinkAnswer, sinkAnswerText, stepAt } from '../../../domain/sink-scripts.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { oneLine, prose, sanitized, withContactsMasked } from '../../kit/output/sanitize.ts';
import { type Invocation, invocation, phrase, type Text } from '../../kit/result/message.ts';
import type { CellValue, Show, StreamLine, StreamResult } from '../../kit/result/result.ts';
import {
  eventCells,
  eventText,
  eventTypeIn,
  idIndent,
  idWidth,
  openEventStream,
  warnOfStillClock,
} from '../../nouns/event.ts';
import type { Context } from '../../session/command.ts';
import { changeProfile, readProfiles } from '../../settings/settings.ts';
import { createForwarder, type Forwarder, most, type Remaining } from './forwarding.ts';
import {
  type Arrived,
  type Failed,
  type Forwarded,
  type Line,
  type Ready,
  type TargetRule,
  type Targets,
  targetOf,
  typesWanted,
} from './lines.ts';
import { isAway, openReceivers } from './receiver.ts';

/** Forwards the service's events until the user quits or the process is interrupted. */
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
  let restore = () => {};
  try {
    restore = await keysOf(parts);
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
    restore();
    leave();
    context.signal.removeEventListener('abort', leave);
    ended(remaining());
    await close();
  }
}

/** Describes the hotkeys. */
function hint({ context, options }: Parts): void {
  if (context.interactive) context.note(keysHint);
  if (options.printSecret || context.output.json) return;
  context.note(
    phrase`Events are signed. Show the secret: ${invocation('listen', [], { printSecret: true })}`,
  );
}

/** Reads hotkeys if the user is at a terminal; the returned function restores the terminal. */
async function keysOf({ context, forwarder, lines, ending }: Parts): Promise<() => void> {
  if (!context.interactive) return () => {};
  const leave = () => ending.abort();
  const restore = await readKeys(context, forwarder, { leave, failed: lines.fail });
  context.onStop(async () => restore());
  return restore;
}

/** Takes events from the service one by one, as there is room, until the run ends. */
async function followEvents({ context, options, ready, lines, forwarder, ending }: Parts): Promise<void> {
  const opened = () => {
    lines.put(ready);
    onOpen(context).catch(lines.fail);
  };
  const wanted = { types: typesWanted(options.events, options), since: options.since ?? undefined };
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

/** The hotkeys of an interactive run. */
const keysHint = 'Keys: r sends the last event again, d shows it, q leaves';

/** Reads hotkeys until the returned function is called; the caller handles `leave` and errors. */
async function readKeys(
  context: Context,
  forwarder: Forwarder,
  { leave, failed }: { leave(): void; failed(error: unknown): void },
): Promise<() => void> {
  const actions: Record<string, () => void> = {
    q: leave,
    r: () => void resend(context, forwarder).catch(failed),
    d: () => void showLast(context, forwarder).catch(failed),
  };
  return context.host.keys((key) => actions[key.toLowerCase()]?.());
}

async function resend({ note }: Context, forwarder: Forwarder): Promise<void> {
  const event = forwarder.last();
  if (event === null) note('No event has come yet.');
  else if (!(await forwarder.again(event))) note(`${event.type} goes nowhere.`);
}

/** Writes to stderr, as stdout may be redirected. */
async function showLast({ host, note, output }: Context, forwarder: Forwarder): Promise<void> {
  const event = forwarder.last();
  if (event === null) return note('No event has come yet.');
  const failure = forwarder.lastFailure();
  const answer = failure === null || failure.response === '' ? [] : [`${failure.reason}:`, failure.response];
  const text = [JSON.stringify(event, null, 2), ...answer].join('\n');
  await host.stderr.write(`${sanitized(output.showPii ? text : withContactsMasked(text))}\n`);
}

/** Formats a line of `listen`, for people and for programs. */
export function streamLine(line: Line): StreamLine {
  return { data: line, line: (show) => prose(textOf(line, show), show.room), rows: [rowOf(line)] };
}

function textOf(line: Line, show: Show): string {
  switch (line.type) {
    case 'ready':
      return readyText(line, show);
    case 'event':
      return eventText(line.event, '', show);
    case 'down':
      return `${show.status('down')}  ${line.reason} Events wait until it answers.${certificateText(line.reason)}`;
    case 'up':
      return `${show.status('up')}  ${line.url} answers again.`;
    case 'arrived':
      return arrivedText(line, show);
    default:
      return eventText(line.event, outcomeText(line, show), show) + responseText(line, show);
  }
}

function certificateText(reason: string): string {
  return reason.includes('TLS: ') ? ' --skip-verify takes any certificate.' : '';
}

function readyText({ profile, mode, forward_to, routes, events, sink, secret }: Ready, show: Show): string {
  const rest = forward_to === null ? 'shown only' : `→ ${forward_to}`;
  return [
    `${show.strong(`Listening on ${profile} · ${mode} mode`)} ${rest}`,
    ...routes.map(({ pattern, url }) => `  ${pattern} → ${url}`),
    ...(events === null ? [] : [show.dim(`  Events: ${events.join(', ')}`)]),
    ...(sink === null ? [] : [show.dim(`  A sink listens there: waybill webhooks create ${sink}`)]),
    ...(secret === undefined ? [] : [`  Secret: ${secret}`]),
  ].join('\n');
}

/** `→ ok 200 in 12 ms` */
function outcomeText(line: Forwarded | Failed, show: Show): string {
  const again = line.resent === true ? ', sent again' : '';
  const timed = `${line.status_code} in ${line.duration_ms} ms`;
  if (line.type === 'forwarded') return `→ ${show.status('ok')} ${timed}${again}`;
  const answer = line.status_code === null ? line.reason.replace(/\.$/, '') : timed;
  return `→ ${show.status('failed')} ${answer}${again}${nextText(line)}`;
}

function nextText({ status_code, retry_in_ms, attempt, resent }: Failed): string {
  if (resent === true) return '';
  if (retry_in_ms === null) return `, given up after ${attempt} attempts`;
  if (status_code === null) return ', tried again until it answers';
  return isAway(status_code) ? ', again until it answers otherwise' : `, again in ${retry_in_ms / 1000} s`;
}

/** The start of the error response, for a line below the attempt. */
function responseText(line: Forwarded | Failed, { room, dim }: Show): string {
  if (line.type === 'forwarded' || line.response.trim() === '') return '';
  const text = oneLine(withContactsMasked(line.response.trim().replace(/\s+/g, ' ')));
  const width = Math.max(idWidth, (room ?? max_response_width) - idIndent - 2);
  const shown = text.length > width ? `${text.slice(0, width - 1)}…` : text;
  return `\n${' '.repeat(idIndent)}${dim(`← ${shown}`)}`;
}

function arrivedText({ number, event_id, event_type, answer }: Arrived, show: Show): string {
  const what = [event_type, event_id].filter((part) => part !== null).join('  ');
  return `${show.dim(`sink ← #${number}`)}  ${what === '' ? 'no webhook' : oneLine(what)}  ${answer}`;
}

/** The width of a response if the terminal's is unknown. */
const max_response_width = 200;

/** The cells for programs that read lines. */
function rowOf(line: Line): CellValue[] {
  switch (line.type) {
    case 'ready':
      return [line.type, line.forward_to, line.profile, line.mode, line.secret];
    case 'event':
      return [line.type, ...eventCells(line.event)];
    case 'down':
      return [line.type, line.url, line.reason];
    case 'up':
      return [line.type, line.url];
    case 'arrived':
      return [line.type, line.number, line.event_type, line.event_id, line.answer];
    default:
      return [
        line.type,
        ...eventCells(line.event),
        line.url,
        line.status_code,
        line.duration_ms,
        line.attempt,
        ...(line.type === 'failed' ? [line.reason] : []),
      ];
  }
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
  const sink = await openSink(options, lines);
  const targets: Targets = { routes: options.routes, rest: sink?.url ?? options.rest };
  const observe = context.globals.debug ? await exchangesShown(context) : undefined;
  const receivers = await openReceivers({ host, verify: options.verify, print: lines.put, observe });
  const webhook = signerOf(secret);
  const forwarder = createForwarder({
    targetOf: ({ type }) => targetOf(type, targets),
    receiverOf: receivers.of,
    requestOf: (event, url) => signedRequest(event, url, { webhook, now: host.now() }),
    print: lines.put,
    failed: lines.fail,
  });
  const ready: Ready = {
    ...{ type: 'ready', profile: context.settings.name, mode, forward_to: targets.rest },
    ...{ routes: targets.routes, events: options.events.length === 0 ? null : options.events },
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

/** Shows the exchanges with the receiver for `--debug`, like those with the service. */
async function exchangesShown({ host, output: { showPii } }: Context) {
  const { exchangeText } = await import('../../session/interceptor.ts');
  return (exchange: Exchange) => {
    void host.stderr.write(`${exchangeText(exchange, { showPii })}\n`).catch(() => {});
  };
}

async function openSink({ sink }: ListenOptions, lines: Channel<Line>) {
  if (sink === undefined) return null;
  return startSink(sink, { received: (attempt) => lines.put(arrivalOf(attempt)), keeps: false });
}

/** The output line of an attempt that arrived at the local receiver. */
function arrivalOf({ number, headers, body, answer }: SinkAttempt): Arrived {
  return {
    type: 'arrived',
    number,
    event_id: headers['webhook-id'] ?? null,
    event_type: eventTypeIn(body),
    answer: sinkAnswerText(answer),
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

/** Creates the signer of a secret. */
export function signerOf(secret: string): Webhook {
  return new Webhook(secret);
}

/** An attempt as it arrived, and the response to it. */
interface SinkAttempt {
  /** Starts at 1. */
  number: number;
  method: string;
  path: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
  answer: SinkAnswer;
}

export interface Sink {
  /** The listening address: `http://127.0.0.1:49152/`. */
  url: string;
  /** The attempts received, in order. */
  attempts: SinkAttempt[];
  close(): Promise<void>;
}

interface SinkOptions {
  /** Called with each attempt before the response is sent. */
  received?(attempt: SinkAttempt): void;
  /** Whether to keep the attempts; a long-running sink only reports them. */
  keeps?: boolean;
}

/** An event has less than 20 kB. */
const max_body_bytes = 1_048_576;

/** Starts a receiver on a free loopback port that verifies nothing and responds by its script. Throws BadSinkScript. */
export async function startSink(script: string, { received, keeps = true }: SinkOptions = {}): Promise<Sink> {
  const steps = parseSinkScript(script);
  const attempts: SinkAttempt[] = [];
  let count = 0;
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      if (body === null) return void response.writeHead(413).end();
      const answer = stepAt(steps, count);
      count += 1;
      const attempt = attemptOf(request, { number: count, body, answer });
      if (keeps) attempts.push(attempt);
      received?.(attempt);
      reply(answer, request, response);
    });
  });
  const url = await addressOf(server);
  return { url, attempts, close: () => closeServer(server) };
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

function attemptOf(
  { method = '', url = '', headers }: IncomingMessage,
  arrived: Pick<SinkAttempt, 'number' | 'body' | 'answer'>,
): SinkAttempt {
  const flat = Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]);
  return { ...arrived, method, path: url, headers: Object.fromEntries(flat) };
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

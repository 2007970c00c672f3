/** A run of `listen`: it takes events from the service, signs and forwards each. */
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Exchange } from '../../../client/retries.ts';
import type { Event } from '../../../contract/events.ts';
import type { WireRequest } from '../../../contract/operation.ts';
import type { EventType } from '../../../contract/vocabulary.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { type Invocation, invocation, phrase, type Text } from '../../kit/result/message.ts';
import type { StreamLine, StreamResult } from '../../kit/result/result.ts';
import { openEventStream, warnOfStillClock } from '../../nouns/event.ts';
import { timedHeader } from '../../nouns/timed-signature.ts';
import type { Context } from '../../session/command.ts';
import { changeProfile, readProfiles } from '../../settings/profiles.ts';
import {
  createForwarder,
  type Forwarder,
  max_open_events,
  openReceiver,
  type Remaining,
} from './forwarding.ts';
import { type Line, type Ready, streamLine } from './lines.ts';
import { startSink } from './sink.ts';

/** Forwards the service's events until the process is interrupted. */
export function forwardEvents(context: Context, options: ListenOptions): StreamResult {
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
  const run = await openRun(context, options);
  const { queue, forwarder, ending, close } = run;
  const remaining = () => remainingText(options, forwarder.remaining());
  const leave = () => ending.abort();
  context.signal.addEventListener('abort', leave, { once: true });
  try {
    context.setInterruptionText(() => remaining() ?? 'Nothing was changed at the service.');
    followEvents(run).then(queue.end, queue.fail);
    for await (const line of queue.lines) {
      yield streamLine(line);
      if (line.type === 'ready') noteSecretCommand(run);
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
function noteSecretCommand({ context, options }: ListenRun): void {
  if (options.printSecret || context.output.json) return;
  context.note(
    phrase`Events are signed. Show the secret: ${invocation('listen', [], { printSecret: true })}`,
  );
}

/** Takes events from the service one by one, as there is room, until the run ends. */
async function followEvents({ context, options, ready, queue, forwarder, ending }: ListenRun): Promise<void> {
  const opened = () => {
    queue.put(ready);
    onOpen(context).catch(queue.fail);
  };
  const { events, since } = options;
  const wanted = { types: events.length > 0 ? events : undefined, since: since ?? undefined };
  for await (const event of openEventStream(context, { ...wanted, signal: ending.signal }, opened)) {
    await forwarder.take(event);
    await queue.room();
  }
}

/** Called when the stream is open, so that later changes of this process are included. */
async function onOpen(context: Context): Promise<void> {
  await context.runService();
  await warnOfStillClock(context);
}

interface ListenOptions {
  /** Where events go, without a local receiver. */
  url: string;
  events: readonly EventType[];
  /** The script of the local receiver. */
  sink: string | undefined;
  /** Start from this time; null: from now. */
  since: string | null;
  /** Whether to verify certificates. */
  verify: boolean;
  /** A header with a signature of another form. */
  signatureHeader: string | undefined;
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
function againCommand(
  { url, events, sink, verify, signatureHeader }: ListenOptions,
  since: string,
): Invocation {
  return invocation('listen', [], {
    ...(sink === undefined ? { forwardTo: url } : { sink }),
    events: events.length === 0 ? undefined : events.join(','),
    skipVerify: !verify,
    signatureHeader,
    since,
  });
}

/** The dependencies of a run of `listen`. */
interface ListenRun {
  context: Context;
  options: ListenOptions;
  ready: Ready;
  queue: LineQueue;
  forwarder: Forwarder;
  /** Aborted to end the run. */
  ending: AbortController;
  close(): Promise<void>;
}

/** Creates what forwarding needs; connects to the service. */
async function openRun(context: Context, options: ListenOptions): Promise<ListenRun> {
  const { host } = context;
  const mode = await context.mode();
  const secret = await listeningSecret(context);
  const queue = createLineQueue(max_open_events);
  const sink = options.sink === undefined ? null : await startSink(options.sink, queue.put);
  const url = sink?.url ?? options.url;
  const observe = context.globals.debug ? await exchangesShown(context) : undefined;
  const { verify } = options;
  const { receiver, close: closeReceiver } = await openReceiver({
    url,
    host,
    verify,
    print: queue.put,
    observe,
  });
  const webhook = new Webhook(secret);
  const forwarder = createForwarder({
    url,
    receiver,
    requestOf: (event) => {
      const { signatureHeader: header } = options;
      return signedRequest(event, url, { webhook, now: host.now(), timed: header && { header, secret } });
    },
    print: queue.put,
    failed: queue.fail,
  });
  const ready: Ready = {
    type: 'ready',
    profile: context.settings.name,
    mode,
    forward_to: url,
    events: options.events.length === 0 ? null : options.events,
    sink: sink?.url ?? null,
    ...(options.printSecret ? { secret } : {}),
  };
  const close = async () => {
    forwarder.stop();
    await closeReceiver();
    await sink?.close();
  };
  return { context, options, ready, queue, forwarder, ending: new AbortController(), close };
}

/** Shows the exchanges with the receiver for `--debug`, like those with the service. */
async function exchangesShown({ host, output: { showPii } }: Context) {
  const { exchangeText } = await import('../../session/request-text.ts');
  return (exchange: Exchange) => {
    void host.stderr.write(`${exchangeText(exchange, { showPii })}\n`).catch(() => {});
  };
}

/** The length of webhook endpoint secrets. */
const secret_bytes = 32;

/** The part of the context that has or creates the secret. */
interface SecretContext {
  settings: Pick<Context['settings'], 'profile' | 'file' | 'name' | 'apiKey'>;
  host: Pick<Context['host'], 'randomBase64'>;
}

/**
 * Returns the secret that signs forwarded events, the same in every run: it is created on first use and stored in the
 * profile. Without a profile for this service it is derived from the API key.
 */
export async function listeningSecret({ settings, host }: SecretContext): Promise<string> {
  const { profile, file, name, apiKey } = settings;
  if (profile === null) return secretFromKey(apiKey);
  // Another process or a new key may have changed the profile.
  const kept = readProfiles(file).profiles[name] ?? profile;
  if (kept.listening_secret !== undefined) return kept.listening_secret;
  let secret = withPrefix(await host.randomBase64(secret_bytes));
  changeProfile(file, name, (now = kept) => {
    // Another process may have created one in the meantime.
    secret = now.listening_secret ?? secret;
    return { ...now, listening_secret: secret };
  });
  return secret;
}

function secretFromKey(apiKey: string | null): string {
  if (apiKey !== null)
    return withPrefix(createHmac('sha256', apiKey).update('waybill listen').digest('base64'));
  throw new Failure(4, 'no_api_key', 'The signing secret is derived from the API key, and no key is set.', {
    hint: 'Set WAYBILL_API_KEY, or log in.',
  });
}

function withPrefix(base64: string): string {
  return `whsec_${base64}`;
}

interface Signing {
  webhook: Webhook;
  now: number;
  /** Another header, and the secret of its signature. */
  timed?: { header: string; secret: string } | '' | undefined;
}

/** Creates the request for an event, signed at the current time, like a webhook of the service. */
export function signedRequest(event: Event, url: string, { webhook, now, timed }: Signing): WireRequest {
  const { pathname, search } = new URL(url);
  const body = JSON.stringify(event);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'waybill',
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': webhook.sign(event.id, new Date(now), body),
    ...(timed && { [timed.header]: timedHeader(body, now, timed.secret) }),
  };
  return { method: 'POST', path: pathname + search, headers, body };
}

/** The lines to be written: many functions add to the queue, one writer takes from it. */
export interface LineQueue {
  put(line: Line): void;
  /** Resolves when the queue is below its limit. */
  room(): Promise<void>;
  /** Ends the queue after its last line was taken. */
  end(): void;
  /** Ends the queue with an error after its last line was taken. */
  fail(error: unknown): void;
  lines: AsyncIterable<Line>;
}

/** Creates a queue in which `room` waits while there are as many lines as `max_lines`. */
function createLineQueue(max_lines: number): LineQueue {
  const waiting: Line[] = [];
  let ending: { error: unknown } | 'end' | null = null;
  let arrived = () => {};
  let taken = () => {};
  const close = (how: { error: unknown } | 'end') => {
    ending ??= how;
    arrived();
    taken();
  };
  async function* takeLines(): AsyncGenerator<Line> {
    for (;;) {
      for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
        taken();
        yield line;
      }
      if (ending === 'end') return;
      if (ending !== null) throw ending.error;
      await new Promise<void>((resolve) => {
        arrived = resolve;
      });
    }
  }
  return {
    put: (line) => {
      waiting.push(line);
      arrived();
    },
    room: async () => {
      while (waiting.length >= max_lines && ending === null)
        await new Promise<void>((resolve) => {
          taken = resolve;
        });
    },
    end: () => close('end'),
    fail: (error) => close({ error }),
    lines: takeLines(),
  };
}

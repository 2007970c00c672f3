import { Webhook } from 'standardwebhooks';
import type { Exchange } from '../../../client/retries.ts';
import type { EventType } from '../../../contract/vocabulary.ts';
import { type Invocation, invocation, phrase, type Text } from '../../kit/result/message.ts';
import type { StreamLine, StreamResult } from '../../kit/result/result.ts';
import { openEventStream, warnOfStillClock } from '../../nouns/event.ts';
import type { Context } from '../../session/command.ts';
import { createForwarder, type Forwarder, most, openReceivers, type Remaining } from './forwarding.ts';
import { type Line, type Ready, streamLine } from './lines.ts';
import { listeningSecret, signedRequest } from './signing.ts';
import { startSink } from './sink.ts';
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

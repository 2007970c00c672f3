import { withContactsMasked } from '../../kit/output/contacts.ts';
import { sanitized } from '../../kit/output/sanitize.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import type { StreamLine, StreamResult } from '../../kit/result/result.ts';
import type { Context } from '../../session/command.ts';
import { openEventStream, warnOfStillClock } from '../events/event-stream.ts';
import { openParts, type Parts } from './dependencies.ts';
import { typesWanted } from './destinations.ts';
import type { Forwarder } from './forwarding.ts';
import { streamLine } from './line-text.ts';
import { type ListenOptions, remainingText } from './options.ts';

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

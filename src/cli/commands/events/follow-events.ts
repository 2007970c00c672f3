import { type FollowOptions, lasting_ms, StreamEnded } from '../../../client/event-stream.ts';
import type { Event } from '../../../contract/events.ts';
import { createHints } from '../../kit/polling/hints.ts';
import type { Context } from '../../session/context.ts';
import { stillClockHint } from '../../waiting/service-hints.ts';
import type { Parts } from '../listen/dependencies.ts';
import { typesWanted } from '../listen/destinations.ts';
import { backAgain, lossOf } from './stream-hints.ts';

/** Takes the events of the service one by one, each once there is room for it, until it is ended. */
export async function followEvents({
  context,
  asked,
  ready,
  lines,
  forwarder,
  ending,
}: Parts): Promise<void> {
  const opened = () => {
    lines.put(ready);
    begun(context).catch(lines.fail);
  };
  const wanted = { types: typesWanted(asked.events, asked), since: asked.since ?? undefined };
  for await (const event of heardEvents(context, { ...wanted, signal: ending.signal }, opened)) {
    await forwarder.take(event);
    await lines.room();
  }
}

/** Once the stream is open: what is done by this process now is seen. */
async function begun(context: Context): Promise<void> {
  await context.runService();
  await sayIfClockStands(context);
}

/** On a clock that stands still nothing comes by itself. */
export async function sayIfClockStands(context: Context): Promise<void> {
  if ((await context.mode()) === 'live') return;
  const hint = await stillClockHint(context);
  if (hint !== null) await createHints(context, { note: context.note, isEndless: true }).say(hint);
}

/**
 * Events of the service. Calls `opened` when their stream is open for the first time, and says once that it was lost
 * until it has lasted again.
 */
export async function* heardEvents(
  context: Context,
  query: Omit<FollowOptions, 'onOpen' | 'onLost'>,
  opened: () => void,
): AsyncGenerator<Event> {
  const client = await context.client();
  const { onOpen, onLost, lasts, stop } = hearing(context, opened);
  try {
    for await (const event of client.follow({ ...query, onOpen, onLost })) {
      lasts();
      yield event;
    }
  } finally {
    stop();
  }
}

function hearing(context: Context, opened: () => void) {
  const hints = createHints(context, { note: context.note, isEndless: true });
  const said = new Set<string>();
  let isOpened = false;
  let ends = 0;
  let stop = () => {};
  const lasts = () => {
    stop();
    ends = 0;
    if (said.size > 0) void hints.say(backAgain);
    said.clear();
  };
  const onOpen = () => {
    if (!isOpened) opened();
    isOpened = true;
    stop();
    stop = context.host.timer(lasting_ms, lasts);
  };
  const onLost = (error: Error) => {
    stop();
    // Where it goes away in good order, it is often back at once.
    if (error instanceof StreamEnded) ends += 1;
    if (error instanceof StreamEnded && ends < 2) return;
    const hint = lossOf(error);
    if (!said.has(hint.code)) void hints.say(hint);
    said.add(hint.code);
  };
  return { onOpen, onLost, lasts, stop: () => stop() };
}

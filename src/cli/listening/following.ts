import type { FollowOptions } from '../../client/following.ts';
import type { Context } from '../context.ts';
import { clockOf } from '../following/clock.ts';
import { clockStandsStill, outOfReach, remarksFor } from '../following/remarks.ts';
import type { Parts } from './parts.ts';
import { typesWanted } from './targets.ts';

/** Takes the events of the service one by one, each once there is room for it, until it is ended. */
export async function followEvents({
  context,
  asked,
  ready,
  lines,
  forwarder,
  ending,
}: Parts): Promise<void> {
  const client = await context.client();
  const heard = hearing(context, () => {
    lines.put(ready);
    begun(context).catch(lines.fail);
  });
  const wanted = { types: typesWanted(asked.events, asked), since: asked.since ?? undefined };
  for await (const event of client.follow({ ...wanted, ...heard, signal: ending.signal })) {
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
  if ((await context.mode()) === 'live' || (await clockOf(context))?.mode !== 'manual') return;
  await remarksFor(context, { note: context.note, isEndless: true }).say(clockStandsStill(context));
}

/** Hears the stream open for the first time, and says once that it was lost until it is open again. */
export function hearing(
  context: Context,
  opened: () => void,
): Required<Pick<FollowOptions, 'onOpen' | 'onLost'>> {
  const remarks = remarksFor(context, { note: context.note, isEndless: true });
  let isOpened = false;
  let isLost = false;
  return {
    onOpen: () => {
      isLost = false;
      if (!isOpened) opened();
      isOpened = true;
    },
    onLost: (error) => {
      if (!isLost) void remarks.say(outOfReach(error));
      isLost = true;
    },
  };
}

import type { ClockRecord } from '../../contract/clock.ts';
import type { Context } from '../context.ts';
import type { Clock } from '../kit/polling/poll.ts';

/** Between two looks: as long as it is asked, or until it is woken. */
export function wakeable({ host, signal }: Context): Clock {
  return {
    now: () => host.now(),
    sleep: (milliseconds, woken) => host.sleep(milliseconds, AbortSignal.any([signal, woken])),
  };
}

/** A wait is not made shorter than this for a fast clock. */
const min_scaled_wait_ms = 25;

/** Waits that are shorter by as much as the service's clock runs faster: quotes expire by that clock. */
export function scaledWaits(context: Context, readClock: () => Promise<ClockRecord | null>): Clock {
  const { now, sleep } = wakeable(context);
  return { now, sleep: async (ms, woken) => sleep(scaled(ms, await readClock()), woken) };
}

function scaled(ms: number, clock: ClockRecord | null): number {
  if (clock === null || clock.rate <= 1) return ms;
  return Math.min(ms, Math.max(min_scaled_wait_ms, ms / clock.rate));
}

/** As `wakeable`, but on the embedded service no longer than until something is due. */
export function waitsFor(context: Context, test_mode: boolean): Clock {
  if (!test_mode || context.settings.target.kind !== 'embedded') return wakeable(context);
  const sleep = async (milliseconds: number) =>
    context.sleep(Math.min(milliseconds, untilDue(await clockOf(context))));
  return { now: () => context.now(), sleep };
}

/** What is overdue may be in the hands of another process: it is not looked at without a pause. */
const shortestWait_ms = 250;

/** Milliseconds of real time. */
function untilDue(clock: ClockRecord | null): number {
  if (clock === null || clock.next_due_at === null || clock.rate === 0) return Number.POSITIVE_INFINITY;
  const span = Date.parse(clock.next_due_at) - Date.parse(clock.now);
  return Math.max(shortestWait_ms, Math.ceil(span / clock.rate));
}

/** Null where nobody may look at it, as on a hosted service. */
export async function clockOf(context: Context): Promise<ClockRecord | null> {
  const client = await context.client();
  return client.clock.get().then(
    ({ data }) => data,
    () => null,
  );
}

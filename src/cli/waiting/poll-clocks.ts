import type { ClockRecord } from '../../contract/sandbox.ts';
import type { PollClock } from '../kit/polling/poll.ts';
import type { Context } from '../session/context.ts';

/** The real clock. A sleep ends early when it is woken or the process is interrupted. */
function realClock({ host, signal }: Context): PollClock {
  return {
    now: () => host.now(),
    sleep: (milliseconds, woken) => host.sleep(milliseconds, AbortSignal.any([signal, woken])),
  };
}

const min_scaled_sleep_ms = 25;

/** Shortens sleeps by the rate of the service's clock, by which quotes expire. */
export function scaledClock(context: Context, readClock: () => Promise<ClockRecord | null>): PollClock {
  const { now, sleep } = realClock(context);
  return { now, sleep: async (ms, woken) => sleep(scaled(ms, await readClock()), woken) };
}

function scaled(ms: number, clock: ClockRecord | null): number {
  if (clock === null || clock.rate <= 1) return ms;
  return Math.min(ms, Math.max(min_scaled_sleep_ms, ms / clock.rate));
}

/** The real clock; on the embedded service in test mode, sleeps end when work is due. */
export function pollClock(context: Context, test_mode: boolean): PollClock {
  if (!test_mode || context.settings.target.kind !== 'embedded') return realClock(context);
  const sleep = async (milliseconds: number) =>
    context.sleep(Math.min(milliseconds, untilDue(await clockOf(context))));
  return { now: () => context.now(), sleep };
}

/** Another process may be working on overdue tasks: polls keep this distance. */
const min_sleep_ms = 250;

/** Milliseconds of real time until work is due. */
function untilDue(clock: ClockRecord | null): number {
  if (clock === null || clock.next_due_at === null || clock.rate === 0) return Number.POSITIVE_INFINITY;
  const span_ms = Date.parse(clock.next_due_at) - Date.parse(clock.now);
  return Math.max(min_sleep_ms, Math.ceil(span_ms / clock.rate));
}

/** The service's clock; null if the service does not report it, as in live mode. */
export async function clockOf(context: Context): Promise<ClockRecord | null> {
  const client = await context.client();
  return client.clock.get().then(
    ({ data }) => data,
    () => null,
  );
}

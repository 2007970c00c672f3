/** The clock of the service during a wait: how long to sleep by it, and hints if it is stopped or real. */
import type { ClockRecord } from '../../contract/sandbox.ts';
import type { Hint } from '../kit/polling/hints.ts';
import type { PollClock } from '../kit/polling/poll.ts';
import { invocation, type NextStep, phrase } from '../kit/result/message.ts';
import type { Context } from '../session/command.ts';

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
  return { now, sleep: async (ms, woken) => sleep(scaledDuration(ms, await readClock()), woken) };
}

function scaledDuration(ms: number, clock: ClockRecord | null): number {
  if (clock === null || clock.rate <= 1) return ms;
  return Math.min(ms, Math.max(min_scaled_sleep_ms, ms / clock.rate));
}

/** The real clock; on the embedded service in test mode, sleeps end when work is due. */
export function pollClock(context: Context, test_mode: boolean): PollClock {
  if (!test_mode || context.settings.target.kind !== 'embedded') return realClock(context);
  const sleep = async (milliseconds: number) =>
    context.sleep(Math.min(milliseconds, untilDue(await readServiceClock(context))));
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
export async function readServiceClock(context: Context): Promise<ClockRecord | null> {
  const client = await context.client();
  return client.clock.get().then(
    ({ data }) => data,
    () => null,
  );
}

/** The hint for a stopped clock, on which waiting changes nothing. */
export function clockStandsStill() {
  const command = invocation('sandbox advance', [], { next: true });
  const message = phrase`The clock of this sandbox is stopped. In another terminal: ${command}`;
  return {
    code: 'clock_stands_still',
    message,
    command,
    when: 'move its clock',
    isUrgent: true,
  } satisfies Hint;
}

/** How to continue a simulated delivery without waiting. */
export async function clockSteps(context: Context, test_mode: boolean): Promise<NextStep[]> {
  const { command } = clockStandsStill();
  if (!test_mode) return [];
  if ((await readServiceClock(context)) === null) return [];
  return [{ ...command, when: 'move the clock of the sandbox to what happens next' }];
}

/** The hint if the clock is stopped; null if it runs or the service does not report it. */
export async function stillClockHint(context: Context): Promise<Hint | null> {
  return (await readServiceClock(context))?.mode === 'manual' ? clockStandsStill() : null;
}

/** The hint if the clock is stopped, or runs in real time, so that a wait takes as long as a real one. */
export async function slowClockHint(context: Context): Promise<Hint | null> {
  const mode = (await readServiceClock(context))?.mode;
  if (mode === 'manual') return clockStandsStill();
  if (mode !== 'real') return null;
  const { command, when } = clockStandsStill();
  const message = phrase`The clock of this sandbox runs in real time. Sooner, in another terminal: ${command}`;
  return { code: 'clock_is_real', message, command, when };
}

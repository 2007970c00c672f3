import type { Delivery } from '../../contract/deliveries.ts';
import type { Context } from '../context.ts';
import { invocation } from '../kit/output/invocation.ts';
import { durationText } from '../line/flags.ts';
import { type Result, record } from '../result.ts';
import { awaitAll } from './awaiting.ts';
import type { Named } from './delivery-waiting-flags.ts';
import { begun, begunFields, begunNotes, type Expected } from './initiation.ts';
import { trackingNotes } from './tracking-link.ts';

/** How long a wait for what was just made is where nobody says. */
const patience_ms = 1_800_000;

/** How somebody waits for what a command has just made. */
export interface Wait {
  /** What each delivery is to reach; null: nobody waits. */
  until: Named;
  fail_on: Named;
  timeout_ms: number | undefined;
  interval_ms: number | undefined;
  /** Milliseconds since the epoch, by this machine: the time-out counts from here. */
  begun: number;
}

/** The flags of a wait, as they are read. */
export interface WaitValues {
  wait: Named;
  failOn: Named;
  timeout: number | undefined;
  interval: number | undefined;
}

/** The wait as the flags say, counted from now. */
export function waitOf(context: Pick<Context, 'now'>, flags: WaitValues): Wait {
  const { wait: until, failOn: fail_on, timeout: timeout_ms, interval: interval_ms } = flags;
  return { until, fail_on, timeout_ms, interval_ms, begun: context.now() };
}

/** Whether there is something to wait for: a delivery that failed at once is its own answer. */
export function isAwaited({ until }: Wait, deliveries: readonly Delivery[]): boolean {
  if (until === null) return false;
  return until.statuses.includes('failed') || deliveries.every(({ status }) => status !== 'failed');
}

/**
 * The answer, once each of the deliveries has reached what is waited for; fails as `deliveries wait` does, with the
 * answer all the same.
 */
export async function arrived(
  context: Context,
  deliveries: readonly Delivery[],
  { until, fail_on, timeout_ms, interval_ms, begun: from }: Wait,
  answer: (last: readonly Delivery[]) => Result,
): Promise<Result> {
  const left = timeout_ms === undefined ? patience_ms : from + timeout_ms - context.now();
  const interval = interval_ms === undefined ? undefined : durationText(interval_ms);
  const flags = { until: until?.text, failOn: fail_on?.text, interval };
  const goal = { until: until?.statuses ?? [], fail_on: fail_on?.statuses ?? null };
  const last = await awaitAll(context, deliveries, goal, {
    ...{ timeout_ms: Math.max(0, left), given_ms: timeout_ms, interval_ms },
    again: ({ id }) => invocation('deliveries wait', [id], flags),
    failed: answer,
  });
  return answer(last);
}

/** A delivery just made or sent out, as `begun` has it; where somebody waits for it, once it is there. */
export async function begunOrArrived(
  context: Context,
  delivery: Delivery,
  flags: WaitValues,
  expected?: Expected,
): Promise<Result> {
  const wait = waitOf(context, flags);
  if (!isAwaited(wait, [delivery])) return begun(context, delivery, expected);
  const [told] = begunNotes(delivery);
  if (told !== undefined && !context.output.json) context.note(told);
  return arrived(context, [delivery], wait, ([last = delivery]) =>
    record(last, begunFields, { notes: trackingNotes(context, last) }),
  );
}

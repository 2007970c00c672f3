import type { Delivery } from '../../../contract/deliveries.ts';
import { durationText } from '../../kit/args/flags.ts';
import { invocation } from '../../kit/result/invocation.ts';
import { type Result, record } from '../../kit/result/result.ts';
import type { Context } from '../../session/context.ts';
import { waitForAnswer } from '../../waiting/service-waiting.ts';
import { deliveryOutcome } from './delivery-targets.ts';
import { deliveriesWaitable } from './delivery-waitable.ts';
import type { Named } from './delivery-waiting-flags.ts';
import { begun, begunFields, begunNotes, type Expected } from './initiation.ts';
import { trackingNotes } from './tracking-link.ts';

/** How long a wait for new deliveries takes where no time-out is given. */
const default_timeout_ms = 1_800_000;

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
  const remaining_ms = timeout_ms === undefined ? default_timeout_ms : from + timeout_ms - context.now();
  const interval = interval_ms === undefined ? undefined : durationText(interval_ms);
  const flags = { until: until?.text, failOn: fail_on?.text, interval };
  const target = { until: until?.statuses ?? [], fail_on: fail_on?.statuses ?? null };
  const waitable = { ...deliveriesWaitable(context, deliveries, target), answer, answersFailure: () => true };
  return waitForAnswer(context, waitable, {
    ...{ timeout_ms: Math.max(0, remaining_ms), given_ms: timeout_ms ?? remaining_ms, interval_ms },
    again: (last) =>
      last
        .filter((delivery) => deliveryOutcome(delivery, target) === 'open')
        .map(({ id }) => invocation('deliveries wait', [id], flags)),
  });
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

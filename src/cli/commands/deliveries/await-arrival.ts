import type { Delivery } from '../../../contract/deliveries.ts';
import { durationText } from '../../kit/args/flags.ts';
import { invocation } from '../../kit/result/message.ts';
import { type Result, record } from '../../kit/result/result.ts';
import type { Context } from '../../session/command.ts';
import { waitForAnswer } from '../../waiting/service-waiting.ts';
import { deliveryOutcome } from './delivery-targets.ts';
import { deliveriesWaitable } from './delivery-waitable.ts';
import type { Named } from './delivery-waiting-flags.ts';
import { createdFields, creationNotes, creationResult, type Expected } from './initiation.ts';
import { trackingNotes } from './tracking-link.ts';

/** The default timeout of a wait for new deliveries. */
const default_timeout_ms = 1_800_000;

/** A wait that follows the creation of deliveries. */
export interface Wait {
  /** The statuses that each delivery must reach; null: do not wait. */
  until: Named;
  fail_on: Named;
  timeout_ms: number | undefined;
  interval_ms: number | undefined;
  /** Start of the timeout: milliseconds since the epoch, by this machine's clock. */
  started_at: number;
}

/** The parsed flags of a wait. */
export interface WaitValues {
  wait: Named;
  failOn: Named;
  timeout: number | undefined;
  interval: number | undefined;
}

/** Creates the wait from the flags, counted from now. */
export function waitOf(context: Pick<Context, 'now'>, flags: WaitValues): Wait {
  const { wait: until, failOn: fail_on, timeout: timeout_ms, interval: interval_ms } = flags;
  return { until, fail_on, timeout_ms, interval_ms, started_at: context.now() };
}

/** True if there is something to wait for: a delivery that failed immediately ends the command. */
export function isAwaited({ until }: Wait, deliveries: readonly Delivery[]): boolean {
  if (until === null) return false;
  return until.statuses.includes('failed') || deliveries.every(({ status }) => status !== 'failed');
}

/**
 * Returns the result once every delivery has reached its target; fails like `deliveries wait`, with the result
 * attached.
 */
export async function awaitArrival(
  context: Context,
  deliveries: readonly Delivery[],
  { until, fail_on, timeout_ms, interval_ms, started_at: from }: Wait,
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

/** Returns a new delivery immediately, or once it has arrived if a wait was requested. */
export async function createdOrArrived(
  context: Context,
  delivery: Delivery,
  flags: WaitValues,
  expected?: Expected,
): Promise<Result> {
  const wait = waitOf(context, flags);
  if (!isAwaited(wait, [delivery])) return creationResult(context, delivery, expected);
  const [note] = creationNotes(delivery);
  if (note !== undefined && !context.output.json) context.note(note);
  return awaitArrival(context, [delivery], wait, ([last = delivery]) =>
    record(last, createdFields, { notes: trackingNotes(context, last) }),
  );
}

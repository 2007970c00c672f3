import type { DeliveryStatus } from '../../../contract/vocabulary.ts';
import { hasReached, isEnded, nextStatuses } from '../../../domain/delivery-states.ts';
import type { Outcome, StatusTarget } from '../../waiting/status-targets.ts';

/** Which statuses of a delivery are waited for. */
export type DeliveryTarget = StatusTarget<DeliveryStatus>;

interface Standing {
  status: DeliveryStatus;
  status_history: readonly { status: DeliveryStatus }[];
}

/**
 * How a wait stands: `reached` at the status or a later one, as couriers skip some; `failed` where it is given up, or
 * where it ended elsewhere. What lies beside the way to the dropoff, such as a return, is reached once it was entered.
 * A status of `fail_on` is given up though it is later than `until`. Where a delivery begins, as `delivery_created` or
 * as `scheduled`, depends on its times alone: who waits for either has it with both.
 */
export function deliveryOutcome(standing: Standing, { until, fail_on }: DeliveryTarget): Outcome {
  const isNamed = fail_on?.includes(standing.status) ?? false;
  if (isNamed && !until.includes(standing.status)) return 'failed';
  const outcomes = until.map((each) => outcomeAt(standing, each, fail_on));
  return (['reached', 'open'] as const).find((each) => outcomes.includes(each)) ?? 'failed';
}

function outcomeAt(
  { status, status_history }: Standing,
  wanted: DeliveryStatus,
  fail_on: DeliveryTarget['fail_on'],
): Outcome {
  const until = wanted === 'delivery_created' ? 'scheduled' : wanted;
  const entered = status_history.some((each) => each.status === until);
  if (hasReached(status, until) || (entered && isBeside(until))) return 'reached';
  const canReach = leadsTo(status, until);
  const isGivenUp = fail_on === null && !canReach;
  return isGivenUp || (isEnded(status) && !canReach) ? 'failed' : 'open';
}

/** Whether no status on the way to the dropoff counts as later than this one. */
function isBeside(status: DeliveryStatus): boolean {
  return !hasReached('disputed', status);
}

/** Whether one status can still follow another, be it after many others. */
function leadsTo(from: DeliveryStatus, to: DeliveryStatus): boolean {
  const found = new Set<DeliveryStatus>();
  const waiting = [...nextStatuses(from)];
  for (let status = waiting.pop(); status !== undefined; status = waiting.pop()) {
    if (hasReached(status, to)) return true;
    if (!found.has(status)) waiting.push(...nextStatuses(status));
    found.add(status);
  }
  return false;
}

/** The end without a target: a delivery that is on its way back is followed until it is there. */
export function endOutcome({ status }: Pick<Standing, 'status'>): Outcome {
  if (hasReached(status, 'delivered')) return 'reached';
  return isEnded(status) ? 'failed' : 'open';
}

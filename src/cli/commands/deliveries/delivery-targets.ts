import type { DeliveryStatus } from '../../../contract/vocabulary.ts';
import { hasReached, isEnded, nextStatuses } from '../../../domain/delivery-states.ts';
import type { Outcome, StatusTarget } from '../../waiting/status-targets.ts';

/** The statuses of a delivery that a wait ends at. */
export type DeliveryTarget = StatusTarget<DeliveryStatus>;

interface DeliveryState {
  status: DeliveryStatus;
  status_history: readonly { status: DeliveryStatus }[];
}

/** The outcome of a wait: `reached` at the target status or a later one, as couriers skip some; `failed` at a `fail_on` status or at another end. A status off the way to the dropoff, such as a return, is reached once it was entered. A `fail_on` status fails even if it is later than `until`. Whether a delivery starts as `delivery_created` or `scheduled` depends on its times only, so either one satisfies both targets. */
export function deliveryOutcome(delivery: DeliveryState, { until, fail_on }: DeliveryTarget): Outcome {
  const isNamed = fail_on?.includes(delivery.status) ?? false;
  if (isNamed && !until.includes(delivery.status)) return 'failed';
  const outcomes = until.map((each) => outcomeAt(delivery, each, fail_on));
  return (['reached', 'open'] as const).find((each) => outcomes.includes(each)) ?? 'failed';
}

function outcomeAt(
  { status, status_history }: DeliveryState,
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

/** True if no status on the way to the dropoff counts as later than this one. */
function isBeside(status: DeliveryStatus): boolean {
  return !hasReached('disputed', status);
}

/** True if one status can follow another, directly or later. */
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

/** The outcome without a target: a returning delivery is watched until it is returned. */
export function endOutcome({ status }: Pick<DeliveryState, 'status'>): Outcome {
  if (hasReached(status, 'delivered')) return 'reached';
  return isEnded(status) ? 'failed' : 'open';
}

/** The statuses that a wait for a delivery ends at: their flags, and whether one is reached. */
import { type DeliveryStatus, deliveryStatuses, statusGroups } from '../../contract/vocabulary.ts';
import { hasReached, isEnded, isOffPath, nextStatuses } from '../../domain/delivery-states.ts';
import type { Outcome } from '../waiting/status-records.ts';
import {
  type NamedStatuses,
  type StatusTarget,
  statusesFlag,
  targetFlags,
} from '../waiting/status-targets.ts';

export const deliveryVocabulary = { statuses: deliveryStatuses, groups: statusGroups };

/** Statuses given by a flag, by name or group; null without the flag. */
export type NamedDeliveryStatuses = NamedStatuses<DeliveryStatus> | null;

/** Flags of commands that wait for a status. */
export const deliveryTargetFlags = targetFlags(deliveryVocabulary, 'delivered');

const { failOn } = deliveryTargetFlags;

/** Flags of commands that create deliveries: whether to wait, and for which status. */
export const arrivalFlags = {
  wait: statusesFlag(deliveryVocabulary, {
    summary: 'Then wait until each delivery reaches this status, such as delivered',
  }),
  failOn,
};

/** Flags of commands that watch: statuses that end the watch early. */
export const endFlags = {
  until: statusesFlag(deliveryVocabulary, { summary: 'Stop at any of these statuses or a later one' }),
  failOn,
};

/** The statuses of a delivery that a wait ends at. */
export type DeliveryTarget = StatusTarget<DeliveryStatus>;

interface DeliveryState {
  status: DeliveryStatus;
  status_history: readonly { status: DeliveryStatus }[];
}

/**
 * The outcome of a wait: `reached` at a status of `until` or a later one, because couriers skip some; `failed` at a
 * status of `fail_on`, even a later one, or at any other end.
 *
 * - A status off the way to the dropoff, such as a return, is reached once the delivery has entered it.
 * - `delivery_created` and `scheduled` satisfy each other: the delivery's times alone decide which one it starts with.
 */
export function deliveryOutcome(delivery: DeliveryState, { until, fail_on }: DeliveryTarget): Outcome {
  const isFailStatus = fail_on?.includes(delivery.status) ?? false;
  if (isFailStatus && !until.includes(delivery.status)) return 'failed';
  const outcomes = until.map((each) => outcomeAt(delivery, each, fail_on));
  return (['reached', 'open'] as const).find((each) => outcomes.includes(each)) ?? 'failed';
}

function outcomeAt(
  { status, status_history }: DeliveryState,
  target: DeliveryStatus,
  fail_on: DeliveryTarget['fail_on'],
): Outcome {
  const until = target === 'delivery_created' ? 'scheduled' : target;
  const entered = status_history.some((each) => each.status === until);
  if (hasReached(status, until) || (entered && isOffPath(until))) return 'reached';
  const canReach = canLeadTo(status, until);
  const isGivenUp = fail_on === null && !canReach;
  return isGivenUp || (isEnded(status) && !canReach) ? 'failed' : 'open';
}

/** True if one status can follow another, directly or later. */
function canLeadTo(from: DeliveryStatus, to: DeliveryStatus): boolean {
  const visited = new Set<DeliveryStatus>();
  const queue = [...nextStatuses(from)];
  for (let status = queue.pop(); status !== undefined; status = queue.pop()) {
    if (hasReached(status, to)) return true;
    if (!visited.has(status)) queue.push(...nextStatuses(status));
    visited.add(status);
  }
  return false;
}

/** The outcome without a target: a returning delivery is watched until it is returned. */
export function endOutcome({ status }: Pick<DeliveryState, 'status'>): Outcome {
  if (hasReached(status, 'delivered')) return 'reached';
  return isEnded(status) ? 'failed' : 'open';
}

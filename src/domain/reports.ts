import type { DeliveryStatus } from '../contract/vocabulary.ts';
import { canMove, drivenStatuses, hasReached, isEnded, isPickedUp } from './delivery-states.ts';

/** The state of a delivery that a report is compared to. Times in milliseconds. */
export interface Reported {
  status: DeliveryStatus;
  /** When the latest report that changed the status occurred; 0 before the first. */
  reported_at: number;
}

/**
 * The effect of a provider's report on the status: it changes the status, or has no effect because it repeats the
 * status, is older than the last report, or is not a legal transition.
 */
export type Effect = 'moved' | 'repeated' | 'older' | 'not_a_step' | 'none';

export function effectOf(
  report: { status: DeliveryStatus | null; occurred_at: number },
  known: Reported,
): Effect {
  if (report.status === null) return 'none';
  if (report.status === known.status) return 'repeated';
  if (report.occurred_at < known.reported_at) return 'older';
  return canMove(known.status, report.status) ? 'moved' : 'not_a_step';
}

/** The statuses that every delivery passes on its way, whether or not its courier reports them. */
const milestones = ['driver_assigned', 'pickup_complete'] as const satisfies readonly DeliveryStatus[];

/**
 * The statuses that a delivery must have passed to get from one to another, of those that its courier did not report:
 * a driver was assigned and has picked up, and what was returned was on its way back. Arrivals are not assumed.
 */
export function skippedStatuses(from: DeliveryStatus, to: DeliveryStatus): DeliveryStatus[] {
  const isBack = to === 'enroute_to_return' || to === 'returned';
  if (isEnded(from) || (!isBack && to !== 'delivered' && !isDriven(to))) return [];
  const passed = milestones.filter(
    (status) => !hasReached(from, status) && from !== 'enroute_to_return' && (isBack || isBefore(status, to)),
  );
  return to === 'returned' && from !== 'enroute_to_return' ? [...passed, 'enroute_to_return'] : passed;
}

function isBefore(status: DeliveryStatus, to: DeliveryStatus): boolean {
  return status !== to && hasReached(to, status);
}

function isDriven(status: DeliveryStatus): boolean {
  return drivenStatuses.some((driven) => driven === status);
}

/**
 * The time of a courier's report, for its order among the others. Couriers report late and by clocks of their own: a
 * status further along the way, or an end, counts however old its time is; a step back only with a later time.
 */
export function orderedTime(
  report: { status: DeliveryStatus | null; occurred_at: number },
  { status, reported_at }: Reported,
): number {
  const { status: to, occurred_at } = report;
  if (to === null || occurred_at >= reported_at) return occurred_at;
  const isAlong = isDriven(status) && hasReached(to, status);
  const isEnd = isEnded(to) || (isPickedUp(status) && to === 'enroute_to_return');
  return isAlong || isEnd ? reported_at : occurred_at;
}

import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { HALT } from '../../domain/courier-times.ts';
import { isEnded } from '../../domain/delivery-states.ts';
import { scriptOf } from '../../domain/scenarios.ts';
import type { AcceptedOrder, AcceptedRoute, Report, Step, Stepped } from '../port.ts';
import type { Courier } from './couriers.ts';
import { type Carried, isDriven, pathUntilDone, reportOf, scheduleOrderReports } from './reports.ts';
import { shiftSchedule, visitsOfOrder } from './schedule.ts';
import {
  type Assignment,
  assign,
  assignmentsOf,
  failureDetails,
  interruptionOf,
  routeScript,
  successor,
  type TimelineEntry,
  timelineOf,
  unableOrders,
  undisturbedTimeline,
} from './timeline.ts';

/**
 * Moves an order to a status now: its driver is there at once and continues as usual. What its scenario plans for
 * later still happens. The other orders of the route keep their times. Throws for an order that is not on the route.
 */
export function takeStep(courier: Courier, route: AcceptedRoute, step: Step): Stepped {
  const { order_id, status, now, lost_drivers = 0 } = step;
  const order = route.orders.find((each) => each.order_id === order_id);
  if (order === undefined) throw new Error(`order ${order_id} is not on the route`);
  const carried = { courier, route, order };
  const assignment = assignmentAt(carried, step);
  const mark = `step-${now}${lost_drivers === 0 ? '' : `-${lost_drivers + 1}`}`;
  const report = reportAt(carried, step, { assignment, mark });
  const timeline = timelineAfter(carried, step, assignment);
  return {
    report,
    feed: scheduleOrderReports(carried, { timeline, earlier: [report], mark: `${mark}-${status}-` }),
  };
}

/** The driver's assignment, shifted so that the status is reached now. */
function assignmentAt(carried: Carried, { status, now, lost_drivers = 0 }: Step): Assignment {
  const { courier, route, order } = carried;
  const unable = unableAt(carried, status);
  const search = { number: lost_drivers + 1, from: now, assigned_after_minutes: 0, unable };
  const assignment = assign(courier, route, search);
  const { schedule } = assignment;
  if (status === 'driver_assigned') return { ...assignment, schedule: { ...schedule, assigned_at: now } };
  // A step to `returned` completes the return even if the scenario would not.
  const moments = undisturbedTimeline(
    assignment,
    status === 'returned' ? { ...order, scenario: 'happy_path' } : order,
  );
  const at = moments.find((moment) => moment.status === status)?.at ?? now;
  return { ...assignment, schedule: shiftSchedule(schedule, now - at) };
}

/** The orders whose dropoff fails; a status at or after the dropoff decides it for this order. */
function unableAt({ route, order }: Carried, status: DeliveryStatus): Set<string> {
  const unable = unableOrders(route);
  if (status === 'enroute_to_return' || status === 'returned') unable.add(order.order_id);
  if (status === 'dropoff_complete' || status === 'delivered') unable.delete(order.order_id);
  return unable;
}

function reportAt(
  carried: Carried,
  { status, now }: Step,
  { assignment, mark }: { assignment: Assignment; mark: string },
): Report {
  const { order } = carried;
  const etas = isDriven(status) ? etasAt(assignment, order, now) : {};
  const details = { ...etas, ...reasonOf(status, order) };
  const report = reportOf(carried, { status, at: now, assignment, details }, mark);
  return isDriven(status) ? { ...report, way: pathUntilDone(assignment, order) } : report;
}

/** The ETAs that are still in the future. */
function etasAt({ schedule }: Assignment, { order_id }: AcceptedOrder, now: number) {
  const { pickup, dropoff } = visitsOfOrder(schedule, order_id);
  const dropoff_eta = dropoff.arrived_at + HALT;
  return {
    ...(pickup.arrived_at > now && { pickup_eta: pickup.arrived_at }),
    ...(dropoff_eta > now && { dropoff_eta }),
  };
}

/** The statuses of the order after the step. */
function timelineAfter(carried: Carried, { status, now }: Step, present: Assignment): TimelineEntry[] {
  const { courier, route, order } = carried;
  const { number } = present.seat;
  if (isEnded(status) || status === 'request') return [];
  if (status === 'driver_not_assigned') {
    const next = successor(courier, route, { number, gone_at: now, unable: unableOrders(route) });
    return timelineOf({ ...route, accepted_at: now }, [next], order, now);
  }
  if (!isDriven(status)) {
    const restarted = { ...route, accepted_at: now };
    return timelineOf(restarted, assignmentsOf(courier, restarted), order);
  }
  return timelineOf(route, [present, ...replacement(carried, present)], order, now).filter(
    ({ at }) => at > now,
  );
}

/** The driver who replaces the first one, if the route's scenario reassigns it. */
function replacement({ courier, route }: Carried, present: Assignment): Assignment[] {
  const { number } = present.seat;
  if (number > 1 || routeScript(route).interruption !== 'reassigned') return [];
  const gone_at = interruptionOf(present);
  return [successor(courier, route, { number, gone_at, unable: unableOrders(route) })];
}

type ReasonDetails = Pick<Report, 'reason' | 'failure_reason'>;

function reasonOf(status: DeliveryStatus, { scenario }: AcceptedOrder): ReasonDetails {
  const { handover = 'handover_failed' } = scriptOf(scenario);
  const reasons: Partial<Record<DeliveryStatus, ReasonDetails>> = {
    driver_not_assigned: { reason: 'The driver was reassigned' },
    enroute_to_return: failureDetails(handover),
    returned: failureDetails(handover),
    failed: failureDetails('courier_failed'),
    provider_canceled: { reason: 'Canceled by the courier' },
    customer_canceled: { reason: 'Canceled by the merchant' },
    burq_canceled: { reason: 'Canceled by the operator of the service' },
  };
  return reasons[status] ?? {};
}

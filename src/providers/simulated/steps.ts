import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { isEnded } from '../../domain/delivery-states.ts';
import { HALT } from '../../domain/eta.ts';
import { scriptOf } from '../../domain/scenarios.ts';
import {
  type Assignment,
  assign,
  assignmentsOf,
  interruptionOf,
  routeScript,
  successor,
  unableOrders,
} from './assignments.ts';
import type { Courier } from './couriers.ts';
import { shiftCourse, visitsOfOrder } from './schedule.ts';
import { feedOfOrder } from './report-schedule.ts';
import { journeyOf, type Moment, momentsOf } from './timeline.ts';
import type { AcceptedOrder, AcceptedRoute, Report, Step, Stepped } from '../port.ts';
import { type Carried, isDriven, reportOfMoment, toldWay } from './reports.ts';

/**
 * Puts an order at a status now: its courier goes there at once, and on from there as it ordinarily would. Of the
 * order's scenario there happens what still lies ahead. The others of the route are not looked at: they keep their
 * times. Throws for an order that is not on the route.
 */
export function takeStep(courier: Courier, route: AcceptedRoute, step: Step): Stepped {
  const { order_id, status, now, lost_drivers = 0 } = step;
  const order = route.orders.find((each) => each.order_id === order_id);
  if (order === undefined) throw new Error(`order ${order_id} is not on the route`);
  const carried = { courier, route, order };
  const assignment = assignmentAt(carried, step);
  const mark = `step-${now}${lost_drivers === 0 ? '' : `-${lost_drivers + 1}`}`;
  const report = reportAt(carried, step, { assignment, mark });
  const journey = journeyAfter(carried, step, assignment);
  return { report, feed: feedOfOrder(carried, { journey, told: [report], mark: `${mark}-${status}-` }) };
}

/** The driver of that time, as if sent so that the status is reached now; one sent early keeps an agreed time. */
function assignmentAt(carried: Carried, { status, now, lost_drivers = 0 }: Step): Assignment {
  const { courier, route, order } = carried;
  const unable = unableAt(carried, status);
  const search = { number: lost_drivers + 1, from: now, assigned_after_minutes: 0, unable };
  const assignment = assign(courier, route, search);
  const { course } = assignment;
  if (status === 'driver_assigned') return { ...assignment, course: { ...course, assigned_at: now } };
  // Where nothing comes back by its scenario, it does when told to.
  const moments = momentsOf(assignment, status === 'returned' ? { ...order, scenario: 'happy_path' } : order);
  const at = moments.find((moment) => moment.status === status)?.at ?? now;
  return { ...assignment, course: shiftCourse(course, now - at) };
}

/** The orders that cannot be handed over; of one whose handover is decided, as it was. */
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
  const told = { ...etas, ...reasonOf(status, order) };
  const report = reportOfMoment(carried, { status, at: now, assignment, told }, mark);
  return isDriven(status) ? { ...report, way: toldWay(assignment, order) } : report;
}

/** What is still ahead. */
function etasAt({ course }: Assignment, { order_id }: AcceptedOrder, now: number) {
  const { pickup, dropoff } = visitsOfOrder(course, order_id);
  const dropoff_eta = dropoff.arrived_at + HALT;
  return {
    ...(pickup.arrived_at > now && { pickup_eta: pickup.arrived_at }),
    ...(dropoff_eta > now && { dropoff_eta }),
  };
}

/** All that happens to the order after the step. */
function journeyAfter(carried: Carried, { status, now }: Step, present: Assignment): Moment[] {
  const { courier, route, order } = carried;
  const { number } = present.seat;
  if (isEnded(status) || status === 'request') return [];
  if (status === 'driver_not_assigned') {
    const next = successor(courier, route, { number, gone_at: now, unable: unableOrders(route) });
    return journeyOf({ ...route, accepted_at: now }, [next], order, now);
  }
  if (!isDriven(status)) {
    const anew = { ...route, accepted_at: now };
    return journeyOf(anew, assignmentsOf(courier, anew), order);
  }
  return journeyOf(route, [present, ...replacement(carried, present)], order, now).filter(
    ({ at }) => at > now,
  );
}

/** Who comes in the first driver's place, where the route's scenario takes that one away. */
function replacement({ courier, route }: Carried, present: Assignment): Assignment[] {
  const { number } = present.seat;
  if (number > 1 || routeScript(route).course !== 'reassigned') return [];
  const gone_at = interruptionOf(present);
  return [successor(courier, route, { number, gone_at, unable: unableOrders(route) })];
}

function reasonOf(status: DeliveryStatus, { scenario }: AcceptedOrder): { reason?: string } {
  const { handover = 'The parcel could not be handed over' } = scriptOf(scenario);
  const reasons: Partial<Record<DeliveryStatus, string>> = {
    driver_not_assigned: 'The driver was given another task',
    enroute_to_return: handover,
    returned: handover,
    failed: 'The courier could not go on',
    provider_canceled: 'Canceled by the courier',
    customer_canceled: 'Canceled by the merchant',
    burq_canceled: 'Canceled by the operator of the service',
  };
  const reason = reasons[status];
  return reason === undefined ? {} : { reason };
}

import type { DeliveryStatus } from '../contract/vocabulary.ts';
import { scriptOf } from '../domain/scenarios.ts';
import { type Assignment, assign, assignmentsOf, unableOrders } from './assignments.ts';
import type { Courier } from './couriers.ts';
import { visitsOfOrder } from './courses.ts';
import { momentsOf } from './journeys.ts';
import type { AcceptedOrder, AcceptedRoute, Report } from './port.ts';
import { proofOf } from './proofs.ts';
import { type Carried, isDriven, reportId, toldDriver, toldWay } from './reports.ts';

export interface Step {
  order_id: string;
  status: DeliveryStatus;
  /** In milliseconds since the epoch. */
  now: number;
}

/**
 * What the courier says when it is told to be at a status now: it goes there at once, and on from there as it
 * ordinarily would. Nothing is held back: a proof that would come late comes with `delivered`.
 */
export function stepReport(courier: Courier, route: AcceptedRoute, step: Step): Report {
  const { order_id, status, now } = step;
  const order = route.orders.find((each) => each.order_id === order_id);
  if (order === undefined) throw new Error(`order ${order_id} is not on the route`);
  const carried = { courier, route, order };
  return {
    id: reportId(carried, status, `step-${now}`),
    order_id,
    status,
    occurred_at: now,
    ...(isDriven(status) && driving(carried, step)),
    ...(status === 'delivered' && proofOf(courier, route.reference, order)),
    ...reasonOf(status, order),
  };
}

/** Who drives, and the way on which they are at the status now. */
function driving(carried: Carried, step: Step): Partial<Report> {
  const { route, order } = carried;
  const { status, now } = step;
  const assignment = steppedAssignment(carried, step);
  const moments = momentsOf(assignment, { ...order, scenario: 'happy_path' });
  const at = moments.find((moment) => moment.status === status)?.at ?? now;
  const isWaiting = status === 'driver_assigned';
  const later = isWaiting ? 0 : now - at;
  const way = toldWay(assignment, order).map((waypoint, index) => ({
    ...waypoint,
    at: isWaiting && index === 0 ? now : waypoint.at + later,
  }));
  return { driver: toldDriver(assignment, route, order), way, ...etas(assignment, order, { at, later }) };
}

/** The driver of that time, as if sent now; an order goes back only where it is told to. */
function steppedAssignment({ courier, route, order }: Carried, { status, now }: Step): Assignment {
  const planned = assignmentsOf(courier, route);
  const number = planned.findLast(({ course }) => course.assigned_at <= now)?.seat.number ?? 1;
  const unable = unableOrders(route);
  if (status === 'enroute_to_return' || status === 'returned') unable.add(order.order_id);
  else unable.delete(order.order_id);
  return assign(courier, route, { number, from: now, assigned_after_minutes: 0, unable });
}

/** What is still ahead at the status. */
function etas(assignment: Assignment, { order_id }: AcceptedOrder, moment: { at: number; later: number }) {
  const { pickup, dropoff } = visitsOfOrder(assignment.course, order_id);
  const isAhead = ({ arrived_at }: { arrived_at: number }) => arrived_at > moment.at;
  return {
    ...(isAhead(pickup) && { pickup_eta: pickup.arrived_at + moment.later }),
    ...(isAhead(dropoff) && { dropoff_eta: dropoff.arrived_at + moment.later }),
  };
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

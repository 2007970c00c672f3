import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { drivenStatuses } from '../../domain/delivery-states.ts';
import type { Waypoint } from '../../domain/positions.ts';
import { scriptOf } from '../../domain/scenarios.ts';
import type { AcceptedOrder, AcceptedRoute, Driver, Report } from '../port.ts';
import type { Assignment } from './assignments.ts';
import type { Courier } from './couriers.ts';
import { driverOf } from './drivers.ts';
import { isProofLate, pinOf, proofOf } from './proofs.ts';
import { pathOfOrder } from './schedule.ts';
import type { TimelineEntry } from './timeline.ts';

/** An order with the courier that carries it. */
export interface Carried {
  courier: Courier;
  route: AcceptedRoute;
  order: AcceptedOrder;
}

const unknown: Driver = { name: null, image: null, phone: null, vehicle_type: null, vehicle: null };

/** The report of a timeline entry. The count distinguishes reports of one status. */
export function reportOf(carried: Carried, entry: TimelineEntry, count: number | string): Report {
  const { courier, route, order } = carried;
  const { status, at, assignment, details } = entry;
  return {
    id: reportId(carried, status, count),
    order_id: order.order_id,
    status,
    occurred_at: at,
    ...(isDriven(status) && { driver: reportedDriver(assignment, route, order) }),
    ...(status === 'driver_assigned' && { way: pathUntilDone(assignment, order) }),
    ...(isDriven(status) && pinOf(courier, route.chance, order)),
    ...details,
    ...(status === 'delivered' && !isProofLate(courier, order) && proofOf(courier, route.reference, order)),
  };
}

/**
 * The courier's id of a report: a repeated report has the same. It names the order by its place in the route, as each
 * report is stored with its id, and found by it.
 */
export function reportId({ route, order }: Carried, subject: string, count: number | string): string {
  const place = 1 + route.orders.findIndex(({ order_id }) => order_id === order.order_id);
  return `${route.reference}:${place}:${subject}:${count}`;
}

/** True for statuses at which a driver has or had the order. */
export function isDriven(status: DeliveryStatus): boolean {
  const later: readonly DeliveryStatus[] = ['delivered', 'enroute_to_return', 'returned'];
  return later.includes(status) || drivenStatuses.some((driven) => driven === status);
}

/** The driver as the order's reports show them. */
function reportedDriver({ seat }: Assignment, { vehicles }: AcceptedRoute, order: AcceptedOrder): Driver {
  return scriptOf(order.scenario).courier === 'unknown' ? unknown : driverOf(seat, vehicles);
}

/** The driver's path as far as the courier and the order's scenario report positions. */
export function pathUntilDone(
  { seat, schedule }: Assignment,
  { order_id, scenario }: AcceptedOrder,
): Waypoint[] {
  const { location, courier } = scriptOf(scenario);
  const reportsLocation = seat.courier.courier_fields.includes('location');
  if (!reportsLocation || courier === 'unknown' || location === 'none') return [];
  const path = pathOfOrder(schedule, order_id);
  return location === 'stale' ? path.slice(0, 1) : path;
}

import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { drivenStatuses } from '../../domain/delivery-states.ts';
import type { Waypoint } from '../../domain/positions.ts';
import { scriptOf } from '../../domain/scenarios.ts';
import type { Assignment } from './assignments.ts';
import type { Courier } from './couriers.ts';
import { wayOf } from './schedule.ts';
import { driverOf } from './drivers.ts';
import type { Moment } from './timeline.ts';
import type { AcceptedOrder, AcceptedRoute, Driver, Report } from '../port.ts';
import { isProofLate, proofOf } from './proofs.ts';

/** An order with who carries it. */
export interface Carried {
  courier: Courier;
  route: AcceptedRoute;
  order: AcceptedOrder;
}

const unknown: Driver = { name: null, image: null, phone: null, vehicle_type: null, vehicle: null };

/** The report of a moment; the count tells it from others of one status. */
export function reportOfMoment(carried: Carried, moment: Moment, count: number | string): Report {
  const { courier, route, order } = carried;
  const { status, at, assignment, told } = moment;
  return {
    id: reportId(carried, status, count),
    order_id: order.order_id,
    status,
    occurred_at: at,
    ...(isDriven(status) && { driver: toldDriver(assignment, route, order) }),
    ...(status === 'driver_assigned' && { way: toldWay(assignment, order) }),
    ...told,
    ...(status === 'delivered' && !isProofLate(courier, order) && proofOf(courier, route.reference, order)),
  };
}

/** The courier's own name for a report: the same whenever it is told again. */
export function reportId({ route, order }: Carried, subject: string, count: number | string): string {
  return `${route.reference}:${order.order_id}:${subject}:${count}`;
}

/** Whether a driver has, or had, the order then. */
export function isDriven(status: DeliveryStatus): boolean {
  const later: readonly DeliveryStatus[] = ['delivered', 'enroute_to_return', 'returned'];
  return later.includes(status) || drivenStatuses.some((driven) => driven === status);
}

/** The driver as the order's reports tell of them. */
export function toldDriver({ seat }: Assignment, { vehicles }: AcceptedRoute, order: AcceptedOrder): Driver {
  return scriptOf(order.scenario).courier === 'unknown' ? unknown : driverOf(seat, vehicles);
}

/** The driver's way as far as the courier, and the order's scenario, tell of it. */
export function toldWay({ seat, course }: Assignment, { order_id, scenario }: AcceptedOrder): Waypoint[] {
  const { location, courier } = scriptOf(scenario);
  const tells = seat.courier.courier_fields.includes('location');
  if (!tells || courier === 'unknown' || location === 'none') return [];
  const way = wayOf(course, order_id);
  return location === 'stale' ? way.slice(0, 1) : way;
}

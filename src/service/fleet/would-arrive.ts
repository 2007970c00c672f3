/** When each driver would reach a recipient, for a dispatcher who chooses a driver. */
import { Problem } from '../../contract/errors.ts';
import { isEnded } from '../../domain/delivery-states.ts';
import { insertStops, keepOrders, type PlannedStop } from '../../domain/driver-plans.ts';
import type { DrivingTimes } from '../../domain/geography.ts';
import type { Connection, DeliveryRow } from '../../storage/database.ts';
import { deliveriesOfRoute } from '../../storage/deliveries.ts';
import { findOrder } from '../../storage/orders.ts';
import { deliveryFor } from '../deliveries/delivery.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import type { CallBase } from '../http/handler.ts';
import { orderRecord } from '../orders/order-view.ts';
import {
  type DriverLoad,
  expectedTimes,
  offeredStops,
  planInsertion,
  remainingStops,
  stopsOfEnds,
} from './driver-load.ts';

/** What may be assigned to a driver: the stops that are left of it, and the order whose recipient waits. */
export interface Assignable {
  order_id: string;
  stops: PlannedStop[];
  /** The deliveries that move together, as one route. */
  rows: DeliveryRow[];
}

/** Reads a delivery, or an order that has none. Throws `record_not_found`. */
export async function loadAssignable(db: Connection, call: CallBase, id: string): Promise<Assignable> {
  if (id.startsWith('ord_')) {
    const order = await findOrder(db, call.caller.scope, id);
    if (order === undefined) throw new Problem('record_not_found', `There is no order ${id}.`);
    if (order.delivery_id !== null) return loadAssignable(db, call, order.delivery_id);
    return { order_id: id, stops: stopsOfEnds(id, orderRecord(order)), rows: [] };
  }
  const delivery = await deliveryFor(db, call, id);
  const rows = (await deliveriesOfRoute(db, delivery.route_id)).filter(({ status }) => !isEnded(status));
  const stops = rows.flatMap((row) => stopsOfEnds(row.order_id, deliveryRecord(row)));
  return { order_id: delivery.order_id, stops: remainingStops(stops, rows), rows };
}

/** When the recipient would have it from a driver, as planned once it is given; null if nobody waits for it. */
export function estimateArrival(
  { order_id, stops, rows }: Assignable,
  load: DriverLoad,
  drive: { now: number; times: DrivingTimes | undefined },
): number | null {
  const others = load.deliveries.filter((row) => !rows.some(({ id }) => id === row.id));
  const rest = keepOrders(load.stops, (order) => others.some(({ order_id: own }) => own === order));
  const insertion = planInsertion({ ...load, stops: rest, deliveries: others }, drive);
  const offered = offeredStops({ ...load, deliveries: others });
  const plan = insertStops(insertStops(rest, offered, insertion), stops, insertion);
  const timesOf = expectedTimes(plan, [...others, ...rows], {
    start: insertion.start,
    ...drive,
    vehicle: load.driver.vehicle_type,
  });
  return timesOf(order_id).dropoff_eta ?? null;
}

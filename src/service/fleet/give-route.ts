import { isEnded, isPickedUp } from '../../domain/delivery-states.ts';
import { insertStops, keepOrders } from '../../domain/driver-plans.ts';
import type { Report, Driver as ReportedDriver } from '../../providers/port.ts';
import { findAccount } from '../../storage/accounts.ts';
import type { DeliveryRow, DriverAssignmentRow, DriverRow, OrderRow } from '../../storage/database.ts';
import { lockDeliveriesOfRoutes } from '../../storage/deliveries.ts';
import { changeAssignment, updateDriver } from '../../storage/drivers.ts';
import { loadRoute } from '../../storage/routes.ts';
import { recordAcceptance } from '../batches/order-outcomes.ts';
import type { TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { receiveReport } from '../deliveries/take-report.ts';
import { orderRecord } from '../orders/order-view.ts';
import { publishOrder } from '../orders/publish-order.ts';
import { ordersOfRoute, routeStops } from '../routes/route-handlers.ts';
import { settingsOf } from '../runtime/account-settings.ts';
import { chanceOf } from '../runtime/ids.ts';
import { fraction } from '../runtime/random.ts';
import { insertionOf, loadDriverLoad, positionOf, remainingStops, returnStops } from './driver-load.ts';
import { estimatePlan, expectedTimes } from './estimates.ts';

/**
 * Gives a route to a driver, who drives it from now on: the deliveries get the driver and new times. Those that were
 * picked up keep their status.
 */
export async function giveRoute(
  context: TransitionContext,
  assignment: DriverAssignmentRow,
  driver: DriverRow,
  /** When the driver took it, in service time. */
  occurred_at: number = context.now,
): Promise<void> {
  const { db, now } = context;
  const deliveries = await openDeliveries(context, assignment);
  const isFirst = deliveries.every(({ status }) => status === 'delivery_created' || status === 'scheduled');
  const offer = assignment.offer + 1;
  const accepted = {
    state: 'accepted',
    driver_id: driver.id,
    answer_by: null,
    offer,
    updated_at: now,
  } as const;
  await changeAssignment(db, { dispatch_id: assignment.dispatch_id, ...accepted });
  const account = await findAccount(db, assignment);
  const asksPin = account !== undefined && settingsOf(account).fleet.ask_pin;
  const orders = await openOrders(context, assignment, deliveries);
  const arrivals = await addToPlan(context, assignment, { driver, deliveries });
  for (const row of deliveries) {
    const order = orders.find(({ id }) => id === row.order_id);
    const report = {
      id: `${assignment.dispatch_id} ${offer} ${row.order_id}`,
      order_id: row.order_id,
      occurred_at: Math.max(occurred_at, deliveryRecord(row).reported_at),
      driver: reportedDriver(driver),
      way: wayOf(driver),
      ...arrivals(row.order_id),
      ...(asksPin && !isPickedUp(row.status) && pinOf(context, row, order)),
    };
    await reportDriver(context, row, report, { isFirst });
  }
  await estimatePlan(context, driver.id);
  if (assignment.state === 'accepted' && assignment.driver_id !== null) {
    await estimatePlan(context, assignment.driver_id);
  }
  if (!isFirst) return;
  for (const order of orders) await publishOrder(context, 'order.dispatched', order);
  await recordAcceptance(context, orders);
}

/** Reports the driver of a delivery. One that has a driver already loses that one first, unless it is picked up. */
async function reportDriver(
  context: TransitionContext,
  row: DeliveryRow,
  report: Omit<Report, 'status'>,
  { isFirst }: { isFirst: boolean },
): Promise<void> {
  if (isPickedUp(row.status)) {
    await receiveReport(context, row, { ...report, status: null });
    return;
  }
  const { id, order_id, occurred_at } = report;
  const hasOther = !isFirst && row.status !== 'driver_not_assigned';
  const lost = { id: `${id} taken`, order_id, occurred_at, status: 'driver_not_assigned' } as const;
  const free = hasOther ? await receiveReport(context, row, lost) : row;
  await receiveReport(context, free, { ...report, status: 'driver_assigned' });
}

/** Adds the stops of a route that are left to a driver's plan. Returns the expected times of an order. */
async function addToPlan(
  context: TransitionContext,
  assignment: DriverAssignmentRow,
  { driver, deliveries }: { driver: DriverRow; deliveries: readonly DeliveryRow[] },
) {
  const { db, now, times } = context;
  const route = await loadRoute(db, assignment.route_id);
  const load = await loadDriverLoad(db, driver);
  const stops = [...routeStops(route ?? missing(assignment)), ...returnStops(deliveries)];
  // A driver who had the route before may still have its stops in the plan.
  const others = keepOrders(load.stops, (id) => !deliveries.some(({ order_id }) => order_id === id));
  const insertion = insertionOf({ ...load, stops: others }, context);
  const plan = insertStops(others, remainingStops(stops, deliveries), insertion);
  await updateDriver(db, { id: driver.id, plan: JSON.stringify(plan), updated_at: now });
  return expectedTimes(plan, [...load.deliveries, ...deliveries], {
    start: insertion.start,
    now,
    times,
    vehicle: driver.vehicle_type,
  });
}

/**
 * The PIN that the recipient gives the driver: four digits, the same for each driver of a delivery. With a chosen seed
 * it is decided by the fate of the order, as the behavior of simulated couriers is.
 */
function pinOf(
  { chance }: TransitionContext,
  row: DeliveryRow,
  order: OrderRow | undefined,
): Pick<Report, 'pin'> {
  const { fate = chanceOf(row.id) } = order === undefined ? {} : orderRecord(order).simulation;
  const pin = Math.floor(fraction(chance('fleet', 'pin', fate)) * 10_000);
  return { pin: String(pin).padStart(4, '0') };
}

function missing({ route_id }: DriverAssignmentRow): never {
  throw new Error(`there is no route ${route_id}`);
}

/** The driver as recipients and merchants see the driver. */
export function reportedDriver({ id, name, phone, vehicle_type }: DriverRow): ReportedDriver {
  return { id, name, image: null, phone, vehicle_type, vehicle: null };
}

export function wayOf(driver: DriverRow) {
  const position = positionOf(driver);
  return position === null ? [] : [position];
}

/** The deliveries of an assignment that have not ended, locked. */
export async function openDeliveries(
  { db }: Pick<TransitionContext, 'db'>,
  { route_id }: DriverAssignmentRow,
): Promise<DeliveryRow[]> {
  return (await lockDeliveriesOfRoutes(db, [route_id])).filter(({ status }) => !isEnded(status));
}

export async function openOrders(
  { db }: TransitionContext,
  assignment: DriverAssignmentRow,
  deliveries: readonly DeliveryRow[],
): Promise<OrderRow[]> {
  const route = await loadRoute(db, assignment.route_id);
  const orders = await ordersOfRoute(db, route ?? missing(assignment));
  return orders.filter(({ id }) => deliveries.some(({ order_id }) => order_id === id));
}

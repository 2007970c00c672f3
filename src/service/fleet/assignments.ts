/**
 * Assigns routes to drivers. The states of an assignment:
 * - Held: a scheduled route waits until it is nearly time (`isRouteHeld`), as a plan holds what is driven now. Stored as
 *   `planned` if a dispatcher has named the driver, otherwise as `offered` with the offer number 0.
 * - Offered: one driver at a time is asked until `answer_by`. A driver who declines, goes off duty or does not answer is
 *   passed over.
 * - Accepted: the driver has accepted, or was named by a dispatcher and is not asked. The deliveries are
 *   `driver_assigned`. A dispatcher may also name another driver after the pickup: what is picked up keeps its status.
 * - Ended: nobody is left to ask. The deliveries fail, and auto dispatch tries an order again with other providers.
 * `offers.ts` chooses the driver who is asked; here a route gets its driver (`giveRoute`, `assignRoute`).
 */
import { isEnded, isPickedUp } from '../../domain/delivery-states.ts';
import { insertStops, keepOrders } from '../../domain/driver-plans.ts';
import type { Report, Driver as ReportedDriver } from '../../providers/port.ts';
import { findAccount } from '../../storage/accounts.ts';
import type { DeliveryRow, DriverAssignmentRow, DriverRow, OrderRow } from '../../storage/database.ts';
import { lockDeliveriesOfRoutes } from '../../storage/deliveries.ts';
import { changeAssignment, loadDriver, updateDriver } from '../../storage/drivers.ts';
import { loadRoute } from '../../storage/routes.ts';
import { publishOrder, recordAcceptance } from '../batches/order-outcomes.ts';
import type { TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { receiveReport } from '../deliveries/take-report.ts';
import { orderRecord } from '../orders/order.ts';
import { ordersOfRoute, routeStops } from '../routes/route.ts';
import { readAccountSettings } from '../runtime/account-settings.ts';
import { takeRandomPart } from '../runtime/ids.ts';
import { fraction } from '../runtime/random.ts';
import type { DriverNews } from '../runtime/task-kinds.ts';
import {
  type DriverLoad,
  lastPosition,
  loadDriverLoad,
  offerTerms,
  planInsertion,
  remainingStops,
  returnStops,
} from './driver-load.ts';
import { pushToDriver } from './driver-push.ts';
import { estimatePlan, expectedTimes } from './plan-estimates.ts';

/** Gives a route to a driver who is not asked, and tells that driver and the one who had it before. */
export async function assignRoute(
  context: TransitionContext,
  assignment: DriverAssignmentRow,
  driver: DriverRow,
): Promise<void> {
  const { dispatch_id, driver_id, offer, state } = assignment;
  await giveRoute(context, assignment, driver);
  const news = await newsOf(context, assignment, null);
  await pushToDriver(context, driver, { kind: 'stop', ...news }, [dispatch_id, String(offer + 1)]);
  if (state !== 'accepted' || driver_id === null) return;
  const before = await loadDriver(context.db, driver_id);
  if (before === undefined) return;
  await pushToDriver(context, before, { kind: 'gone', ...news }, [dispatch_id, String(offer)]);
}

/** The message about a route: its stops, and for the driver to whom it is offered what it takes and brings. */
export async function newsOf(
  context: TransitionContext,
  assignment: DriverAssignmentRow,
  load: DriverLoad | null,
): Promise<Omit<DriverNews, 'kind'>> {
  const route = await loadRoute(context.db, assignment.route_id);
  const stops = route === undefined ? [] : routeStops(route);
  const rows = await openDeliveries(context, assignment);
  return {
    stops: stops.map(({ kind, address }) => ({ kind, address })),
    terms: load === null ? null : offerTerms(load, { stops, rows }, context),
  };
}

/** Whether a route is held until later: then it is offered for the first time, or given to the named driver. */
export function isRouteHeld({ state, offer, answer_by }: DriverAssignmentRow, now: number): boolean {
  const isWaiting = state === 'planned' || (state === 'offered' && offer === 0);
  return isWaiting && answer_by !== null && answer_by > now;
}

export async function endAssignment({ db, now }: TransitionContext, { dispatch_id }: DriverAssignmentRow) {
  await changeAssignment(db, {
    dispatch_id,
    state: 'ended',
    driver_id: null,
    answer_by: null,
    updated_at: now,
  });
}

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
  const asksPin = account !== undefined && readAccountSettings(account).fleet.ask_pin;
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

/** Reports the new driver of a delivery. One that is not picked up is first reported as without its earlier driver. */
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

/** Adds the remaining stops of a route to a driver's plan. Returns a function for the expected times of an order. */
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
  const insertion = planInsertion({ ...load, stops: others }, context);
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
  const { fate = takeRandomPart(row.id) } = order === undefined ? {} : orderRecord(order).simulation;
  const pin = Math.floor(fraction(chance('fleet', 'pin', fate)) * 10_000);
  return { pin: String(pin).padStart(4, '0') };
}

/** The driver as recipients and merchants see the driver. */
export function reportedDriver({ id, name, phone, vehicle_type }: DriverRow): ReportedDriver {
  return { id, name, image: null, phone, vehicle_type, vehicle: null };
}

export function wayOf(driver: DriverRow) {
  const position = lastPosition(driver);
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

function missing({ route_id }: DriverAssignmentRow): never {
  throw new Error(`there is no route ${route_id}`);
}

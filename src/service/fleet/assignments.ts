/**
 * The way of a route to a driver. The states of an assignment:
 * - Held: a scheduled route waits until it is nearly time (`heldUntil`), as a plan holds what is driven now. Stored as
 *   `planned` if a dispatcher has named the driver, otherwise as `offered` with the offer number 0.
 * - Offered: one driver at a time is asked until `answer_by`. Who declines, goes off duty or does not answer is passed.
 * - Accepted: the driver has accepted, or was named by a dispatcher and is not asked. The deliveries are
 *   `driver_assigned`. A dispatcher may also name another driver after the pickup: what is picked up keeps its status.
 * - Ended: nobody is left to ask. The deliveries fail, and auto dispatch tries an order again with other providers.
 */
import { fleet_provider } from '../../contract/vocabulary.ts';
import { addressKey } from '../../domain/addresses.ts';
import { isEnded, isPickedUp } from '../../domain/delivery-states.ts';
import {
  insertStops,
  isLargeEnough,
  keepOrders,
  type PlannedStop,
  rankDrivers,
} from '../../domain/driver-plans.ts';
import type { Report, Driver as ReportedDriver } from '../../providers/port.ts';
import { findAccount } from '../../storage/accounts.ts';
import type { DeliveryRow, DriverAssignmentRow, DriverRow, OrderRow } from '../../storage/database.ts';
import { lockDeliveriesOfRoutes } from '../../storage/deliveries.ts';
import {
  changeAssignment,
  driversOnDuty,
  findAssignment,
  loadDriver,
  updateDriver,
} from '../../storage/drivers.ts';
import { loadRoute } from '../../storage/routes.ts';
import { insertTasks } from '../../storage/tasks.ts';
import { publishOrder, recordAcceptance, recordRefusal } from '../batches/order-outcomes.ts';
import type { TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { receiveReport } from '../deliveries/take-report.ts';
import { largestSize } from '../orders/order-request.ts';
import { orderRecord } from '../orders/order-view.ts';
import { ordersOfRoute, routeStops } from '../routes/route.ts';
import { readAccountSettings } from '../runtime/account-settings.ts';
import type { ServiceContext, Task, TaskHandler } from '../runtime/context.ts';
import { newId, takeRandomPart } from '../runtime/ids.ts';
import { fraction } from '../runtime/random.ts';
import { type DriverNews, newTask } from '../runtime/task-kinds.ts';
import {
  type DriverLoad,
  estimatePlan,
  expectedTimes,
  lastPosition,
  learnWays,
  loadDriverLoad,
  loadDrivers,
  offeredStops,
  offerTerms,
  planInsertion,
  remainingStops,
  returnStops,
} from './driver-load.ts';
import { pushToDriver } from './driver-push.ts';

/** The time in which a driver answers an offer. */
const answer_ms = 90_000;
/** The least time in which a driver answers an offer that has got another order. */
const longer_answer_ms = 30_000;
/** A driver with as many orders is full. */
export const max_open_orders = 8;

/** Offers a route to the first driver who can take it and has not passed; false if there is none. */
export async function offerNext(
  context: TransitionContext,
  assignment: DriverAssignmentRow,
): Promise<boolean> {
  const { db, now } = context;
  const { driver_id, dispatch_id } = assignment;
  const passed: string[] = JSON.parse(assignment.passed);
  if (driver_id !== null) passed.push(driver_id);
  const next = await nextDriver(context, assignment, passed);
  if (next === null) return false;
  const { driver } = next;
  if (driver.assign_without_asking === 1) {
    await assignRoute(context, assignment, driver);
    return true;
  }
  const offered: DriverAssignmentRow = {
    ...assignment,
    driver_id: driver.id,
    state: 'offered',
    offer: assignment.offer + 1,
    answer_by: await joinOffers(context, assignment, next),
    passed: JSON.stringify(passed),
    updated_at: now,
  };
  await changeAssignment(db, { ...offered, dispatch_id });
  await scheduleNextOffer(context, offered);
  const news = { kind: 'offer', ...(await newsOf(context, assignment, next)) } as const;
  await pushToDriver(context, driver, news, [dispatch_id, String(offered.offer)]);
  return true;
}

async function nextDriver(
  context: TransitionContext,
  assignment: DriverAssignmentRow,
  passed: readonly string[],
): Promise<DriverLoad | null> {
  const { db } = context;
  const orders = await openOrders(context, assignment, await openDeliveries(context, assignment));
  const route = await loadRoute(db, assignment.route_id);
  if (route === undefined) return null;
  const records = orders.map(orderRecord);
  const loads = await loadDrivers(db, await driversOnDuty(db, assignment));
  const able = ableDrivers(
    loads.filter(({ driver }) => !passed.includes(driver.id)),
    {
      stops: routeStops(route),
      vehicles: records.flatMap(({ vehicle }) => vehicle ?? []),
      largest_size: largestSize(records),
      order_count: orders.length,
    },
    context,
  );
  return able[0] ?? null;
}

/** The content of a route that decides who can drive it. */
interface Requirements {
  stops: readonly PlannedStop[];
  vehicles: Parameters<typeof isLargeEnough>[1]['vehicles'];
  largest_size: Parameters<typeof isLargeEnough>[1]['largest_size'];
  order_count: number;
}

function driversWithRoom(loads: readonly DriverLoad[], route: Omit<Requirements, 'stops'>): DriverLoad[] {
  return loads.filter(
    ({ driver, deliveries }) =>
      deliveries.length + route.order_count <= max_open_orders && isLargeEnough(driver.vehicle_type, route),
  );
}

/** Whether drivers have room for a route besides `unassigned` orders, which get a driver before it. */
export function hasRoom(
  loads: readonly DriverLoad[],
  route: Omit<Requirements, 'stops'>,
  unassigned: number,
): boolean {
  const able = driversWithRoom(loads, route);
  const free = able.reduce((sum, { deliveries }) => sum + max_open_orders - deliveries.length, 0);
  return free >= unassigned + route.order_count;
}

/** The drivers who could take a route now, in the order in which they are asked. */
export function ableDrivers(
  loads: readonly DriverLoad[],
  route: Requirements,
  context: Pick<TransitionContext, 'now' | 'times'>,
): DriverLoad[] {
  const candidates = driversWithRoom(loads, route).map((load) => {
    const insertion = planInsertion(load, context);
    const { start: position, fixed, kept } = insertion;
    const plan = insertStops(load.stops, offeredStops(load), insertion);
    return { ...kept, load, id: load.driver.id, position, fixed, plan };
  });
  return rankDrivers(candidates, route.stops, context).map(({ load }) => load);
}

/** When the offer of a route ends for a driver: routes of one pickup are offered together, and end together. */
async function joinOffers(
  context: TransitionContext,
  assignment: DriverAssignmentRow,
  { offered }: DriverLoad,
): Promise<number> {
  const { db, now } = context;
  const place = await pickupOf(db, assignment);
  const joined: DriverAssignmentRow[] = [];
  for (const each of offered) if ((await pickupOf(db, each)) === place) joined.push(each);
  const ends = joined.map(({ answer_by }) => answer_by ?? now);
  const answer_by = joined.length === 0 ? now + answer_ms : Math.max(now + longer_answer_ms, ...ends);
  for (const each of joined.filter((other) => other.answer_by !== answer_by)) {
    const longer = { ...each, answer_by, updated_at: now };
    await changeAssignment(db, longer);
    await scheduleNextOffer(context, longer);
  }
  return answer_by;
}

/** The address at which a route is picked up; those of several pickups are one text. */
export async function pickupOf(
  db: TransitionContext['db'],
  { route_id }: Pick<DriverAssignmentRow, 'route_id'>,
): Promise<string> {
  const route = await loadRoute(db, route_id);
  const stops = route === undefined ? [] : routeStops(route);
  return stops.flatMap(({ kind, address }) => (kind === 'pickup' ? addressKey(address) : [])).join('\n');
}

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

/** Where a route is picked up and delivered, and what it means for the driver to whom it is offered. */
async function newsOf(
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

/** When a held route is offered for the first time, or given to the named driver; null if it is not held. */
export function heldUntil({ state, offer, answer_by }: DriverAssignmentRow): number | null {
  return state === 'planned' || (state === 'offered' && offer === 0) ? answer_by : null;
}

/** Schedules the end of an offer, or of the wait of a held route. */
export async function scheduleNextOffer(
  { db, chance, now }: TransitionContext,
  { dispatch_id, offer, route_id, account_id, test_mode, answer_by }: DriverAssignmentRow,
): Promise<void> {
  const id = newId(chance, 'tsk', now, 'offer', dispatch_id, String(offer));
  const due_at = answer_by ?? now;
  const task = { id, account_id, test_mode, subject: route_id, due_at };
  await insertTasks(db, [newTask('fleet.offer', task, { dispatch_id, offer })]);
}

export const offerTask: TaskHandler<'fleet.offer'> = { run: makeNextOffer };

/** Passes an offer that was not answered in time to the next driver; offers or gives a route that was held. */
async function makeNextOffer(service: ServiceContext, task: Task<'fleet.offer'>): Promise<void> {
  const { dispatch_id, offer } = task.payload;
  const chance = await service.chance();
  const { storage, providers, router } = service;
  const before = router === null ? undefined : await storage.read((db) => findAssignment(db, dispatch_id));
  if (before !== undefined) await learnWays(service, { scope: before, route_id: before.route_id });
  await storage.transaction(async (db) => {
    await task.finish(db);
    const assignment = await findAssignment(db, dispatch_id);
    if (assignment === undefined || assignment.offer !== offer) return;
    const context = { db, chance, now: task.now, providers, times: router?.known };
    if (assignment.state === 'planned') return startPlanned(context, assignment);
    // Another order has given the driver more time.
    if (assignment.state !== 'offered' || (assignment.answer_by ?? 0) > task.now) return;
    await passOffer(context, assignment);
  });
}

/** Gives a held route to the driver that was named for it; one who is gone is replaced by those on duty. */
async function startPlanned(context: TransitionContext, assignment: DriverAssignmentRow): Promise<void> {
  const driver = await loadDriver(context.db, assignment.driver_id ?? '');
  if (driver === undefined || (await openDeliveries(context, assignment)).length === 0)
    return passOffer(context, assignment);
  await assignRoute(context, assignment, driver);
}

/** Offers a route to the next driver; without one its deliveries fail. */
export async function passOffer(context: TransitionContext, assignment: DriverAssignmentRow): Promise<void> {
  const deliveries = await openDeliveries(context, assignment);
  if (deliveries.length > 0 && (await offerNext(context, assignment))) return;
  await endAssignment(context, assignment);
  await failDeliveries(context, assignment, deliveries);
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

const nobody = 'no driver took the route';

/** Fails the deliveries of a route that nobody took, and returns their orders to auto dispatch. */
async function failDeliveries(
  context: TransitionContext,
  assignment: DriverAssignmentRow,
  deliveries: readonly DeliveryRow[],
): Promise<void> {
  if (deliveries.length === 0) return;
  const orders = await openOrders(context, assignment, deliveries);
  for (const row of deliveries) {
    const id = `${assignment.dispatch_id} ${row.order_id} nobody`;
    const failed = { status: 'failed', failure_reason: 'provider_refused', reason: nobody } as const;
    await receiveReport(context, row, { id, order_id: row.order_id, occurred_at: context.now, ...failed });
  }
  await recordRefusal(context, orders, { provider: fleet_provider, reason: nobody });
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
async function openDeliveries(
  { db }: Pick<TransitionContext, 'db'>,
  { route_id }: DriverAssignmentRow,
): Promise<DeliveryRow[]> {
  return (await lockDeliveriesOfRoutes(db, [route_id])).filter(({ status }) => !isEnded(status));
}

async function openOrders(
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

/**
 * Offers a route to one driver after the other: of those with room, the one with the shortest way first. A driver who
 * declines or does not answer in time is passed over; if nobody is left, the deliveries fail. `assignments.ts` describes
 * the states.
 */
import { fleet_provider } from '../../contract/vocabulary.ts';
import { addressKey } from '../../domain/addresses.ts';
import { insertStops, isLargeEnough, type PlannedStop, rankDrivers } from '../../domain/driver-plans.ts';
import type { DeliveryRow, DriverAssignmentRow, OrderRow } from '../../storage/database.ts';
import { changeAssignment, driversOnDuty, findAssignment, loadDriver } from '../../storage/drivers.ts';
import { loadRoute } from '../../storage/routes.ts';
import { insertTasks } from '../../storage/tasks.ts';
import { recordRefusal } from '../batches/order-outcomes.ts';
import type { TransitionContext } from '../deliveries/delivery-transitions.ts';
import { receiveReport } from '../deliveries/take-report.ts';
import { orderRecord } from '../orders/order.ts';
import { largestSize } from '../orders/order-request.ts';
import { routeStops } from '../routes/route.ts';
import type { ServiceContext, Task, TaskHandler } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import { newTask } from '../runtime/task-kinds.ts';
import { timeOfPeople } from '../runtime/time.ts';
import { assignRoute, endAssignment, newsOf, openDeliveries, openOrders } from './assignments.ts';
import { type DriverLoad, learnWays, loadDrivers, offeredStops, planInsertion } from './driver-load.ts';
import { pushToDriver } from './driver-push.ts';

/** How long an offer lives: the time in which a driver answers it. */
const offer_life_ms = 90_000;
/** The least time in which a driver answers an offer that has got another order. */
const min_answer_ms = 30_000;
/** A driver with as many orders is full. */
export const max_open_orders = 8;

/** Offers a route to the first driver who can take it and was not passed over; false if there is none. */
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
  const loads = await loadDrivers(db, await driversOnDuty(db, assignment));
  const unasked = loads.filter(({ driver }) => !passed.includes(driver.id));
  const [next] = ableDrivers(unasked, { ...requirementsOf(orders), stops: routeStops(route) }, context);
  return next ?? null;
}

/** What a route requires of its driver: room for its orders, and a vehicle for them. */
type Requirements = Parameters<typeof isLargeEnough>[1] & { order_count: number };

/** What orders require of their driver. */
export function requirementsOf(orders: readonly OrderRow[]): Requirements {
  const records = orders.map(orderRecord);
  const vehicles = records.flatMap(({ vehicle }) => vehicle ?? []);
  return { vehicles, largest_size: largestSize(records), order_count: orders.length };
}

function driversWithRoom(loads: readonly DriverLoad[], route: Requirements): DriverLoad[] {
  return loads.filter(
    ({ driver, deliveries }) =>
      deliveries.length + route.order_count <= max_open_orders && isLargeEnough(driver.vehicle_type, route),
  );
}

/** Whether drivers have room for a route besides `unassigned` orders, which get a driver before it. */
export function hasRoom(loads: readonly DriverLoad[], route: Requirements, unassigned: number): boolean {
  const able = driversWithRoom(loads, route);
  const free = able.reduce((sum, { deliveries }) => sum + max_open_orders - deliveries.length, 0);
  return free >= unassigned + route.order_count;
}

/** The drivers who could take a route now, in the order in which they are asked. */
export function ableDrivers(
  loads: readonly DriverLoad[],
  route: Requirements & { stops: readonly PlannedStop[] },
  context: Pick<TransitionContext, 'now' | 'times'>,
): DriverLoad[] {
  const candidates = driversWithRoom(loads, route).map((load) => {
    const insertion = planInsertion(load, context);
    const { start: position, fixed, kept } = insertion;
    const plan = insertStops(load.stops, offeredStops(load), insertion);
    return { ...kept, load, position, fixed, plan };
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
  const pickup = await pickupOf(db, assignment);
  const joined: DriverAssignmentRow[] = [];
  for (const each of offered) if ((await pickupOf(db, each)) === pickup) joined.push(each);
  const ends = joined.map(({ answer_by }) => answer_by ?? now);
  const answer_by = joined.length === 0 ? now + offer_life_ms : Math.max(now + min_answer_ms, ...ends);
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
    // A person gets the whole time to answer, also if the offer before ended while the service was down.
    const now = timeOfPeople(service, task);
    const context = { db, chance, now, providers, times: router?.known };
    if (assignment.state === 'planned') return startPlanned(context, assignment);
    // Another order has given the driver more time.
    if (assignment.state !== 'offered' || (assignment.answer_by ?? 0) > now) return;
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

const refused_reason = 'no driver took the route';

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
    const failed = { status: 'failed', failure_reason: 'provider_refused', reason: refused_reason } as const;
    await receiveReport(context, row, { id, order_id: row.order_id, occurred_at: context.now, ...failed });
  }
  await recordRefusal(context, orders, { provider: fleet_provider, reason: refused_reason });
}

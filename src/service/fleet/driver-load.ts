/** The load of a driver: the routes with their deliveries, the planned stops, and their expected times. */

import { Problem } from '../../contract/errors.ts';
import { isEnded, isPickedUp } from '../../domain/delivery-states.ts';
import {
  type Drive,
  type Insertion,
  insertStops,
  keepOrders,
  type OfferTerms,
  type PlannedStop,
  planArrivals,
  planTenths,
  type Start,
  separateRecipients,
} from '../../domain/driver-plans.ts';
import { minute_ms } from '../../domain/durations.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import {
  type DrivingTimes,
  type Place,
  type Point,
  positionOfPlace,
  timesOfVehicle,
  type Waypoint,
} from '../../domain/geography.ts';
import type { Report } from '../../providers/port.ts';
import type {
  Connection,
  DeliveryRow,
  DriverAssignmentRow,
  DriverRow,
  Scope,
} from '../../storage/database.ts';
import { deliveriesOfRoutes, lockDeliveries } from '../../storage/deliveries.ts';
import {
  assignmentsOfDrivers,
  driversOnDuty,
  findDriver,
  loadDriver,
  updateDriver,
} from '../../storage/drivers.ts';
import { loadRoute } from '../../storage/routes.ts';
import { deleteTasksOfSubject, insertTasks, tasksOfSubject } from '../../storage/tasks.ts';
import { saveDelivery, saveQuietly, type TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import type { Caller } from '../http/handler.ts';
import { routeStops } from '../routes/route.ts';
import type { ServiceContext, TaskHandler } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import { newTask } from '../runtime/task-kinds.ts';
import { timeOfPeople } from '../runtime/time.ts';

/** The row of a caller's driver. Throws `record_not_found`. */
export async function driverFor(db: Connection, { scope }: Caller, driver_id: string): Promise<DriverRow> {
  const row = await findDriver(db, scope, driver_id);
  if (row === undefined) throw new Problem('record_not_found', `There is no driver ${driver_id}.`);
  return row;
}

/** A driver's routes with their deliveries, and the stops that are left. */
export interface DriverLoad {
  driver: DriverRow;
  /** Routes that the driver has not answered yet. */
  offered: DriverAssignmentRow[];
  accepted: DriverAssignmentRow[];
  /** The deliveries of both, without those that have ended. */
  deliveries: DeliveryRow[];
  /** The stops of the accepted routes, in the order of driving. */
  stops: PlannedStop[];
}

export async function loadDriverLoad(db: Connection, driver: DriverRow): Promise<DriverLoad> {
  const [load] = await loadDrivers(db, [driver]);
  if (load === undefined) throw new Error('one driver has one load');
  return load;
}

export async function loadDrivers(db: Connection, drivers: readonly DriverRow[]): Promise<DriverLoad[]> {
  const driver_ids = drivers.map(({ id }) => id);
  const assignments = await assignmentsOfDrivers(db, driver_ids, ['offered', 'accepted']);
  const open = await openDeliveriesOf(db, assignments);
  return drivers.map((driver) => {
    const own = assignments.filter(({ driver_id }) => driver_id === driver.id);
    const inState = (state: DriverAssignmentRow['state']) =>
      own.filter((each) => each.state === state && open.some(({ route_id }) => route_id === each.route_id));
    const [offered, accepted] = [inState('offered'), inState('accepted')];
    const isOwn = (list: readonly DriverAssignmentRow[]) => (row: DeliveryRow) =>
      list.some(({ route_id }) => route_id === row.route_id);
    const stops = remainingStops(planOf(driver), open.filter(isOwn(accepted)));
    return { driver, offered, accepted, deliveries: open.filter(isOwn(own)), stops };
  });
}

async function openDeliveriesOf(
  db: Connection,
  assignments: readonly DriverAssignmentRow[],
): Promise<DeliveryRow[]> {
  const route_ids = assignments.map(({ route_id }) => route_id);
  return (await deliveriesOfRoutes(db, route_ids)).filter(({ status }) => !isEnded(status));
}

/** The deliveries that a driver has, or gets when it is nearly time, and that have not ended. */
export async function deliveriesOfDriver(db: Connection, { id }: DriverRow): Promise<DeliveryRow[]> {
  return openDeliveriesOf(db, await assignmentsOfDrivers(db, [id], ['planned', 'offered', 'accepted']));
}

/** The deliveries of the accepted routes that have not ended. */
export function acceptedDeliveries({ accepted, deliveries }: DriverLoad): DeliveryRow[] {
  return deliveries.filter((row) => accepted.some(({ route_id }) => route_id === row.route_id));
}

/** The stops of a driver's accepted routes as planned, including those already made. */
function planOf({ plan }: DriverRow): PlannedStop[] {
  return separateRecipients(JSON.parse(plan));
}

/** The last known position of a driver; null before the first. */
export function lastPosition({ position }: Pick<DriverRow, 'position'>): Waypoint | null {
  return position === null ? null : JSON.parse(position);
}

/** The stops that are still to be made, by the statuses of the deliveries. */
export function remainingStops(
  plan: readonly PlannedStop[],
  deliveries: readonly DeliveryRow[],
): PlannedStop[] {
  return keepOrders(plan, (id, kind) => {
    const delivery = deliveries.find(({ order_id }) => order_id === id);
    return delivery !== undefined && isToBeMade(kind, delivery);
  });
}

function isToBeMade(kind: PlannedStop['kind'], { status }: DeliveryRow): boolean {
  if (isEnded(status)) return false;
  if (kind === 'pickup') return !isPickedUp(status);
  return (status === 'enroute_to_return') === (kind === 'return');
}

/** The stops of the routes that a driver has not answered yet, each pickup before its dropoff. */
export function offeredStops({ offered, deliveries }: DriverLoad): PlannedStop[] {
  return deliveries
    .filter((row) => offered.some(({ route_id }) => route_id === row.route_id))
    .flatMap((row) => stopsOfEnds(row.order_id, deliveryRecord(row)));
}

export function stopsOfEnds(order_id: string, { pickup, dropoff }: Record<'pickup' | 'dropoff', Place>) {
  const stopAt = (kind: PlannedStop['kind'], end: Place): PlannedStop => ({
    kind,
    order_ids: [order_id],
    address: end.address,
    ...positionOfPlace(end),
  });
  return [stopAt('pickup', pickup), stopAt('dropoff', dropoff)];
}

/** How stops are added to a driver's plan: from the last position, and so that the promises in it are kept. */
export function planInsertion(
  load: DriverLoad,
  { now, times }: Pick<TransitionContext, 'now' | 'times'>,
): Required<Insertion> {
  const { driver, stops, deliveries } = load;
  const vehicle = driver.vehicle_type;
  const promises = new Map(deliveries.map(({ order_id, promised_at }) => [order_id, promised_at]));
  return {
    start: lastPosition(driver),
    fixed: fixedStops(load),
    times: timesOfVehicle(vehicle, times),
    kept: { now, vehicle, promises, arrived_at: arrivedAt(stops, deliveries) },
  };
}

const moving: readonly DeliveryRow['status'][] = [
  'enroute_pickup',
  'arrived_at_pickup',
  'enroute_dropoff',
  'arrived_at_dropoff',
];

/** The stops at the beginning of a plan that the driver is already under way to or at. */
export function fixedStops({ stops, deliveries }: DriverLoad): number {
  const [first] = stops;
  const isUnderWay = deliveries.some(
    ({ order_id, status }) => first?.order_ids.includes(order_id) === true && moving.includes(status),
  );
  return isUnderWay ? 1 : 0;
}

const arrived: readonly DeliveryRow['status'][] = ['arrived_at_pickup', 'arrived_at_dropoff'];

/** When the driver arrived at the first stop; null on the way to it. */
export function arrivedAt(stops: readonly PlannedStop[], deliveries: readonly DeliveryRow[]): number | null {
  const [first] = stops;
  const there = deliveries.filter(
    ({ order_id, status }) => first?.order_ids.includes(order_id) === true && arrived.includes(status),
  );
  const times = there.map((row) => deliveryRecord(row).reported_at);
  return times.length === 0 ? null : Math.min(...times);
}

/** Adds the pickup place of what could not be handed over to a driver's plan, after all other stops. */
export async function planReturns(context: TransitionContext, driver: DriverRow): Promise<void> {
  const { db, now } = context;
  const load = await loadDriverLoad(db, driver);
  const planned = load.stops.flatMap(({ kind, order_ids }) => (kind === 'return' ? order_ids : []));
  const stops = returnStops(load.deliveries.filter(({ order_id }) => !planned.includes(order_id)));
  const plan = insertStops(load.stops, stops, planInsertion(load, context));
  await updateDriver(db, { id: driver.id, plan: JSON.stringify(plan), updated_at: now });
}

/** The pickup places of the deliveries that go back. */
export function returnStops(deliveries: readonly DeliveryRow[]): PlannedStop[] {
  return deliveries
    .filter(({ status }) => status === 'enroute_to_return')
    .map((row) => {
      const { pickup } = deliveryRecord(row);
      return {
        kind: 'return',
        order_ids: [row.order_id],
        address: pickup.address,
        ...positionOfPlace(pickup),
      };
    });
}

interface Planned {
  scope: Scope;
  route_id?: string;
  /** Absent or null: any driver on duty. */
  driver_id?: string | null | undefined;
  stops?: readonly Point[];
}

/**
 * Asks the router for the driving times that a plan may need, before the transaction that makes the plan: between the
 * drivers on duty or one driver, their stops, and those of a route. Times that stay unknown are estimated.
 */
export async function learnWays(
  { router, storage }: ServiceContext,
  { scope, route_id, driver_id = null, stops = [] }: Planned,
): Promise<void> {
  if (router === null) return;
  const points = await storage.read(async (db) => [
    ...stops,
    ...(route_id === undefined ? [] : await stopsOfRoute(db, route_id)),
    ...(await loadsOf(db, scope, driver_id)).flatMap(pointsOf),
  ]);
  await router.learn(points);
}

async function stopsOfRoute(db: Connection, route_id: string): Promise<Point[]> {
  const route = await loadRoute(db, route_id);
  return route === undefined ? [] : routeStops(route);
}

async function loadsOf(db: Connection, scope: Scope, driver_id: string | null): Promise<DriverLoad[]> {
  if (driver_id === null) return loadDrivers(db, await driversOnDuty(db, scope));
  const driver = await loadDriver(db, driver_id);
  return driver === undefined ? [] : loadDrivers(db, [driver]);
}

function pointsOf(load: DriverLoad): Point[] {
  const position = lastPosition(load.driver);
  return [...(position === null ? [] : [position]), ...load.stops, ...offeredStops(load)];
}

type Times = Pick<Report, 'pickup_eta' | 'dropoff_eta'>;

/** The expected times of each order of a plan, of which these are the deliveries. */
export function expectedTimes(
  plan: readonly PlannedStop[],
  deliveries: readonly DeliveryRow[],
  drive: Omit<Drive, 'readyAt'>,
): (order_id: string) => Times {
  const arrivals = arrivalsOf(plan, deliveries, drive);
  const arrivalAt = (kind: PlannedStop['kind'], order_id: string) =>
    arrivals[plan.findIndex((stop) => stop.kind === kind && stop.order_ids.includes(order_id))];
  return (order_id) => {
    const [pickup_eta, dropoff_eta] = [arrivalAt('pickup', order_id), arrivalAt('dropoff', order_id)];
    return withoutAbsent({ pickup_eta, dropoff_eta });
  };
}

/** The arrivals at the stops of a plan, of which these are the deliveries: a driver waits for an agreed pickup. */
function arrivalsOf(
  plan: readonly PlannedStop[],
  deliveries: readonly DeliveryRow[],
  drive: Omit<Drive, 'readyAt'>,
): number[] {
  const ready = new Map(deliveries.map((row) => [row.order_id, deliveryRecord(row).pickup.at ?? 0]));
  const readyAt = ({ kind, order_ids }: PlannedStop) =>
    kind === 'pickup' ? Math.max(...order_ids.map((id) => ready.get(id) ?? 0)) : null;
  return planArrivals(plan, { ...drive, readyAt, arrived_at: arrivedAt(plan, deliveries) });
}

/** Merchants and recipients get a new estimate when it has moved by this since the last one that they got. */
export const announced_ms = 5 * minute_ms;

/** Reads a driver's plan, and estimates its times again, from `at` or else the last position of the driver. */
export async function estimatePlan(context: TransitionContext, driver_id: string, at?: Start): Promise<void> {
  const driver = await loadDriver(context.db, driver_id);
  if (driver === undefined) return;
  const load = await loadDriverLoad(context.db, driver);
  const start = at ?? lastPosition(driver);
  await estimateTimes(context, load, start, minute_ms);
  await scheduleCheck(context, load, { start, checks: 0 });
}

/** Estimates the times of a plan from a place, and writes those that have moved by `least_ms` or more. */
export async function estimateTimes(
  context: TransitionContext,
  load: DriverLoad,
  start: Start,
  least_ms: number,
): Promise<void> {
  const { db, now } = context;
  const drive = { start, now, vehicle: load.driver.vehicle_type, times: context.times };
  const times = expectedTimes(load.stops, load.deliveries, drive);
  const moved = acceptedDeliveries(load).filter((row) => differenceOf(row, times(row.order_id)) >= least_ms);
  const ids = moved.map(({ id }) => id);
  for (const row of await lockDeliveries(db, ids)) await saveTimes(context, row, times(row.order_id));
}

/** By how much the expected times of a delivery move, in milliseconds. */
function differenceOf(row: DeliveryRow, { pickup_eta, dropoff_eta }: Times): number {
  const { pickup, dropoff } = deliveryRecord(row);
  return Math.max(
    Math.abs((pickup_eta ?? pickup.eta) - pickup.eta),
    Math.abs((dropoff_eta ?? dropoff.eta) - dropoff.eta),
  );
}

async function saveTimes(
  context: TransitionContext,
  row: DeliveryRow,
  { pickup_eta, dropoff_eta }: Times,
): Promise<void> {
  const before = deliveryRecord(row);
  const record = {
    ...before,
    pickup: { ...before.pickup, eta: pickup_eta ?? before.pickup.eta },
    dropoff: { ...before.dropoff, eta: dropoff_eta ?? before.dropoff.eta },
    announced_eta: before.announced_eta ?? before.dropoff.eta,
  };
  if (Math.abs(record.dropoff.eta - record.announced_eta) >= announced_ms) {
    await saveDelivery(context, row, record);
    return;
  }
  await saveQuietly(context, row, record);
}

/** How long after its expected time a stop is late. */
const late_ms = minute_ms;
/** The shortest wait before a plan is estimated again without news of its driver; it doubles each time. */
const first_wait_ms = 20_000;
/** The waits add up to 11 hours: after so long without news of its driver, a plan is not estimated again. */
const max_checks = 10;

const check_kind = 'fleet.check';

/**
 * Schedules another estimate of the plan for when its next stop is late, or earlier if one is scheduled. `checks` is
 * 0 after a tap or a position of the driver: the next wait is the shortest again.
 */
async function scheduleCheck(
  { db, chance, now, times }: TransitionContext,
  { driver, stops, deliveries }: DriverLoad,
  { start, checks }: { start: Start; checks: number },
): Promise<void> {
  if (stops.length === 0 || checks > max_checks) return;
  const drive = { start, now, times, vehicle: driver.vehicle_type };
  const [next = now] = arrivalsOf(stops.slice(0, 1), deliveries, drive);
  const latest = Math.max(next + late_ms, now + first_wait_ms * 2 ** checks);
  const [planned] = await tasksOfSubject(db, driver.id, check_kind);
  if (planned !== undefined && planned.due_at <= latest && checks > 0) return;
  const due_at = Math.min(latest, planned?.due_at ?? latest);
  if (planned !== undefined) await deleteTasksOfSubject(db, driver.id, [check_kind]);
  const { id: subject, account_id, test_mode } = driver;
  const id = newId(chance, 'tsk', now, 'check', subject, String(due_at));
  await insertTasks(db, [newTask(check_kind, { id, account_id, test_mode, subject, due_at }, { checks })]);
}

/** Estimates a plan again whose next stop is late. */
export const checkTask: TaskHandler<'fleet.check'> = {
  run: async (service, task) => {
    const { checks } = task.payload;
    const { storage, providers, router } = service;
    const chance = await service.chance();
    await storage.transaction(async (db) => {
      await task.finish(db);
      const driver = await loadDriver(db, task.row.subject);
      if (driver === undefined) return;
      const now = timeOfPeople(service, task);
      const context = { db, chance, now, providers, times: router?.known };
      const load = await loadDriverLoad(db, driver);
      const start = lastPosition(driver);
      await estimateTimes(context, load, start, minute_ms);
      const isHeardOf = (lastPosition(driver)?.at ?? 0) > now - first_wait_ms * 2 ** checks;
      await scheduleCheck(context, load, { start, checks: isHeardOf ? 0 : checks + 1 });
    });
  },
};

/** Compares the plan of a driver with and without these stops of these deliveries. */
export function offerTerms(
  load: DriverLoad,
  { stops, rows }: { stops: readonly PlannedStop[]; rows: readonly DeliveryRow[] },
  drive: { now: number; times?: DrivingTimes | undefined },
): OfferTerms {
  const insertion = planInsertion(load, { now: drive.now, times: drive.times });
  const { start, kept } = insertion;
  const plan = insertStops(load.stops, stops, insertion);
  const endOf = (each: readonly PlannedStop[]) =>
    planArrivals(each, { ...kept, start, times: drive.times }).at(-1) ?? drive.now;
  return {
    minutes: Math.max(1, Math.round((endOf(plan) - endOf(load.stops)) / minute_ms)),
    tenths: Math.max(0, planTenths(plan, start) - planTenths(load.stops, start)),
    tip: rows.reduce((sum, row) => sum + (deliveryRecord(row).tip ?? 0), 0),
  };
}

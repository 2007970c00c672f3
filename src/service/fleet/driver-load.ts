/**
 * The load of a driver: the routes with their deliveries, and the planned stops that are left. Plans are made by the pure
 * functions of `domain/driver-plans.ts`; here they get what is stored, and the driving times that the router has answered
 * before the transaction (`learnWays`). `plan-estimates.ts` estimates when the driver arrives at the stops.
 */

import { Problem } from '../../contract/errors.ts';
import { isEnded, isPickedUp } from '../../domain/delivery-states.ts';
import {
  type Insertion,
  insertStops,
  keepOrders,
  type OfferTerms,
  type PlannedStop,
  planArrivals,
  planTenths,
  separateRecipients,
} from '../../domain/driver-plans.ts';
import { minute_ms } from '../../domain/durations.ts';
import {
  type DrivingTimes,
  type Place,
  type Point,
  positionOfPlace,
  timesOfVehicle,
  type Waypoint,
} from '../../domain/geography.ts';
import type {
  Connection,
  DeliveryRow,
  DriverAssignmentRow,
  DriverRow,
  Scope,
} from '../../storage/database.ts';
import { deliveriesOfRoutes } from '../../storage/deliveries.ts';
import {
  assignmentsOfDrivers,
  driversOnDuty,
  findDriver,
  loadDriver,
  updateDriver,
} from '../../storage/drivers.ts';
import { loadRoute } from '../../storage/routes.ts';
import type { TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import type { Caller } from '../http/handler.ts';
import { routeStops } from '../routes/route.ts';
import type { ServiceContext } from '../runtime/context.ts';

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
    const ofDriver = assignments.filter(({ driver_id }) => driver_id === driver.id);
    const inState = (state: DriverAssignmentRow['state']) =>
      ofDriver.filter(
        (each) => each.state === state && open.some(({ route_id }) => route_id === each.route_id),
      );
    const [offered, accepted] = [inState('offered'), inState('accepted')];
    const isOneOf = (list: readonly DriverAssignmentRow[]) => (row: DeliveryRow) =>
      list.some(({ route_id }) => route_id === row.route_id);
    const stops = remainingStops(planOf(driver), open.filter(isOneOf(accepted)));
    return { driver, offered, accepted, deliveries: open.filter(isOneOf(ofDriver)), stops };
  });
}

async function openDeliveriesOf(
  db: Connection,
  assignments: readonly DriverAssignmentRow[],
): Promise<DeliveryRow[]> {
  const route_ids = assignments.map(({ route_id }) => route_id);
  return (await deliveriesOfRoutes(db, route_ids)).filter(({ status }) => !isEnded(status));
}

/** The deliveries of a driver that have not ended, with those of routes that are held until it is nearly time. */
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

/** The stops of the offered routes of a driver, each pickup before its dropoff. */
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

/** The conditions for adding stops to a driver's plan: from the last position, and the promises of the plan are kept. */
export function planInsertion(
  load: DriverLoad,
  { now, times }: Pick<TransitionContext, 'now' | 'times'>,
): Required<Insertion> {
  const { driver, stops, deliveries } = load;
  const vehicle = driver.vehicle_type;
  const promises = new Map(deliveries.map(({ order_id, promised_at }) => [order_id, promised_at]));
  return {
    start: lastPosition(driver),
    fixed: countFixedStops(load),
    times: timesOfVehicle(vehicle, times),
    kept: { now, vehicle, promises, arrived_at: arrivedAt(stops, deliveries) },
  };
}

const arrived: readonly DeliveryRow['status'][] = ['arrived_at_pickup', 'arrived_at_dropoff'];
const moving: readonly DeliveryRow['status'][] = ['enroute_pickup', 'enroute_dropoff', ...arrived];

/** The deliveries of the first stop of a plan that are in one of these statuses. */
function deliveriesAtFirstStop(
  [first]: readonly PlannedStop[],
  deliveries: readonly DeliveryRow[],
  statuses: readonly DeliveryRow['status'][],
): DeliveryRow[] {
  return deliveries.filter(
    ({ order_id, status }) => first?.order_ids.includes(order_id) === true && statuses.includes(status),
  );
}

/** The number of stops at the beginning of a plan that the driver is already under way to or at. */
export function countFixedStops({ stops, deliveries }: DriverLoad): number {
  return deliveriesAtFirstStop(stops, deliveries, moving).length > 0 ? 1 : 0;
}

/** When the driver arrived at the first stop; null on the way to it. */
export function arrivedAt(stops: readonly PlannedStop[], deliveries: readonly DeliveryRow[]): number | null {
  const times = deliveriesAtFirstStop(stops, deliveries, arrived).map(
    (row) => deliveryRecord(row).reported_at,
  );
  return times.length === 0 ? null : Math.min(...times);
}

/** Adds to a driver's plan the return of each delivery that goes back to its pickup place, after all other stops. */
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

interface PlanScope {
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
  { scope, route_id, driver_id = null, stops = [] }: PlanScope,
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

/** What an offer takes and brings: the plan of a driver with its stops, compared with the plan without them. */
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

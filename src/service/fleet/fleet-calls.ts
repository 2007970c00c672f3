/**
 * A merchant's own drivers as a provider (`providers/port.ts`): the fleet quotes, takes and cancels routes as a courier
 * does. `quoteRoute` finds the driver who could take a route soonest; `takeRoute` gives it to the named driver, holds it
 * until it is nearly time, or offers it (`offers.ts`).
 */
import { fleet_provider } from '../../contract/vocabulary.ts';
import { isPickedUp } from '../../domain/delivery-states.ts';
import { insertStops, type PlannedStop, planArrivals } from '../../domain/driver-plans.ts';
import { minute_ms } from '../../domain/durations.ts';
import { coarsestOf } from '../../domain/estimates.ts';
import type { DrivingTimes } from '../../domain/geography.ts';
import { halt_ms } from '../../domain/timetable.ts';
import type {
  CancelAnswer,
  CancelRequest,
  CreateAnswer,
  CreateRequest,
  Declined,
  QuoteAnswer,
  QuoteRequest,
} from '../../providers/port.ts';
import { findAccount } from '../../storage/accounts.ts';
import type {
  Connection,
  DriverAssignmentRow,
  DriverRow,
  OrderRow,
  RouteRow,
  Scope,
} from '../../storage/database.ts';
import { deliveriesOfRoute } from '../../storage/deliveries.ts';
import {
  countUnassigned,
  driversOnDuty,
  findAssignment,
  findDriver,
  hasDrivers,
  insertAssignment,
  lockUnassigned,
} from '../../storage/drivers.ts';
import { loadRoute } from '../../storage/routes.ts';
import type { TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { orderRecord } from '../orders/order.ts';
import { type AccountSettings, readAccountSettings } from '../runtime/account-settings.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { assignRoute, endAssignment, isRouteHeld } from './assignments.ts';
import {
  arrivedAt,
  type DriverLoad,
  lastPosition,
  learnWays,
  loadDrivers,
  offeredStops,
  planInsertion,
} from './driver-load.ts';
import {
  ableDrivers,
  hasRoom,
  max_open_orders,
  offerNext,
  requirementsOf,
  scheduleNextOffer,
} from './offers.ts';

export const noDriverReason = 'no driver on duty can take it';
/** How long a quote of the fleet is valid. */
const quote_life_ms = 10 * minute_ms;
/** How long before its agreed time a scheduled route is offered. */
const ahead_ms = 45 * minute_ms;
/** How long before its expected pickup it is offered, if that is earlier: for a recipient far away it is. */
const ahead_of_pickup_ms = 15 * minute_ms;

/** A quote of the fleet, or why no driver can take the route. */
export async function quoteRoute(service: ServiceContext, request: QuoteRequest): Promise<QuoteAnswer> {
  const scope = { account_id: request.account_id, test_mode: request.test_mode ? 1 : 0 } as const;
  const route = { ...request, order_count: request.orders.length };
  const { stops, driver_id } = request;
  if (route.order_count > max_open_orders && driver_id === undefined) {
    return declined('too_many_stops', `a driver takes ${max_open_orders} orders at most`);
  }
  await learnWays(service, { scope, stops, driver_id });
  const drive = { now: request.now, times: service.router?.known };
  return service.storage.read(async (db) => {
    const named = driver_id === undefined ? undefined : await findDriver(db, scope, driver_id);
    const loads = await loadDrivers(db, named === undefined ? await driversOnDuty(db, scope) : [named]);
    // A named driver takes the route on duty or not, whatever else is planned.
    const [first] = named === undefined ? ableDrivers(loads, route, drive) : loads;
    const unassigned = await countUnassigned(db, scope, fleet_provider);
    const isFree = first !== undefined && (named !== undefined || hasRoom(loads, route, unassigned));
    const is_later = isLater(request);
    if (!isFree && !is_later) return declineNow(loads, route, unassigned);
    const account = await findAccount(db, scope);
    const { fleet } = readAccountSettings(account ?? { settings: '{}' });
    return {
      kind: 'quoted' as const,
      ...costsIn(fleet, request),
      ...timesOf(request, is_later ? undefined : first, drive.times),
      eta_precision: coarsestOf(stops.map((stop) => stop.precision ?? 'zip')),
      expires_at: request.now + quote_life_ms,
    };
  });
}

/** Why none of the drivers can take a route now. */
function declineNow(
  loads: readonly DriverLoad[],
  route: Parameters<typeof hasRoom>[1],
  unassigned: number,
): Declined {
  if (loads.length === 0) return declined('no_courier_free', 'no driver is on duty');
  return hasRoom(loads, { ...route, vehicles: [], largest_size: 'small' }, unassigned)
    ? declined('vehicle_not_offered', 'no driver on duty has a vehicle that is large enough')
    : declined('no_courier_free', 'every driver on duty has as many orders as one takes');
}

/** What a route costs by the prices of an account, in cents: as one, and each of its orders alone. */
function costsIn({ per_delivery, per_mile }: AccountSettings['fleet'], request: QuoteRequest) {
  const price = (tenths: number, count: number) =>
    per_delivery * count + Math.round((per_mile * tenths) / 10);
  return {
    cost_of_delivery: price(request.distance_tenths, request.orders.length),
    service_fee: 0,
    order_costs: request.direct_tenths.map((tenths) => price(tenths, 1)),
  };
}

/**
 * Whether a driver on duty has room for the orders of a route with a quote of the fleet. Called in the transaction that
 * dispatches it. A route that is offered later takes no room now.
 */
export async function hasRoomNow(
  { db, now }: Pick<TransitionContext, 'db' | 'now'>,
  scope: Scope,
  { orders, pickup_eta }: { orders: readonly OrderRow[]; pickup_eta: number },
): Promise<boolean> {
  const times = orders.map(orderRecord).flatMap(({ pickup, dropoff }) => pickup.at ?? dropoff.at ?? []);
  if (firstOfferAt({ times, pickup_eta, now }) > now) return true;
  // The lock comes first, so that what others have dispatched meanwhile is seen.
  const unassigned = await lockUnassigned(db, scope, fleet_provider);
  const loads = await loadDrivers(db, await driversOnDuty(db, scope));
  return hasRoom(loads, requirementsOf(orders), unassigned);
}

/** When a route is offered to drivers: a scheduled one is held until then. */
function firstOfferAt(route: { times: readonly number[]; pickup_eta: number; now: number }): number {
  const { times, pickup_eta, now } = route;
  if (times.length === 0) return now;
  return Math.min(Math.min(...times) - ahead_ms, pickup_eta - ahead_of_pickup_ms);
}

function declined(code: Declined['code'], reason: string): Declined {
  return { kind: 'declined', code, reason };
}

/** Whether the route is scheduled for a time at which other drivers may be on duty. */
function isLater({
  pickup_at,
  dropoff_at,
  now,
}: Pick<QuoteRequest, 'pickup_at' | 'dropoff_at' | 'now'>): boolean {
  return (pickup_at ?? dropoff_at ?? now) > now + ahead_ms;
}

/** The times of a route after the other stops of its driver, or at its agreed time if that is later. */
function timesOf(request: QuoteRequest, load: DriverLoad | undefined, times: DrivingTimes | undefined) {
  const { stops, now, pickup_at, dropoff_at } = request;
  const driver: Pick<DriverRow, 'vehicle_type' | 'position'> = load?.driver ?? {
    vehicle_type: 'car',
    position: null,
  };
  const start = lastPosition(driver);
  const plan = load === undefined ? stops : longerPlan(load, stops, { now, times });
  const arrived_at = load === undefined ? null : arrivedAt(plan, load.deliveries);
  const arrivals = planArrivals(plan, { start, now, times, arrived_at, vehicle: driver.vehicle_type });
  const arrivalAt = (stop: QuoteRequest['stops'][number]) => {
    const index = plan.findIndex(
      ({ kind, order_ids }) => kind === stop.kind && order_ids.includes(stop.order_ids[0] ?? ''),
    );
    return (arrivals[index] ?? now) + (stop.kind === 'dropoff' ? halt_ms : 0);
  };
  const earliest = stops.map(arrivalAt);
  const [first = now, last = now] = [earliest[0], earliest.at(-1)];
  const wanted = pickup_at ?? (dropoff_at === null ? first : dropoff_at - (last - first));
  const shift = Math.max(0, wanted - first);
  return {
    pickup_eta: first + shift,
    pickup_time: first + shift,
    dropoff_eta: last + shift,
    stop_etas: earliest.map((at) => at + shift),
  };
}

/** The plan of a driver with the offers that wait for an answer and the stops of a route. */
function longerPlan(
  load: DriverLoad,
  stops: readonly PlannedStop[],
  drive: Parameters<typeof planInsertion>[1],
): PlannedStop[] {
  const insertion = planInsertion(load, drive);
  return insertStops(insertStops(load.stops, offeredStops(load), insertion), stops, insertion);
}

/** Takes a route: gives it to the driver that was named, or offers it to one. A repeat changes nothing. */
export async function takeRoute(service: ServiceContext, request: CreateRequest): Promise<CreateAnswer> {
  const chance = await service.chance();
  const { now, reference, account_id, test_mode, route_id, driver_id = null } = request;
  const scope = { account_id, test_mode: test_mode ? 1 : 0 } as const;
  await learnWays(service, { scope, route_id, driver_id });
  const answer = await service.storage.transaction(async (db) => {
    const earlier = await findAnswer(db, reference);
    if (earlier !== null) return earlier;
    const route = await loadRoute(db, route_id);
    if (route === undefined) return refused('the route no longer exists');
    const context = { db, chance, now, providers: service.providers, times: service.router?.known };
    const pickups = (await deliveriesOfRoute(db, route_id)).map((row) => deliveryRecord(row).pickup.eta);
    const assignment = newAssignment(route, request, Math.min(...pickups));
    if (driver_id !== null) return giveToNamed(context, assignment, driver_id);
    if (!isRouteHeld(assignment, now)) return offerFirst(context, assignment);
    return (await hasDrivers(db, route)) ? holdRoute(context, assignment) : refused('there are no drivers');
  });
  service.wakeup.notify();
  return answer;
}

async function giveToNamed(
  context: TransitionContext,
  assignment: DriverAssignmentRow,
  driver_id: string,
): Promise<CreateAnswer> {
  const { db, now } = context;
  const driver = await findDriver(db, assignment, driver_id);
  if (driver === undefined) return refused('the driver was removed');
  if (isRouteHeld(assignment, now)) return holdRoute(context, { ...assignment, state: 'planned', driver_id });
  await insertAssignment(db, { ...assignment, answer_by: null });
  await assignRoute(context, assignment, driver);
  return accepted(assignment.dispatch_id);
}

/** Has a scheduled route wait until it is offered, or given to the driver that it names. */
async function holdRoute(context: TransitionContext, assignment: DriverAssignmentRow): Promise<CreateAnswer> {
  await insertAssignment(context.db, assignment);
  await scheduleNextOffer(context, assignment);
  return accepted(assignment.dispatch_id);
}

async function offerFirst(
  context: TransitionContext,
  assignment: DriverAssignmentRow,
): Promise<CreateAnswer> {
  const { db } = context;
  const on_duty = await driversOnDuty(db, assignment);
  if (on_duty.length === 0) return refused('no driver is on duty');
  await insertAssignment(db, assignment);
  if (await offerNext(context, assignment)) return accepted(assignment.dispatch_id);
  await endAssignment(context, assignment);
  return refused(noDriverReason);
}

function newAssignment(route: RouteRow, request: CreateRequest, pickup_eta: number): DriverAssignmentRow {
  const { account_id, test_mode, id: route_id } = route;
  const { now, orders } = request;
  const times = orders.flatMap(({ pickup_at, dropoff_at }) => pickup_at ?? dropoff_at ?? []);
  return {
    dispatch_id: request.reference,
    account_id,
    test_mode,
    route_id,
    driver_id: null,
    state: 'offered',
    offer: 0,
    answer_by: firstOfferAt({ times, pickup_eta, now }),
    passed: '[]',
    created_at: now,
    updated_at: now,
  };
}

/** The answer to an earlier create, for its repeat; null without one. A route that was taken stays taken. */
export async function findAnswer(db: Connection, reference: string): Promise<CreateAnswer | null> {
  const assignment = await findAssignment(db, reference);
  if (assignment === undefined) return null;
  return assignment.state === 'ended' && assignment.offer === 0
    ? refused(noDriverReason)
    : accepted(reference);
}

function accepted(reference: string): CreateAnswer {
  return { kind: 'accepted', reference, is_offered: true };
}

function refused(reason: string): CreateAnswer {
  return { kind: 'refused', reason };
}

/** A driver who has not picked up drops a stop for free. */
export function cancelAnswer({ status }: CancelRequest): CancelAnswer {
  return isPickedUp(status)
    ? { kind: 'refused', reason: 'the driver has already picked it up' }
    : { kind: 'taken', fee: 0 };
}

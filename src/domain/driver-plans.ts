import type { DriverVehicle, ItemSize, StopKind, VehicleType } from '../contract/vocabulary.ts';
import { type DrivingTimes, timesOfVehicle, wayKey } from './driving-times.ts';
import { legTenths, type Point } from './geography.ts';
import { isLate } from './lateness.ts';
import { halfUp } from './money.ts';

/** A stop that an own driver still has to make. */
export interface PlannedStop extends Point {
  kind: StopKind;
  order_ids: string[];
  address: string;
}

/** Where a driver is: null if unknown. */
type Start = Point | null;

/**
 * Adds the stops of a route in their order, each where it lengthens the way least. A pickup or return joins the planned
 * one at its address. Each recipient is a stop, after the others of the building. The first `fixed` stops stay in
 * front: the driver is under way to them. Returns are made last, as recipients wait for the other stops.
 */
export function insertStops(
  plan: readonly PlannedStop[],
  stops: readonly PlannedStop[],
  { start, fixed, times }: { start: Start; fixed: number; times?: DrivingTimes | undefined },
): PlannedStop[] {
  const own = plan.map((stop) => ({ ...stop, order_ids: [...stop.order_ids] }));
  const ahead = own.filter(({ kind }) => kind !== 'return');
  const returns = own.filter(({ kind }) => kind === 'return');
  let earliest = Math.min(fixed, ahead.length);
  for (const { kind, order_ids, address, lat, lng } of separateRecipients(stops)) {
    const stop = { kind, order_ids: [...order_ids], address, lat, lng };
    if (kind === 'return') addReturn(returns, stop);
    else earliest = Math.max(earliest, addStop(ahead, stop, { start, fixed, earliest, times })) + 1;
  }
  return [...ahead, ...returns];
}

function addReturn(returns: PlannedStop[], stop: PlannedStop): void {
  const twin = returns.find((other) => isSameAddress(other, stop));
  if (twin === undefined) returns.push(stop);
  else twin.order_ids.push(...stop.order_ids);
}

/** Where the driver is, and from which index on a stop may be. */
interface From {
  start: Start;
  earliest: number;
  times: DrivingTimes | undefined;
}

/** Adds a pickup or dropoff to a plan; returns its index. */
function addStop(
  plan: PlannedStop[],
  stop: PlannedStop,
  { fixed, ...from }: From & { fixed: number },
): number {
  const { earliest } = from;
  const twin = plan.findIndex((other, index) => index >= earliest && isSamePickup(other, stop));
  if (twin >= 0) {
    plan[twin]?.order_ids.push(...stop.order_ids);
    return twin;
  }
  const index = indexBeside(plan, stop, fixed) ?? cheapestIndex(plan, stop, from);
  plan.splice(index, 0, stop);
  return index;
}

/** Makes a stop of each recipient: routes have one dropoff for all orders to an address. */
export function separateRecipients(stops: readonly PlannedStop[]): PlannedStop[] {
  return stops.flatMap((stop) =>
    stop.kind === 'dropoff' ? stop.order_ids.map((id) => ({ ...stop, order_ids: [id] })) : [stop],
  );
}

/** The stops with only some of their orders; those without any are left out. */
export function keepOrders(
  stops: readonly PlannedStop[],
  isKept: (order_id: string, kind: PlannedStop['kind']) => boolean,
): PlannedStop[] {
  return stops.flatMap((stop) => {
    const order_ids = stop.order_ids.filter((id) => isKept(id, stop.kind));
    return order_ids.length === 0 ? [] : [{ ...stop, order_ids }];
  });
}

function isSamePickup(left: PlannedStop, right: PlannedStop): boolean {
  return left.kind === 'pickup' && right.kind === 'pickup' && isSameAddress(left, right);
}

function isSameAddress(left: PlannedStop, right: PlannedStop): boolean {
  return left.address.toLowerCase() === right.address.toLowerCase();
}

/** Whether two stops are recipients of one building. */
function isSameBuilding(left: PlannedStop | undefined, right: PlannedStop | undefined): boolean {
  return left?.kind === 'dropoff' && right?.kind === 'dropoff' && isSameAddress(left, right);
}

/** The stops in their order, those to the recipients of a building together. */
export function groupBuildings(plan: readonly PlannedStop[]): PlannedStop[][] {
  const groups: PlannedStop[][] = [];
  for (const stop of plan) {
    const group = groups.at(-1);
    if (group !== undefined && isSameBuilding(group[0], stop)) group.push(stop);
    else groups.push([stop]);
  }
  return groups;
}

/** The plan of a driver who starts to a stop of these orders: that comes first. */
export function startTo(
  plan: readonly PlannedStop[],
  kind: PlannedStop['kind'],
  order_ids: readonly string[],
): PlannedStop[] {
  const isNext = (group: readonly PlannedStop[]) =>
    group.some((stop) => stop.kind === kind && stop.order_ids.some((id) => order_ids.includes(id)));
  const groups = groupBuildings(plan);
  return [...groups.filter(isNext), ...groups.filter((group) => !isNext(group))].flat();
}

/** The index after the last recipient of the stop's building; null without one after its pickup. */
function indexBeside(plan: readonly PlannedStop[], stop: PlannedStop, fixed: number): number | null {
  const last = plan.findLastIndex((other) => isSameBuilding(other, stop));
  const isPickup = ({ kind, order_ids }: PlannedStop) =>
    kind === 'pickup' && stop.order_ids.some((id) => order_ids.includes(id));
  return last >= 0 && last >= plan.findIndex(isPickup) && last >= fixed - 1 ? last + 1 : null;
}

/**
 * The index from `earliest` on at which a stop adds the least time, or distance if no times are known, and stands between no two recipients of a
 * building. Of equal ones a pickup takes the first, a dropoff the last: who ordered before is not overtaken.
 */
function cheapestIndex(
  plan: readonly PlannedStop[],
  stop: PlannedStop,
  { start, earliest, times }: From,
): number {
  let best = plan.length;
  let least = Number.POSITIVE_INFINITY;
  for (let index = earliest; index <= plan.length; index++) {
    const [before, after] = [plan[index - 1], plan[index]];
    if (isSameBuilding(before, after)) continue;
    const added = addedWay(stop, before ?? start, after ?? null, times);
    if (added < least || (added === least && stop.kind === 'dropoff')) [best, least] = [index, added];
  }
  return best;
}

function addedWay(stop: PlannedStop, before: Start, after: Start, times: DrivingTimes | undefined): number {
  const way = (from: Start, to: Start) =>
    times === undefined ? distance(from, to) : driveTime(from, to, { pace: paceOf('car'), times });
  return way(before, stop) + way(stop, after) - way(before, after);
}

/** In milliseconds: as the router says, and otherwise by the distance. */
function driveTime(
  from: Start,
  to: Start,
  { pace, times }: { pace: Pace; times: DrivingTimes | undefined },
): number {
  const known = from === null || to === null ? undefined : times?.get(wayKey(from, to));
  return known ?? travel(pace, distance(from, to));
}

/** In tenths of a mile; 0 from or to an unknown place. */
function distance(from: Start, to: Start): number {
  if (from === null || to === null || (from.lat === to.lat && from.lng === to.lng)) return 0;
  return legTenths(from, to);
}

/** How a plan is driven. */
export interface Drive {
  start: Start;
  now: number;
  vehicle: DriverVehicle;
  /** When the orders of a pickup are ready, if that is agreed; the driver waits for them. */
  readyAt?: (stop: PlannedStop) => number | null;
  /** The driving times that are known. */
  times?: DrivingTimes | undefined;
}

/** The arrivals at the stops of a plan, in milliseconds since the epoch. */
export function planArrivals(
  plan: readonly PlannedStop[],
  { start, now, vehicle, readyAt = () => null, ...drive }: Drive,
): number[] {
  const pace = paceOf(vehicle);
  const times = timesOfVehicle(vehicle, drive.times);
  let at = now;
  return plan.map((stop, index) => {
    const before = plan[index - 1];
    if (before === undefined)
      at += start === null ? travel(pace, APPROACH_TENTHS) : driveTime(start, stop, { pace, times });
    else if (!isSameAddress(before, stop)) at += HALT + driveTime(before, stop, { pace, times });
    at = Math.max(at, readyAt(stop) ?? at);
    return at;
  });
}

function paceOf(vehicle: DriverVehicle): Pace {
  const speed_mph = vehicle === 'bicycle' ? 10 : 18;
  return { speed_mph, assigned_after_minutes: 0, assigned_ahead_minutes: null };
}

/** The vehicles from small to large. */
const bySize = ['bicycle', 'scooter', 'car', 'suv', 'pickup_truck', 'cargo_van', 'box_truck'] as const;

/** Whether a driver's vehicle is as large as the orders require. */
export function isLargeEnough(
  vehicle: DriverVehicle,
  { vehicles, largest_size }: { vehicles: readonly VehicleType[]; largest_size: ItemSize },
): boolean {
  const size = bySize.indexOf(vehicle);
  const isBulky = largest_size === 'large' || largest_size === 'extra_large';
  return vehicles.every((each) => bySize.indexOf(each) <= size) && (!isBulky || size >= 2);
}

/** A driver who may take a route. */
interface Candidate {
  id: string;
  /** The stops that are left. */
  plan: readonly PlannedStop[];
  /** The number of stops at its beginning that stay in front. */
  fixed: number;
  position: Start;
  vehicle: DriverVehicle;
  /** The promised times of the orders in the plan; null without a promise. */
  promises: ReadonlyMap<string, number | null>;
}

/**
 * The candidates in the order in which they are asked about the stops of a route: first those who break no promise of
 * their plan by it, then those whose plan becomes longer by the least time, then those with the fewest stops.
 */
export function rankDrivers<T extends Candidate>(
  candidates: readonly T[],
  stops: readonly PlannedStop[],
  { now, times }: { now: number; times?: DrivingTimes | undefined },
): T[] {
  const ranked = candidates.map((candidate) => ({
    candidate,
    ...effectOf(candidate, stops, { now, times }),
  }));
  return ranked
    .sort(
      (left, right) =>
        left.broken - right.broken ||
        left.added_ms - right.added_ms ||
        left.candidate.plan.length - right.candidate.plan.length ||
        (left.candidate.id < right.candidate.id ? -1 : 1),
    )
    .map(({ candidate }) => candidate);
}

/** The number of promises of a plan that a route breaks, and by how much its last arrival moves. */
function effectOf(
  { plan, fixed, position: start, vehicle, promises }: Candidate,
  stops: readonly PlannedStop[],
  { now, times }: { now: number; times: DrivingTimes | undefined },
): { broken: number; added_ms: number } {
  const longer = insertStops(plan, stops, { start, fixed, times: timesOfVehicle(vehicle, times) });
  const before = planArrivals(plan, { start, now, vehicle, times });
  const after = planArrivals(longer, { start, now, vehicle, times });
  const late = (of: readonly PlannedStop[], arrivals: readonly number[]) =>
    of.filter(({ kind, order_ids: [id = ''] }, index) => {
      const promise = promises.get(id) ?? null;
      return kind === 'dropoff' && isLate(promise === null ? null : (arrivals[index] ?? now) - promise);
    }).length;
  return {
    broken: late(longer, after) - late(plan, before),
    added_ms: (after.at(-1) ?? now) - (before.at(-1) ?? now),
  };
}

const MINUTE = 60_000;
const TENTH_HOURS = 360_000;

/** The distance from every courier to the first pickup, in tenths of a mile. */
export const APPROACH_TENTHS = 20;

/** The time that a courier stays at each stop, in milliseconds. */
export const HALT = 4 * MINUTE;

/** The speed and timing of a courier. Distances in tenths of a mile, times in minutes. */
export interface Pace {
  speed_mph: number;
  /** The speed on longer legs, if it differs. */
  long_leg?: { over_tenths: number; speed_mph: number };
  /** Delay until a driver is assigned; 0 if drivers are assigned only ahead of a scheduled time. */
  assigned_after_minutes: number;
  /** How long before a scheduled pickup the driver is assigned; null if deliveries cannot be scheduled. */
  assigned_ahead_minutes: number | null;
}

/** The requested time, in milliseconds since the epoch; both null: as soon as possible. */
export interface Wish {
  now: number;
  pickup_at: number | null;
  dropoff_at: number | null;
}

/** The expected times of a route, in milliseconds since the epoch. */
export interface Timetable {
  assigned_at: number;
  pickup_eta: number;
  /** The handover at the last stop. */
  dropoff_eta: number;
  /** Arrival at each stop. */
  arrivals: number[];
}

/**
 * Plans a courier's times. A scheduled pickup time is kept; a scheduled dropoff time determines the latest pickup
 * time that still meets it. Times that can no longer be met are planned as soon as possible.
 */
export function planTimes(pace: Pace, stops: readonly { leg_tenths: number }[], wish: Wish): Timetable {
  const offsets = arrivalOffsets(pace, stops);
  const whole = (offsets.at(-1) ?? 0) + HALT;
  const ready = wish.now + pace.assigned_after_minutes * MINUTE;
  const earliest = ready + travel(pace, APPROACH_TENTHS);
  const wanted = wish.pickup_at ?? (wish.dropoff_at === null ? earliest : wish.dropoff_at - whole);
  const pickup_eta = Math.max(wanted, earliest);
  const ahead = pace.assigned_ahead_minutes;
  return {
    assigned_at: ahead === null ? ready : Math.max(ready, pickup_eta - ahead * MINUTE),
    pickup_eta,
    dropoff_eta: pickup_eta + whole,
    arrivals: offsets.map((offset) => pickup_eta + offset),
  };
}

/** When each stop is completed: arrival for a pickup, handover for a dropoff. */
export function stopEtas(
  stops: readonly { kind: 'pickup' | 'dropoff' }[],
  arrivals: readonly number[],
): number[] {
  return stops.map(({ kind }, index) => (arrivals[index] ?? 0) + (kind === 'dropoff' ? HALT : 0));
}

/** Milliseconds from the arrival at the first stop to the arrival at each stop. */
function arrivalOffsets(pace: Pace, stops: readonly { leg_tenths: number }[]): number[] {
  let offset = 0;
  return stops.map((stop, index) => {
    // Consecutive stops at the same address need no driving and no additional time.
    if (index > 0 && stop.leg_tenths > 0) offset += HALT + travel(pace, stop.leg_tenths);
    return offset;
  });
}

/** The driving time in milliseconds for a distance in tenths of a mile. */
export function travel(pace: Pace, tenths: number): number {
  const { long_leg } = pace;
  const long = long_leg !== undefined && tenths > long_leg.over_tenths;
  return halfUp(tenths * TENTH_HOURS, long ? long_leg.speed_mph : pace.speed_mph);
}

import type { DriverVehicle, ItemSize, StopKind, VehicleType } from '../contract/vocabulary.ts';
import { isSameAddress } from './addresses.ts';
import { type DrivingTimes, legTenths, type Point, timesOfVehicle, wayKey } from './geography.ts';
import { halfUp } from './money.ts';

/** A stop that an own driver still has to make. */
export interface PlannedStop extends Point {
  kind: StopKind;
  order_ids: string[];
  address: string;
}

/** Where a driver is: null if unknown. */
type Start = Point | null;

/** How stops are added to a plan. */
export interface Insertion {
  start: Start;
  /** The first stops that stay in front: the driver is under way to them. */
  fixed: number;
  /** The driving times that are known for the vehicle. */
  times?: DrivingTimes | undefined;
  /** The promises to the recipients in the plan. Absent: only the added driving counts. */
  kept?: Kept;
}

interface Kept extends Pick<Drive, 'now' | 'vehicle' | 'arrived_at'> {
  /** The promised times of orders; null without a promise. */
  promises: ReadonlyMap<string, number | null>;
}

/**
 * Adds the stops of a route in their order, each where it makes others late by the least time in all, and of those
 * where it lengthens the way least. A pickup or return joins the planned one at its address. Each recipient is a stop,
 * after the others of the building. Returns are made last, as recipients wait for the other stops.
 */
export function insertStops(
  plan: readonly PlannedStop[],
  stops: readonly PlannedStop[],
  { fixed, ...from }: Insertion,
): PlannedStop[] {
  const own = plan.map((stop) => ({ ...stop, order_ids: [...stop.order_ids] }));
  const ahead = own.filter(({ kind }) => kind !== 'return');
  const returns = own.filter(({ kind }) => kind === 'return');
  let earliest = Math.min(fixed, ahead.length);
  for (const { kind, order_ids, address, lat, lng } of separateRecipients(stops)) {
    const stop = { kind, order_ids: [...order_ids], address, lat, lng };
    if (kind === 'return') addReturn(returns, stop);
    else earliest = Math.max(earliest, addStop(ahead, stop, { ...from, fixed, earliest }) + 1);
  }
  return [...ahead, ...returns];
}

function addReturn(returns: PlannedStop[], stop: PlannedStop): void {
  const twin = returns.find((other) => isSameAddress(other, stop));
  if (twin === undefined) returns.push(stop);
  else twin.order_ids.push(...stop.order_ids);
}

/** How one stop is added, at the index `earliest` or a later one. */
interface From extends Omit<Insertion, 'fixed'> {
  earliest: number;
}

/** Adds a pickup or dropoff to a plan; returns its index. */
function addStop(
  plan: PlannedStop[],
  stop: PlannedStop,
  { fixed, ...from }: From & { fixed: number },
): number {
  const { earliest } = from;
  // Also the pickup that the driver is under way to.
  const first = earliest === fixed ? 0 : earliest;
  const twin = plan.findIndex((other, index) => index >= first && isSamePickup(other, stop));
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

/**
 * The plan of a driver who starts to a stop of these orders: that comes first, with the recipients of its building that
 * have nothing left to pick up.
 */
export function startTo(
  plan: readonly PlannedStop[],
  kind: PlannedStop['kind'],
  order_ids: readonly string[],
): PlannedStop[] {
  const waiting = plan.filter((stop) => stop.kind === 'pickup').flatMap((stop) => stop.order_ids);
  const isStarted = (stop: PlannedStop) =>
    stop.kind === kind && stop.order_ids.some((id) => order_ids.includes(id));
  const isNext = (stop: PlannedStop, group: readonly PlannedStop[]) =>
    isStarted(stop) || (group.some(isStarted) && !stop.order_ids.some((id) => waiting.includes(id)));
  const groups = groupBuildings(plan);
  const next = groups.flatMap((group) => group.filter((stop) => isNext(stop, group)));
  return [...next, ...plan.filter((stop) => !next.includes(stop))];
}

/** The index after the last recipient of the stop's building; null without one after its pickup. */
function indexBeside(plan: readonly PlannedStop[], stop: PlannedStop, fixed: number): number | null {
  const last = plan.findLastIndex((other) => isSameBuilding(other, stop));
  const isPickup = ({ kind, order_ids }: PlannedStop) =>
    kind === 'pickup' && stop.order_ids.some((id) => order_ids.includes(id));
  return last >= 0 && last >= plan.findIndex(isPickup) && last >= fixed - 1 ? last + 1 : null;
}

/**
 * The index from `earliest` on at which a stop makes others late by the least time in all, and of those the one at
 * which it adds the least time, or distance if no times are known. It stands between no two recipients of a building.
 * Of equal ones a pickup takes the first, a dropoff the last: who ordered before is not overtaken.
 */
function cheapestIndex(plan: readonly PlannedStop[], stop: PlannedStop, from: From): number {
  const { start, earliest, times } = from;
  const lateAt = lateness(plan, stop, from);
  let best = plan.length;
  let [least_late, least] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let index = earliest; index <= plan.length; index++) {
    const [before, after] = [plan[index - 1], plan[index]];
    if (isSameBuilding(before, after)) continue;
    const added = addedWay(stop, before ?? start, after ?? null, times);
    const late = lateAt(index);
    const isLess = late < least_late || (late === least_late && added < least);
    const isLast = late === least_late && added === least && stop.kind === 'dropoff';
    if (isLess || isLast) [best, least_late, least] = [index, late, added];
  }
  return best;
}

/** Returns the lateness that a stop adds at an index to the promised deliveries after it, in milliseconds in all. */
function lateness(
  plan: readonly PlannedStop[],
  stop: PlannedStop,
  { start, times, kept }: From,
): (index: number) => number {
  if (kept === undefined) return () => 0;
  const { promises, ...driven } = kept;
  const arrivals = planArrivals(plan, { ...driven, start, times });
  const pace = paceOf(kept.vehicle);
  const way = (from: Start, to: Start) => driveTime(from, to, { pace, times });
  return (index) => {
    const [before, after] = [plan[index - 1] ?? start, plan[index]];
    if (after === undefined) return 0;
    const added = HALT + way(before, stop) + way(stop, after) - way(before, after);
    const delays = plan.slice(index).map(({ kind, order_ids: [id = ''] }, place) => {
      const promise = promises.get(id) ?? null;
      if (kind !== 'dropoff' || promise === null) return 0;
      const ends_at = (arrivals[index + place] ?? kept.now) + HALT;
      return Math.max(0, ends_at + added - Math.max(promise, ends_at));
    });
    return delays.reduce((sum, each) => sum + each, 0);
  };
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
  /** When the driver arrived at the first stop; null or absent on the way to it. */
  arrived_at?: number | null;
  /** The driving times that are known. */
  times?: DrivingTimes | undefined;
}

/** The arrivals at the stops of a plan, in milliseconds since the epoch. */
export function planArrivals(
  plan: readonly PlannedStop[],
  { start, now, vehicle, readyAt = () => null, arrived_at = null, ...drive }: Drive,
): number[] {
  const pace = paceOf(vehicle);
  const times = timesOfVehicle(vehicle, drive.times);
  let at = now;
  return plan.map((stop, index) => {
    const before = plan[index - 1];
    if (before === undefined && arrived_at !== null) at = arrived_at;
    else if (before === undefined)
      at += start === null ? travel(pace, APPROACH_TENTHS) : driveTime(start, stop, { pace, times });
    else if (!isSameAddress(before, stop))
      at = Math.max(now, at + HALT) + driveTime(before, stop, { pace, times });
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
  /** When the driver arrived at the first stop; null or absent on the way. */
  arrived_at?: number | null;
  /** The promised times of the orders in the plan; null without a promise. */
  promises: ReadonlyMap<string, number | null>;
}

/**
 * The candidates in the order in which they are asked about the stops of a route: first those for whom the time until
 * it is delivered, with the time by which their plan becomes longer, is least; then those with the fewest stops.
 * `insertStops` keeps the promises of a plan if it can, so a driver with a long plan reaches the route late.
 */
export function rankDrivers<T extends Candidate>(
  candidates: readonly T[],
  stops: readonly PlannedStop[],
  { now, times }: { now: number; times?: DrivingTimes | undefined },
): T[] {
  const ranked = candidates.map((candidate) => ({
    candidate,
    cost_ms: costOf(candidate, stops, { now, times }),
  }));
  return ranked
    .sort(
      (left, right) =>
        left.cost_ms - right.cost_ms ||
        left.candidate.plan.length - right.candidate.plan.length ||
        (left.candidate.id < right.candidate.id ? -1 : 1),
    )
    .map(({ candidate }) => candidate);
}

/** The time until the last stop of a route is made, and by how much the last arrival of the plan moves. */
function costOf(
  { plan, fixed, position: start, vehicle, arrived_at, promises }: Candidate,
  stops: readonly PlannedStop[],
  { now, times }: { now: number; times: DrivingTimes | undefined },
): number {
  const driven = { start, now, vehicle, arrived_at: arrived_at ?? null };
  const kept = { ...driven, promises };
  const longer = insertStops(plan, stops, { start, fixed, times: timesOfVehicle(vehicle, times), kept });
  const before = planArrivals(plan, { ...driven, times });
  const after = planArrivals(longer, { ...driven, times });
  const ids = stops.flatMap(({ order_ids }) => order_ids);
  const last = longer.findLastIndex(({ order_ids }) => order_ids.some((id) => ids.includes(id)));
  return (after[last] ?? now) - now + (after.at(-1) ?? now) - (before.at(-1) ?? now);
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

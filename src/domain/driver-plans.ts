/** In which order own drivers make their stops, when, and whom an offer goes to first. */
import type { DriverVehicle, ItemSize, StopKind, VehicleType } from '../contract/vocabulary.ts';
import { isSameAddress } from './addresses.ts';
import { type AreaCentre, type DrivingTimes, legTenths, timesOfVehicle, wayKey } from './geography.ts';
import { approach_tenths, halt_ms, type Speed, travel } from './timetable.ts';

/** What a driver takes on with an offer, about. */
export interface OfferTerms {
  /** By how much the shift gets longer. */
  minutes: number;
  /** By how much the way gets longer, in tenths of a mile. */
  tenths: number;
  /** In cents; 0 if none is known. */
  tip: number;
}

/** A stop that an own driver still has to make. */
export interface PlannedStop extends AreaCentre {
  kind: StopKind;
  order_ids: string[];
  address: string;
}

/** Where a driver is: null if unknown. The address is that of the stop at which the driver is. */
export type Start = (AreaCentre & { address?: string }) | null;

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
  insertion: Insertion,
): PlannedStop[] {
  const own = plan.map((stop) => ({ ...stop, order_ids: [...stop.order_ids] }));
  const ahead = own.filter(({ kind }) => kind !== 'return');
  const returns = own.filter(({ kind }) => kind === 'return');
  let earliest = Math.min(insertion.fixed, ahead.length);
  for (const { kind, order_ids, address, lat, lng, spread_tenths } of separateRecipients(stops)) {
    const area = spread_tenths === undefined ? {} : { spread_tenths };
    const stop = { kind, order_ids: [...order_ids], address, lat, lng, ...area };
    if (kind === 'return') addReturn(returns, stop);
    else earliest = Math.max(earliest, addStop(ahead, stop, insertion, earliest) + 1);
  }
  return [...ahead, ...returns];
}

function addReturn(returns: PlannedStop[], stop: PlannedStop): void {
  const twin = returns.find((other) => isSameAddress(other, stop));
  if (twin === undefined) returns.push(stop);
  else twin.order_ids.push(...stop.order_ids);
}

/** Adds a pickup or dropoff to a plan at the index `earliest` or a later one; returns its index. */
function addStop(plan: PlannedStop[], stop: PlannedStop, insertion: Insertion, earliest: number): number {
  const { fixed } = insertion;
  // Also the pickup that the driver is under way to.
  const first = earliest === fixed ? 0 : earliest;
  const twin = plan.findIndex((other, at) => at >= first && isSamePickup(other, stop));
  if (twin >= 0) {
    plan[twin]?.order_ids.push(...stop.order_ids);
    return twin;
  }
  const index = indexBeside(plan, stop, fixed) ?? cheapestIndex(plan, stop, insertion, earliest);
  plan.splice(index, 0, stop);
  return index;
}

/** Makes a stop of each recipient: routes have one dropoff for all orders to an address. */
export function separateRecipients(stops: readonly PlannedStop[]): PlannedStop[] {
  return stops.flatMap((stop) =>
    stop.kind === 'dropoff' ? stop.order_ids.map((id) => ({ ...stop, order_ids: [id] })) : [stop],
  );
}

function isSamePickup(left: PlannedStop, right: PlannedStop): boolean {
  return left.kind === 'pickup' && right.kind === 'pickup' && isSameAddress(left, right);
}

/** Whether two stops are recipients of one building. */
function isSameBuilding(left: PlannedStop | undefined, right: PlannedStop | undefined): boolean {
  return left?.kind === 'dropoff' && right?.kind === 'dropoff' && isSameAddress(left, right);
}

/** The index after the last recipient of the stop's building; null without one after its pickup. */
function indexBeside(plan: readonly PlannedStop[], stop: PlannedStop, fixed: number): number | null {
  const last = plan.findLastIndex((other) => isSameBuilding(other, stop));
  const pickup = plan.findIndex(({ order_ids }) => stop.order_ids.some((id) => order_ids.includes(id)));
  return last >= Math.max(pickup, fixed - 1, 0) ? last + 1 : null;
}

/**
 * The index from `earliest` on at which a stop makes others late by the least time in all, and of those the one at
 * which it adds the least time, or distance if no times are known. It stands between no two recipients of a building.
 * Of equal ones a pickup takes the first, a dropoff the last: who ordered before is not overtaken.
 */
function cheapestIndex(
  plan: readonly PlannedStop[],
  stop: PlannedStop,
  insertion: Insertion,
  earliest: number,
): number {
  const { start, times } = insertion;
  const lateAt = lateness(plan, stop, insertion);
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
  { start, times, kept }: Insertion,
): (index: number) => number {
  if (kept === undefined) return () => 0;
  const { promises, ...driven } = kept;
  const arrivals = planArrivals(plan, { ...driven, start, times });
  const speed = speedOf(kept.vehicle);
  const way = (from: Start, to: Start) => driveTime(from, to, { speed, times });
  return (index) => {
    const [before, after] = [plan[index - 1] ?? start, plan[index]];
    if (after === undefined) return 0;
    const added = halt_ms + way(before, stop) + way(stop, after) - way(before, after);
    const delays = plan.slice(index).map(({ kind, order_ids: [id = ''] }, place) => {
      const promise = promises.get(id) ?? null;
      if (kind !== 'dropoff' || promise === null) return 0;
      const ends_at = (arrivals[index + place] ?? kept.now) + halt_ms;
      return Math.max(0, ends_at + added - Math.max(promise, ends_at));
    });
    return delays.reduce((sum, each) => sum + each, 0);
  };
}

function addedWay(stop: PlannedStop, before: Start, after: Start, times: DrivingTimes | undefined): number {
  const way = (from: Start, to: Start) =>
    times === undefined ? distance(from, to) : driveTime(from, to, { speed: speedOf('car'), times });
  return way(before, stop) + way(stop, after) - way(before, after);
}

/** In milliseconds: as the router says, and otherwise by the distance. */
function driveTime(
  from: Start,
  to: Start,
  { speed, times }: { speed: Speed; times: DrivingTimes | undefined },
): number {
  if (from === null || to === null) return 0;
  const known = times?.get(wayKey(from, to));
  if (known === undefined) return travel(speed, distance(from, to));
  return Math.max(known, travel(speed, spreadBetween(from, to)));
}

/**
 * In tenths of a mile; 0 from or to an unknown place, and at one address. Of a place of which only the ZIP code is known
 * it is at least the size of that: all its addresses have one position.
 */
function distance(from: Start, to: Start): number {
  if (from === null || to === null || isSamePlace(from, to)) return 0;
  return Math.max(legTenths(from, to), spreadBetween(from, to));
}

/** The length of a plan's way from a place, in tenths of a mile. */
export function planTenths(plan: readonly PlannedStop[], start: Start): number {
  return plan.reduce((sum, stop, index) => sum + distance(plan[index - 1] ?? start, stop), 0);
}

function spreadBetween(from: NonNullable<Start>, to: NonNullable<Start>): number {
  return isSamePlace(from, to) ? 0 : Math.max(from.spread_tenths ?? 0, to.spread_tenths ?? 0);
}

/** Whether this is one address, or one position that is not only that of a ZIP code. */
function isSamePlace(from: NonNullable<Start>, to: NonNullable<Start>): boolean {
  if (isSameAddress({ address: from.address ?? '' }, { address: to.address ?? '' })) return true;
  const isArea = from.spread_tenths !== undefined || to.spread_tenths !== undefined;
  return !isArea && from.lat === to.lat && from.lng === to.lng;
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

/**
 * The plan after a pickup at which some orders were left: the recipients of what is in the vehicle come first, then the
 * driver comes back for the rest.
 */
export function returnForRest(plan: readonly PlannedStop[], picked_ids: readonly string[]): PlannedStop[] {
  const isLeft = (stop: PlannedStop) =>
    stop.kind === 'pickup' && stop.order_ids.some((id) => picked_ids.includes(id));
  const rest = plan.filter(isLeft).flatMap((stop) => stop.order_ids.filter((id) => !picked_ids.includes(id)));
  if (rest.length === 0) return [...plan];
  const isOfRest = ({ kind, order_ids }: PlannedStop) =>
    kind !== 'return' && order_ids.some((id) => rest.includes(id));
  const waiting = plan.filter((stop) => stop.kind === 'pickup').flatMap((stop) => stop.order_ids);
  const isCarried = ({ kind, order_ids }: PlannedStop) =>
    kind === 'dropoff' && order_ids.every((id) => picked_ids.includes(id) || !waiting.includes(id));
  const others = plan.filter((stop) => !isOfRest(stop));
  const last = others.findLastIndex(isCarried);
  return [...others.slice(0, last + 1), ...plan.filter(isOfRest), ...others.slice(last + 1)];
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
  const speed = speedOf(vehicle);
  const times = timesOfVehicle(vehicle, drive.times);
  let at = now;
  return plan.map((stop, index) => {
    const before = plan[index - 1];
    if (before === undefined && arrived_at !== null) at = arrived_at;
    else if (before === undefined)
      at += start === null ? travel(speed, approach_tenths) : driveTime(start, stop, { speed, times });
    else if (!isSameAddress(before, stop))
      at = Math.max(now, at + halt_ms) + driveTime(before, stop, { speed, times });
    at = Math.max(at, readyAt(stop) ?? at);
    return at;
  });
}

function speedOf(vehicle: DriverVehicle): Speed {
  return { speed_mph: vehicle === 'bicycle' ? 10 : 18 };
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
 * it is delivered, with the time by which their plan becomes longer, is least; then those with the fewest stops, and
 * equal ones as they are given.
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
        left.cost_ms - right.cost_ms || left.candidate.plan.length - right.candidate.plan.length,
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

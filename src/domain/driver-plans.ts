import type { DriverVehicle, ItemSize, VehicleType } from '../contract/vocabulary.ts';
import { APPROACH_TENTHS, HALT, type Pace, travel } from './eta.ts';
import { legTenths, type Point } from './geography.ts';

/** A stop that an own driver still has to make. */
export interface PlannedStop extends Point {
  kind: 'pickup' | 'dropoff' | 'return';
  order_ids: string[];
  address: string;
}

/** Where a driver is: null if unknown. */
type Start = Point | null;

/**
 * Adds the stops of a route in their order, each where it lengthens the way least. A stop joins a planned one of its
 * kind at its address. The first `fixed` stops stay in front: the driver is under way to them.
 */
export function insertStops(
  plan: readonly PlannedStop[],
  stops: readonly PlannedStop[],
  { start, fixed }: { start: Start; fixed: number },
): PlannedStop[] {
  const merged = plan.map((stop) => ({ ...stop, order_ids: [...stop.order_ids] }));
  let earliest = Math.min(fixed, merged.length);
  for (const { kind, order_ids, address, lat, lng } of stops) {
    const stop = { kind, order_ids: [...order_ids], address, lat, lng };
    const twin = merged.findIndex((other, index) => index >= earliest && isSameHalt(other, stop));
    const index = twin >= 0 ? twin : cheapestIndex(merged, stop, { start, earliest });
    if (twin >= 0) merged[twin]?.order_ids.push(...stop.order_ids);
    else merged.splice(index, 0, stop);
    earliest = index + 1;
  }
  return merged;
}

function isSameHalt(left: PlannedStop, right: PlannedStop): boolean {
  return left.kind === right.kind && isSameAddress(left, right);
}

function isSameAddress(left: PlannedStop, right: PlannedStop): boolean {
  return left.address.toLowerCase() === right.address.toLowerCase();
}

/** The index from `earliest` on at which a stop adds the least distance; the first of equal ones. */
function cheapestIndex(
  plan: readonly PlannedStop[],
  stop: PlannedStop,
  { start, earliest }: { start: Start; earliest: number },
): number {
  let best = earliest;
  let least = Number.POSITIVE_INFINITY;
  for (let index = earliest; index <= plan.length; index++) {
    const before = plan[index - 1] ?? start;
    const after = plan[index] ?? null;
    const added = distance(before, stop) + distance(stop, after) - distance(before, after);
    if (added < least) [best, least] = [index, added];
  }
  return best;
}

/** In tenths of a mile; 0 from or to an unknown place. */
function distance(from: Start, to: Start): number {
  if (from === null || to === null || (from.lat === to.lat && from.lng === to.lng)) return 0;
  return legTenths(from, to);
}

/** The arrivals at the stops of a plan, in milliseconds since the epoch. */
export function planArrivals(
  plan: readonly PlannedStop[],
  { start, now, vehicle }: { start: Start; now: number; vehicle: DriverVehicle },
): number[] {
  const pace = paceOf(vehicle);
  let at = now;
  return plan.map((stop, index) => {
    const before = plan[index - 1];
    if (before === undefined) at += travel(pace, start === null ? APPROACH_TENTHS : distance(start, stop));
    else if (!isSameAddress(before, stop)) at += HALT + travel(pace, distance(before, stop));
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
export interface Candidate {
  id: string;
  stops_left: number;
  position: Start;
}

/** The candidates in the order in which they are asked: those with the fewest stops first, then the nearest. */
export function rankDrivers<T extends Candidate>(candidates: readonly T[], pickup: Point): T[] {
  const away = ({ position }: Candidate) =>
    position === null ? Number.MAX_SAFE_INTEGER : distance(position, pickup);
  return [...candidates].sort(
    (left, right) =>
      left.stops_left - right.stops_left || away(left) - away(right) || (left.id < right.id ? -1 : 1),
  );
}

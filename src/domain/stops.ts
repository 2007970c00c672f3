import { addressKey } from './addresses.ts';
import { type Coordinates, legTenths, type Place, type Point, positionOfPlace } from './geography.ts';
import { shortestSequence } from './shortest-sequence.ts';

export interface OrderPlaces {
  id: string;
  pickup: Place;
  dropoff: Place;
}

/** One stop of a route, in the order of driving. */
export interface Stop {
  kind: 'pickup' | 'dropoff';
  /** The orders picked up or dropped off here, in the given order. */
  order_ids: string[];
  address: string;
  lat: number;
  lng: number;
  /** Absent for the centre of a ZIP code. */
  precision?: Coordinates['precision'];
  /** The distance from the previous stop in tenths of a mile; 0 for the first stop and at the same address. */
  leg_tenths: number;
  /** The same between the centres of the ZIP codes, if it differs. */
  zip_tenths?: number;
}

/** A stop with the centre of its ZIP code, and its address for comparisons. */
type PlacedStop = Stop & { centre: Point; key: string };

/**
 * Plans the stops of a route: in the given order all pickups, then all dropoffs; optimized, the shortest order found
 * with every pickup before its dropoff. Consecutive stops of one kind at one address are merged.
 */
export function planStops(orders: readonly OrderPlaces[], options: { optimize: boolean }): Stop[] {
  const given = [
    ...orders.map((order) => stopAt('pickup', order.id, order.pickup)),
    ...orders.map((order) => stopAt('dropoff', order.id, order.dropoff)),
  ];
  return withLegs(options.optimize ? optimized(mergeAll(given)) : mergeConsecutive(given));
}

/** The stops with distances between the centres of ZIP codes: simulated couriers charge by them. */
export function zipLegs(stops: readonly Stop[]): Stop[] {
  return stops.map(({ zip_tenths, ...stop }) => ({ ...stop, leg_tenths: zip_tenths ?? stop.leg_tenths }));
}

/** The number of halts: consecutive stops at one address count once. */
export function countHalts(stops: readonly { leg_tenths: number }[]): number {
  return stops.filter(({ leg_tenths }, index) => index === 0 || leg_tenths > 0).length;
}

/** The total distance of a route in tenths of a mile. */
export function totalTenths(stops: readonly { leg_tenths: number }[]): number {
  return stops.reduce((total, stop) => total + stop.leg_tenths, 0);
}

function stopAt(kind: Stop['kind'], id: string, place: Place): PlacedStop {
  const { address, point: centre, coordinates } = place;
  return {
    kind,
    order_ids: [id],
    address,
    ...positionOfPlace(place),
    leg_tenths: 0,
    centre,
    key: addressKey(address),
    ...(coordinates === undefined ? {} : { precision: coordinates.precision }),
  };
}

function mergeConsecutive(stops: readonly PlacedStop[]): PlacedStop[] {
  const merged: PlacedStop[] = [];
  for (const stop of stops) {
    const before = merged.at(-1);
    if (before !== undefined && sameHalt(before, stop)) before.order_ids.push(...stop.order_ids);
    else merged.push(stop);
  }
  return merged;
}

/** Visiting a place twice is never shorter, so stops of one kind at one address are merged. */
function mergeAll(stops: readonly PlacedStop[]): PlacedStop[] {
  const merged: PlacedStop[] = [];
  for (const stop of stops) {
    const twin = merged.find((other) => sameHalt(other, stop));
    if (twin !== undefined) twin.order_ids.push(...stop.order_ids);
    else merged.push(stop);
  }
  return merged;
}

function sameHalt(left: PlacedStop, right: PlacedStop): boolean {
  return left.kind === right.kind && left.key === right.key;
}

function legBetween(from: PlacedStop, to: PlacedStop): number {
  return from.key === to.key ? 0 : legTenths(from, to);
}

function withLegs(stops: readonly PlacedStop[]): Stop[] {
  return stops.map((placed, index) => {
    const { centre, key, ...stop } = placed;
    const before = stops[index - 1];
    if (before === undefined) return stop;
    const leg_tenths = legBetween(before, placed);
    const zip_tenths = before.key === key ? 0 : legTenths(before.centre, centre);
    return { ...stop, leg_tenths, ...(zip_tenths !== leg_tenths && { zip_tenths }) };
  });
}

function optimized(stops: readonly PlacedStop[]): PlacedStop[] {
  const legs = stops.map((from) => stops.map((to) => legBetween(from, to)));
  const earlier = stops.map((stop) => (stop.kind === 'pickup' ? [] : pickupsOf(stop, stops)));
  return shortestSequence({ legs, earlier }).flatMap((index) => stops[index] ?? []);
}

/** The indexes of the pickups of the orders that are dropped off at this stop. */
function pickupsOf(dropoff: Stop, stops: readonly Stop[]): number[] {
  return stops.flatMap((stop, index) => {
    const pickedUp = stop.kind === 'pickup' && stop.order_ids.some((id) => dropoff.order_ids.includes(id));
    return pickedUp ? [index] : [];
  });
}

/** The stops of a route and the distances between them. */
import { addressKey } from './addresses.ts';
import { type Coordinates, legTenths, type Place, type Point, positionOfPlace } from './geography.ts';

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
  /** How large the ZIP code is, if only its centre is known. */
  spread_tenths?: number;
  /** The distance from the previous stop in tenths of a mile; 0 for the first stop and at the same address. */
  leg_tenths: number;
  /** The distance between the centres of the ZIP codes of both stops, if it differs from `leg_tenths`. */
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
  return withLegs(options.optimize ? optimizeStops(mergeAll(given)) : mergeConsecutive(given));
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
    if (before !== undefined && isSameHalt(before, stop)) before.order_ids.push(...stop.order_ids);
    else merged.push(stop);
  }
  return merged;
}

/** Visiting a place twice is never shorter, so stops of one kind at one address are merged. */
function mergeAll(stops: readonly PlacedStop[]): PlacedStop[] {
  const merged: PlacedStop[] = [];
  for (const stop of stops) {
    const twin = merged.find((other) => isSameHalt(other, stop));
    if (twin !== undefined) twin.order_ids.push(...stop.order_ids);
    else merged.push(stop);
  }
  return merged;
}

function isSameHalt(left: PlacedStop, right: PlacedStop): boolean {
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

function optimizeStops(stops: readonly PlacedStop[]): PlacedStop[] {
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

// The shortest path through a set of places under precedence constraints.

/** Places to be ordered, identified by their index in the given order. */
export interface SequenceModel {
  /** The distance between each pair of places, symmetric. */
  legs: readonly (readonly number[])[];
  /** For each place, the places that must come before it. */
  earlier: readonly (readonly number[])[];
}

const max_exact_places = 8;

/**
 * Returns the shortest order of places that keeps precedence: exact for up to eight places, above that the better of
 * two heuristics, never longer than the given order. The given order must keep precedence; it wins ties.
 */
export function shortestSequence(model: SequenceModel): number[] {
  if (model.legs.length <= max_exact_places) return exactSequence(model);
  const given = improvedSequence(
    model,
    model.legs.map((_, place) => place),
  );
  const other = improvedSequence(model, nearestNeighbours(model));
  return sequenceLength(model, other) < sequenceLength(model, given) ? other : given;
}

/** Starts at the first place and always continues with the nearest allowed one. */
function nearestNeighbours(model: SequenceModel): number[] {
  const sequence: number[] = [];
  const left = new Set(model.legs.keys());
  for (;;) {
    const open = [...left].filter((place) => earlierOf(model, place).every((other) => !left.has(other)));
    const next = nearest(model, sequence.at(-1), open);
    if (next === undefined) return sequence;
    sequence.push(next);
    left.delete(next);
  }
}

function nearest(model: SequenceModel, from: number | undefined, places: readonly number[]) {
  return places.reduce<number | undefined>(
    (best, place) =>
      best === undefined || legOf(model, from, place) < legOf(model, from, best) ? place : best,
    undefined,
  );
}

/**
 * Finds the shortest sequence by dynamic programming over the sets of visited places (Held and Karp), in O(n^2 * 2^n)
 * time and O(n * 2^n) memory. Ties are resolved in favor of the given order.
 */
function exactSequence(model: SequenceModel): number[] {
  const places = model.legs.map((_, place) => place);
  const rest = remainders(model, places);
  const sequence: number[] = [];
  let visited = 0;
  while (sequence.length < places.length) {
    const next = nearestUnvisited(model, rest, sequence.at(-1), visited);
    sequence.push(next);
    visited |= 1 << next;
  }
  return sequence;
}

/** For each set of visited places and each last place: the length of the shortest path through the remaining ones. */
function remainders(model: SequenceModel, places: readonly number[]): number[][] {
  const all = (1 << places.length) - 1;
  const rest: number[][] = [];
  rest[all] = places.map(() => 0);
  for (let visited = all - 1; visited > 0; visited--) {
    rest[visited] = places.map((last) => shortestRest(model, rest, last, visited));
  }
  return rest;
}

function shortestRest(model: SequenceModel, rest: number[][], last: number | undefined, visited: number) {
  let shortest = Number.POSITIVE_INFINITY;
  for (const next of model.legs.keys()) {
    if (!isOpen(model, next, visited)) continue;
    shortest = Math.min(shortest, lengthThrough(model, rest, last, visited, next));
  }
  return shortest;
}

function nearestUnvisited(model: SequenceModel, rest: number[][], last: number | undefined, visited: number) {
  const shortest = shortestRest(model, rest, last, visited);
  return model.legs.findIndex(
    (_, next) => isOpen(model, next, visited) && lengthThrough(model, rest, last, visited, next) === shortest,
  );
}

function lengthThrough(
  model: SequenceModel,
  rest: number[][],
  last: number | undefined,
  visited: number,
  next: number,
) {
  return legOf(model, last, next) + (rest[visited | (1 << next)]?.[next] ?? Number.POSITIVE_INFINITY);
}

/** Whether a place is unvisited and all its predecessors are visited. */
function isOpen(model: SequenceModel, place: number, visited: number): boolean {
  if ((visited & (1 << place)) !== 0) return false;
  return earlierOf(model, place).every((other) => (visited & (1 << other)) !== 0);
}

const max_moved_places = 3;

/**
 * Improves a sequence until neither of two moves helps: reversing a stretch (2-opt), and moving up to three neighboring
 * places (or-opt). Every move keeps the precedence of places, which the given sequence must keep; the result is never
 * longer than that.
 */
export function improvedSequence(model: SequenceModel, given: readonly number[]): number[] {
  let sequence = [...given];
  for (;;) {
    while (reverseStretches(model, sequence));
    const moved = moveStretch(model, sequence);
    if (moved === null) return sequence;
    sequence = moved;
  }
}

export function sequenceLength(model: SequenceModel, sequence: readonly number[]): number {
  return sequence.reduce((total, place, index) => total + legOf(model, sequence[index - 1], place), 0);
}

/** Whether every place comes after its predecessors. */
export function keepsPrecedence(model: SequenceModel, sequence: readonly number[]): boolean {
  const seen = new Set<number>();
  for (const place of sequence) {
    if (!earlierOf(model, place).every((other) => seen.has(other))) return false;
    seen.add(place);
  }
  return true;
}

/** The distance between two places; 0 before the first and after the last. */
function legOf(model: SequenceModel, from: number | undefined, to: number | undefined): number {
  return model.legs[from ?? -1]?.[to ?? -1] ?? 0;
}

/** The places that must come before this one. */
function earlierOf(model: SequenceModel, place: number | undefined): readonly number[] {
  return place === undefined ? [] : (model.earlier[place] ?? []);
}

/** Tries to reverse every stretch, in place; true if any reversal shortened the sequence. */
function reverseStretches(model: SequenceModel, sequence: number[]): boolean {
  let changed = false;
  for (let first = 0; first < sequence.length - 1; first++) {
    for (let last = first + 1; last < sequence.length; last++) {
      if (mustFollowInStretch(model, sequence, first, last)) break;
      if (reversalGain(model, sequence, first, last) <= 0) continue;
      sequence.splice(first, last - first + 1, ...sequence.slice(first, last + 1).reverse());
      changed = true;
      break;
    }
  }
  return changed;
}

/** Whether the last place of a stretch must come after another place in it. */
function mustFollowInStretch(model: SequenceModel, sequence: number[], first: number, last: number): boolean {
  const earlier = earlierOf(model, sequence[last]);
  if (earlier.length === 0) return false;
  for (let index = first; index < last; index++) {
    if (earlier.includes(sequence[index] ?? -1)) return true;
  }
  return false;
}

function reversalGain(model: SequenceModel, sequence: number[], first: number, last: number): number {
  const before = sequence[first - 1];
  const behind = sequence[last + 1];
  const now = legOf(model, before, sequence[first]) + legOf(model, sequence[last], behind);
  const then = legOf(model, before, sequence[last]) + legOf(model, sequence[first], behind);
  return now - then;
}

/** Returns the sequence after the first improving move, or null. */
function moveStretch(model: SequenceModel, sequence: readonly number[]): number[] | null {
  for (let size = 1; size <= max_moved_places; size++) {
    for (let first = 0; first + size <= sequence.length; first++) {
      const stretch = sequence.slice(first, first + size);
      const others = [...sequence.slice(0, first), ...sequence.slice(first + size)];
      const saved = insertionCost(model, others, stretch, first);
      const moved = insertBetter(model, others, stretch, saved);
      if (moved !== null) return moved;
    }
  }
  return null;
}

function insertBetter(model: SequenceModel, others: number[], stretch: number[], saved: number) {
  for (let at = 0; at <= others.length; at++) {
    if (insertionCost(model, others, stretch, at) >= saved) continue;
    const moved = [...others.slice(0, at), ...stretch, ...others.slice(at)];
    if (keepsPrecedence(model, moved)) return moved;
  }
  return null;
}

/** How much longer a sequence becomes by inserting a section at an index, without the section's own legs. */
function insertionCost(model: SequenceModel, others: number[], stretch: number[], at: number): number {
  const before = others[at - 1];
  const behind = others[at];
  const detour = legOf(model, before, stretch[0]) + legOf(model, stretch.at(-1), behind);
  return detour - legOf(model, before, behind);
}

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { legTenths } from '../../src/domain/geography.ts';
import {
  countHalts,
  improvedSequence,
  keepsPrecedence,
  type OrderPlaces,
  planStops,
  type SequenceModel,
  type Stop,
  sequenceLength,
  shortestSequence,
  totalTenths,
  zipLegs,
} from '../../src/domain/stops.ts';
import { validOrders } from './valid-orders.ts';

const places = Array.from({ length: 60 }, (_, index) => ({
  address: `${index} Main St`,
  point: { lat: 41.8 + ((index * 37) % 60) / 300, lng: -87.7 + ((index * 23) % 60) / 300 },
}));

function order(id: string, pickup: number, dropoff: number): OrderPlaces {
  const [from, to] = [places[pickup], places[dropoff]];
  if (from === undefined || to === undefined) throw new Error('no such place');
  return { id, pickup: from, dropoff: to };
}

function routes(count: { min: number; max: number }, placeCount: number) {
  const place = fc.integer({ min: 0, max: placeCount - 1 });
  return fc
    .array(fc.tuple(place, place), { minLength: count.min, maxLength: count.max })
    .map((pairs) => pairs.map(([pickup, dropoff], index) => order(`o${index}`, pickup, dropoff)));
}

function position(stops: readonly Stop[], kind: Stop['kind'], id: string): number {
  const found = stops.flatMap((stop, index) =>
    stop.kind === kind && stop.order_ids.includes(id) ? [index] : [],
  );
  expect(found).toHaveLength(1);
  return found[0] ?? -1;
}

function expectPrecedence(orders: readonly OrderPlaces[], stops: readonly Stop[]): void {
  for (const { id } of orders) {
    expect(position(stops, 'pickup', id)).toBeLessThan(position(stops, 'dropoff', id));
  }
}

/** The shortest of all valid sequences, by trying each of them. */
function bruteForce(stops: readonly Stop[]): number {
  const lengthOf = (order: readonly Stop[]) =>
    order.reduce((sum, stop, index) => sum + legTo(order[index - 1], stop), 0);
  return Math.min(...validOrders(stops).map(lengthOf));
}

function legTo(last: Stop | undefined, stop: Stop): number {
  return last === undefined || last.address === stop.address ? 0 : legTenths(last, stop);
}

test('the given order is all pickups, then all dropoffs; consecutive stops at one address are merged', () => {
  const orders = [order('a', 0, 1), order('b', 0, 2), order('c', 3, 2)];
  const stops = planStops(orders, { optimize: false });
  expect(stops.map(({ kind, order_ids, address }) => [kind, order_ids, address])).toEqual([
    ['pickup', ['a', 'b'], '0 Main St'],
    ['pickup', ['c'], '3 Main St'],
    ['dropoff', ['a'], '1 Main St'],
    ['dropoff', ['b', 'c'], '2 Main St'],
  ]);
  expect(stops[0]?.leg_tenths).toBe(0);
  expect(stops.slice(1).every(({ leg_tenths }) => leg_tenths >= 3)).toBe(true);
  expect(totalTenths(stops)).toBe(stops.reduce((sum, stop) => sum + stop.leg_tenths, 0));
});

test('one address is one stop however its street is written', () => {
  const point = { lat: 41.88, lng: -87.64 };
  const pickup = { address: '1 N State Street', point };
  const written = [
    '233 S Wacker Dr, Chicago',
    '233 s. wacker drive, Chicago',
    '233 South Wacker Dr., Chicago',
  ];
  const orders = written.map((address, index) => ({
    id: `o${index}`,
    pickup,
    dropoff: { address, point },
  }));
  const other = {
    id: 'other',
    pickup,
    dropoff: { address: '233 S Wacker Pl, Chicago', point },
  };
  const stops = planStops([...orders, other], { optimize: false });
  expect(stops.map(({ kind, order_ids, leg_tenths }) => [kind, order_ids.length, leg_tenths])).toEqual([
    ['pickup', 4, 0],
    ['dropoff', 3, 3],
    ['dropoff', 1, 3],
  ]);
});

test('consecutive stops at one address are one halt', () => {
  expect(countHalts([0, 0, 3, 0].map((leg_tenths) => ({ leg_tenths })))).toBe(2);
});

test('simulated couriers charge by the centres of ZIP codes, from which only some ways differ', () => {
  const { pickup, dropoff, id } = order('a', 0, 1);
  const coordinates = { lat: pickup.point.lat + 1, lng: pickup.point.lng, precision: 'house' as const };
  const [, byHouse] = planStops([{ id, pickup: { ...pickup, coordinates }, dropoff }], { optimize: false });
  const [, byZip] = planStops([{ id, pickup, dropoff }], { optimize: false });
  expect(byHouse?.leg_tenths).toBeGreaterThan(byZip?.leg_tenths ?? 0);
  expect(byHouse && zipLegs([byHouse])[0]).toEqual(byZip);
  expect(byZip).not.toHaveProperty('zip_tenths');
});

test('stops of one kind at one address stay separate if others lie between them', () => {
  const stops = planStops([order('a', 0, 3), order('b', 1, 3), order('c', 0, 3)], { optimize: false });
  expect(stops.map(({ order_ids }) => order_ids)).toEqual([['a'], ['b'], ['c'], ['a', 'b', 'c']]);
});

test('the distance between two stops at one address is zero', () => {
  const stops = planStops([order('a', 5, 5)], { optimize: true });
  expect(stops.map(({ kind, leg_tenths }) => [kind, leg_tenths])).toEqual([
    ['pickup', 0],
    ['dropoff', 0],
  ]);
});

test('of equally short sequences the given one is used', () => {
  const orders = [order('a', 0, 1), order('b', 0, 1)].map((o) => ({ ...o, dropoff: o.pickup }));
  expect(planStops(orders, { optimize: true })).toEqual(planStops(orders, { optimize: false }));
  const point = { lat: 41, lng: -87 };
  const near = ['a', 'b', 'c'].map((id) => ({
    id,
    pickup: { address: `${id} from`, point },
    dropoff: { address: `${id} to`, point },
  }));
  expect(planStops(near, { optimize: true })).toEqual(planStops(near, { optimize: false }));
});

test('the optimized sequence keeps precedence, visits every order once, and is never longer than the given one', () => {
  fc.assert(
    fc.property(routes({ min: 1, max: 25 }, 60), (orders) => {
      const stops = planStops(orders, { optimize: true });
      expectPrecedence(orders, stops);
      const given = planStops(orders, { optimize: false });
      // Legs are rounded: skipping a second visit can cost a tenth.
      const rounding = given.length - stops.length;
      expect(totalTenths(stops)).toBeLessThanOrEqual(totalTenths(given) + rounding);
    }),
    { numRuns: 60 },
  );
});

test('up to eight stops the optimized sequence is the shortest', () => {
  fc.assert(
    fc.property(routes({ min: 1, max: 4 }, 12), (orders) => {
      const stops = planStops(orders, { optimize: true });
      expectPrecedence(orders, stops);
      expect(totalTenths(stops)).toBe(bruteForce(stops));
    }),
    { numRuns: 80 },
  );
});

test('twenty-five orders with fifty stops become much shorter', () => {
  const orders = Array.from({ length: 25 }, (_, index) => order(`o${index}`, index, 25 + index));
  const stops = planStops(orders, { optimize: true });
  expect(stops).toHaveLength(50);
  expect(totalTenths(stops)).toBeLessThan(totalTenths(planStops(orders, { optimize: false })) / 2);
});

/** Points in a plane; each place of the second half must follow its counterpart in the first. */
function model(points: readonly (readonly [number, number])[]): SequenceModel {
  const half = points.length / 2;
  return {
    legs: points.map(([x, y]) => points.map(([u, v]) => Math.round(Math.hypot(x - u, y - v)))),
    earlier: points.map((_, place) => (place < half ? [] : [place - half])),
  };
}

function models(pairs: number): fc.Arbitrary<SequenceModel> {
  const point = fc.tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 99 }));
  return fc.array(point, { minLength: 2 * pairs, maxLength: 2 * pairs }).map(model);
}

const given = ({ legs }: SequenceModel) => [...legs.keys()];

test('a stop follows those that must precede it, even if it is as near and listed earlier', () => {
  const legs = Array.from({ length: 3 }, () => [3, 3, 3]);
  expect(shortestSequence({ legs, earlier: [[1], [], []] })).toEqual([1, 0, 2]);
  expect(shortestSequence({ legs, earlier: [[], [], []] })).toEqual([0, 1, 2]);
  expect(shortestSequence({ legs: [], earlier: [] })).toEqual([]);
});

test('an improved sequence visits every place once, keeps precedence and is never longer', () => {
  fc.assert(
    fc.property(models(9), (places) => {
      const improved = improvedSequence(places, given(places));
      expect([...improved].sort((a, b) => a - b)).toEqual(given(places));
      expect(keepsPrecedence(places, improved)).toBe(true);
      expect(sequenceLength(places, improved)).toBeLessThanOrEqual(sequenceLength(places, given(places)));
    }),
  );
});

test('the better of two starting sequences is used', () => {
  let [saved, length] = [0, 0];
  fc.assert(
    fc.property(models(9), (places) => {
      const one = sequenceLength(places, improvedSequence(places, given(places)));
      const best = sequenceLength(places, shortestSequence(places));
      expect(best).toBeLessThanOrEqual(one);
      saved += one - best;
      length += best;
      const isEqual = best === one;
      if (isEqual) expect(shortestSequence(places)).toEqual(improvedSequence(places, given(places)));
    }),
    { seed: 1 },
  );
  // Every move counts: without one of them the ways become longer.
  expect([saved, length]).toEqual([1682, 42663]);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  insertStops,
  isLargeEnough,
  type PlannedStop,
  planArrivals,
  planTenths,
  rankDrivers,
  returnForRest,
  startTo,
} from '../../src/domain/driver-plans.ts';
import { wayKey } from '../../src/domain/geography.ts';
import { validOrders } from './valid-orders.ts';

const start = { lat: 41.9, lng: -87.6 };

/** Stops such as `P1:a+b D5:b`: at numbered places on the line, with a letter at another address there. */
const read = (text: string) =>
  text.split(' ').map((written) => {
    const [, kind = 'P', place = '', ids = ''] = /^(.)([^:]*):(.*)$/.exec(written) ?? [];
    const kinds = { P: 'pickup', D: 'dropoff', R: 'return' } as const;
    const named = kind === 'P' ? kinds.P : kind === 'D' ? kinds.D : kinds.R;
    return { ...stop(named, Number.parseFloat(place), ...ids.split('+')), address: `${place} Main St` };
  });

const write = (plan: readonly PlannedStop[]) =>
  plan
    .map(({ kind, address, order_ids }) => {
      const [place] = address.split(' ');
      return `${kind.charAt(0).toUpperCase()}${place}:${order_ids.join('+')}`;
    })
    .join(' ');

test.each([
  [
    'a pickup that a route needs later stays behind its earlier stops',
    'P1:a D5:a',
    'P2:x P1:y',
    0,
    'P1:a P2:x P1:y D5:a',
  ],
  ['the building that the driver has passed', 'P1:a D5:a D6:z', 'P1:b D5:b', 3, 'P1:a+b D5:a D6:z D5:b'],
  ['a pickup takes the first of equal places', 'D2:a D2w:b', 'P2e:x', 0, 'P2e:x D2:a D2w:b'],
  ['a place that is passed costs nothing', 'D1:a D2:b D1w:c D3:d', 'P2e:x', 0, 'D1:a P2e:x D2:b D1w:c D3:d'],
])('stops are added: %s', (_what, plan, added, fixed, expected) => {
  expect(write(insertStops(read(plan), read(added), { start, fixed }))).toBe(expected);
});

test('what was picked up before joins its building, however late that makes others', () => {
  const plan = read('D5:a D6:b');
  const driven = { start, now: 0, vehicle: 'car' } as const;
  const promises = new Map(planArrivals(plan, driven).map((at, index) => [['a', 'b'][index] ?? '', at]));
  for (const fixed of [0, 1]) {
    const insertion = { start, fixed, kept: { ...driven, promises } };
    expect(write(insertStops(plan, read('D5:x'), insertion))).toBe('D5:a D5:x D6:b');
  }
});

test.each([
  ['D5:a', null, {}, {}, 0],
  ['D0:a', start, {}, {}, 0],
  ['D5:a D5w:b', null, {}, {}, 0],
  ['D5:a D5w:b', null, { spread_tenths: 20 }, {}, 20],
  ['D5:a D5w:b', null, {}, { spread_tenths: 20 }, 20],
  ['D5:a D5:b', null, { spread_tenths: 20 }, { spread_tenths: 20 }, 0],
  ['D5:a D5w:b', null, { lat: 41 }, { lat: 41, lng: -87.5 }, 68],
  ['D5:a D5w:b', null, {}, { lng: -87.5 }, 67],
])('the way of %s from %j with %j and %j is %s tenths of a mile', (text, from, first, last, tenths) => {
  const plan = read(text).map((each, index) => ({ ...each, ...(index === 0 ? first : last) }));
  expect(planTenths(plan, from)).toBe(tenths);
});

/** A stop at a place on a line to the north, about 0.7 miles apart. */
function stop(kind: PlannedStop['kind'], place: number, ...order_ids: string[]): PlannedStop {
  return { kind, order_ids, address: `${place} Main St`, lat: 41.9 + place / 100, lng: -87.6 };
}

const namesOf = (plan: readonly PlannedStop[]) =>
  plan.map(({ kind, address, order_ids }) => `${kind} ${address.split(' ')[0]} ${order_ids.join('+')}`);

test('a stop goes where it lengthens the way least, and a pickup at the same place is one stop', () => {
  const plan = [stop('pickup', 1, 'a'), stop('dropoff', 5, 'a')];
  const added = [stop('pickup', 1, 'b'), stop('dropoff', 3, 'b')];
  const inserted = ['pickup 1 a+b', 'dropoff 3 b', 'dropoff 5 a'];
  // Also if the driver is under way to the shop.
  for (const fixed of [0, 1]) expect(namesOf(insertStops(plan, added, { start, fixed }))).toEqual(inserted);
});

test('a later order does not overtake one that is as near', () => {
  const plan = [stop('pickup', 1, 'a'), { ...stop('dropoff', 5, 'a'), address: '5 West St' }];
  const added = [stop('pickup', 1, 'b'), stop('dropoff', 5, 'b')];
  const order = insertStops(plan, added, { start, fixed: 0 }).map(({ order_ids }) => order_ids.join('+'));
  expect(order).toEqual(['a+b', 'a', 'b']);
});

test('the stop that the driver is under way to stays the first', () => {
  const plan = [stop('dropoff', 5, 'a')];
  const added = [stop('pickup', 1, 'b'), stop('dropoff', 2, 'b')];
  expect(namesOf(insertStops(plan, added, { start, fixed: 1 }))).toEqual([
    'dropoff 5 a',
    'pickup 1 b',
    'dropoff 2 b',
  ]);
  expect(namesOf(insertStops(plan, added, { start, fixed: 0 }))[0]).toBe('pickup 1 b');
});

test('who starts to a recipient takes along the neighbors whose parcels are in the car', () => {
  const pickup = stop('pickup', 1, 'b');
  const [a, b, c] = [stop('dropoff', 5, 'a'), stop('dropoff', 5, 'b'), stop('dropoff', 5, 'c')];
  const plan = [stop('dropoff', 2, 'd'), pickup, a, b, c];
  expect(namesOf(startTo(plan, 'dropoff', ['a']))).toEqual([
    'dropoff 5 a',
    'dropoff 5 c',
    'dropoff 2 d',
    'pickup 1 b',
    'dropoff 5 b',
  ]);
  expect(namesOf(startTo(plan, 'dropoff', ['b'])).at(-1)).toBe('pickup 1 b');
});

test.each([
  ['one of three stays', 'P:a+b+c D:a D:b D:c', 'a+b', 'D:a D:b P:a+b+c D:c'],
  ['the rest is on the way between', 'P:a+b+c D:a D:c D:b', 'a+b', 'D:a D:b P:a+b+c D:c'],
  ['nothing stays', 'P:a+b D:a D:b', 'a+b', 'P:a+b D:a D:b'],
  ['another shop between', 'P:a+b P:x D:a D:x D:b', 'a', 'P:x D:a P:a+b D:b D:x'],
  ['what was in the vehicle before', 'P:a+b D:o D:a D:b', 'a', 'D:o D:a P:a+b D:b'],
  ['returns stay last', 'P:a+b D:a D:b R:r', 'a', 'D:a P:a+b D:b R:r'],
  ['what comes back stays last', 'P:a+b D:a D:b P:x D:x R:b', 'a', 'D:a P:a+b D:b P:x D:x R:b'],
  ['what else is in the vehicle', 'P:a+b D:a D:o D:b', 'a', 'D:a D:o P:a+b D:b'],
])('a driver comes back for what was not ready: %s', (_name, before, picked, after) => {
  const kinds = { P: 'pickup', D: 'dropoff', R: 'return' } as const;
  const plan = before.split(' ').map((text) => {
    const [kind = 'P', ids = ''] = text.split(':');
    return stop(kind === 'P' ? kinds.P : kind === 'D' ? kinds.D : kinds.R, ids.length, ...ids.split('+'));
  });
  const written = returnForRest(plan, picked.split('+')).map(
    ({ kind, order_ids }) =>
      `${kind === 'pickup' ? 'P' : kind === 'dropoff' ? 'D' : 'R'}:${order_ids.join('+')}`,
  );
  expect(written.join(' ')).toBe(after);
});

test('whatever is inserted, each pickup precedes its dropoff and nothing is lost', () => {
  const places = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 })), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(places, (routes) => {
      let plan: PlannedStop[] = [];
      for (const [index, [from, to]] of routes.entries()) {
        const order = `o${index}`;
        plan = insertStops(plan, [stop('pickup', from, order), stop('dropoff', to, order)], {
          start,
          fixed: 0,
        });
      }
      const indexOf = (kind: string, order: string) =>
        plan.findIndex((each) => each.kind === kind && each.order_ids.includes(order));
      for (const index of routes.keys()) {
        const [picked, dropped] = [indexOf('pickup', `o${index}`), indexOf('dropoff', `o${index}`)];
        expect(picked).toBeGreaterThanOrEqual(0);
        expect(dropped).toBeGreaterThan(picked);
      }
      expect(plan.flatMap(({ order_ids }) => order_ids)).toHaveLength(2 * routes.length);
    }),
  );
});

test('what is brought back waits until every recipient has theirs, also those of later routes', () => {
  const plan = [stop('dropoff', 5, 'a'), stop('dropoff', 6, 'b')];
  const back = insertStops(plan, [stop('return', 1, 'c')], { start, fixed: 0 });
  expect(namesOf(back)).toEqual(['dropoff 5 a', 'dropoff 6 b', 'return 1 c']);
  const later = insertStops(back, [stop('pickup', 1, 'd'), stop('dropoff', 7, 'd')], { start, fixed: 1 });
  expect(namesOf(later).at(-1)).toBe('return 1 c');
  expect(namesOf(insertStops(later, [stop('return', 1, 'e')], { start, fixed: 0 })).at(-1)).toBe(
    'return 1 c+e',
  );
});

test('recipients of one building are stops of their own that stand together', () => {
  const routes = fc.array(
    fc.record({ places: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }) }),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(routes, (given) => {
      let plan: PlannedStop[] = [];
      for (const [index, { places }] of given.entries()) {
        const orders = places.map((place, at) => ({ id: `o${index}-${at}`, place }));
        // A route has one dropoff for all orders to an address.
        const addresses = [...new Set(places)];
        const dropoffs = addresses.map((place) =>
          stop('dropoff', place, ...orders.filter((each) => each.place === place).map(({ id }) => id)),
        );
        const route = [stop('pickup', 0, ...orders.map(({ id }) => id)), ...dropoffs];
        plan = insertStops(plan, route, { start, fixed: 0 });
      }
      const dropoffs = plan.filter(({ kind }) => kind === 'dropoff');
      expect(dropoffs.every(({ order_ids }) => order_ids.length === 1)).toBe(true);
      expect(plan.filter(({ kind }) => kind === 'pickup')).toHaveLength(1);
      const changes = dropoffs.filter(({ address }, at) => at > 0 && dropoffs[at - 1]?.address !== address);
      expect(changes).toHaveLength(new Set(dropoffs.map(({ address }) => address)).size - 1);
    }),
  );
});

test('arrivals follow the way, a bicycle later than a car, and two stops at one place at once', () => {
  const plan = [stop('pickup', 1, 'a'), stop('dropoff', 1, 'b'), stop('dropoff', 3, 'a')];
  const now = 0;
  const car = planArrivals(plan, { start, now, vehicle: 'car' });
  const bicycle = planArrivals(plan, { start, now, vehicle: 'bicycle' });
  expect(car[0]).toBeGreaterThan(now);
  expect(car[1]).toBe(car[0]);
  expect(car[2]).toBeGreaterThan(car[1] ?? 0);
  expect(bicycle[2]).toBeGreaterThan(car[2] ?? 0);
  const readyAt = ({ kind }: PlannedStop) => (kind === 'pickup' ? 9_000_000 : null);
  expect(planArrivals(plan, { start, now, vehicle: 'car', readyAt })[0]).toBe(9_000_000);
  const [arrived, , last] = planArrivals(plan, { start, now, vehicle: 'car', arrived_at: -60_000 });
  expect(arrived).toBe(-60_000);
  expect(last).toBeGreaterThan(now);
});

/** A driver at a place on the line, or at none, with a plan and promises. */
function candidate(
  id: string,
  place: number | null,
  plan: PlannedStop[] = [],
  promises: [string, number][] = [],
) {
  const position = place === null ? null : { lat: 41.9 + place / 100, lng: -87.6 };
  return { id, position, plan, fixed: 0, vehicle: 'car' as const, promises: new Map(promises) };
}

const route = [stop('pickup', 1, 'new'), stop('dropoff', 2, 'new')];
const asked = (...candidates: ReturnType<typeof candidate>[]) =>
  rankDrivers(candidates, route, { now: 0 }).map(({ id }) => id);

test('the driver whose way becomes longer by the least time is asked first, of equal ones who has fewer stops or comes first', () => {
  expect(asked(candidate('far', 9), candidate('unknown', null), candidate('near', 1))).toEqual([
    'near',
    'unknown',
    'far',
  ]);
  const passing = candidate('passing', 1, [stop('pickup', 1, 'a'), stop('dropoff', 3, 'a')]);
  expect(asked(candidate('idle', 3), passing)).toEqual(['passing', 'idle']);
  const elsewhere = candidate('elsewhere', 1, [stop('pickup', 1, 'a'), stop('dropoff', 9, 'a')]);
  expect(asked(elsewhere, candidate('idle', 1), passing)).toEqual(['elsewhere', 'passing', 'idle']);
  expect(asked(candidate('b', 1), candidate('a', 1))).toEqual(['b', 'a']);
});

test('a stop stands where it makes nobody later than promised, or else where that is least', () => {
  const plan = [stop('dropoff', 20, 'a'), stop('dropoff', 30, 'b')];
  const between = [stop('pickup', 10, 'new'), stop('dropoff', 11, 'new')];
  const { position: start } = candidate('', 3);
  const driven = { start, now: 0, vehicle: 'car' } as const;
  const [first = 0, second = 0] = planArrivals(plan, driven);
  const order = (...promised: [string, number][]) =>
    insertStops(plan, between, { start, fixed: 0, kept: { ...driven, promises: new Map(promised) } })
      .map(({ kind, order_ids: [id = ''] }) => `${kind} ${id}`)
      .join(', ');
  const hour = 3_600_000;
  const inFront = 'pickup new, dropoff new, dropoff a, dropoff b';
  expect(order()).toBe(inFront);
  expect(order(['a', first + hour], ['b', second + hour])).toBe(inFront);
  const last = 'dropoff a, dropoff b, pickup new, dropoff new';
  expect(order(['a', first + 240_000], ['b', second + 240_000])).toBe(last);
  // What is late already is not made later.
  expect(order(['a', 0], ['b', second + hour])).toMatch(/^dropoff a, /);
});

test('a driver with a long plan that keeps its promises is asked after one who is there sooner', () => {
  const plan = [stop('dropoff', 20, 'a'), stop('dropoff', 30, 'b'), stop('dropoff', 4, 'c')];
  const { position: start } = candidate('', 3);
  const arrivals = planArrivals(plan, { start, now: 0, vehicle: 'car' });
  const promises = plan.map(({ order_ids: [id = ''] }, index): [string, number] => [
    id,
    arrivals[index] ?? 0,
  ]);
  const route = [stop('pickup', 4, 'new'), stop('dropoff', 5, 'new')];
  const busy = candidate('busy', 3, plan, promises);
  expect(rankDrivers([busy, candidate('idle', 10)], route, { now: 0 })[0]?.id).toBe('idle');
});

test('a vehicle must be as large as required, and bulky items do not go by bicycle', () => {
  expect(isLargeEnough('cargo_van', { vehicles: ['car', 'suv'], largest_size: 'extra_large' })).toBe(true);
  expect(isLargeEnough('car', { vehicles: ['suv'], largest_size: 'small' })).toBe(false);
  expect(isLargeEnough('bicycle', { vehicles: [], largest_size: 'medium' })).toBe(true);
  expect(isLargeEnough('scooter', { vehicles: [], largest_size: 'large' })).toBe(false);
  expect(isLargeEnough('scooter', { vehicles: [], largest_size: 'extra_large' })).toBe(false);
  expect(isLargeEnough('car', { vehicles: ['car'], largest_size: 'large' })).toBe(true);
});

test('the times of a router decide, and the distance where it knows none', () => {
  const plan = [stop('dropoff', 1, 'a'), stop('dropoff', 4, 'b')];
  const [near, far] = plan;
  if (near === undefined || far === undefined) throw new Error('no stops');
  const minute = 60_000;
  // The bridge to the near stop is closed.
  const times = new Map([
    [wayKey(start, near), 50 * minute],
    [wayKey(far, near), 1 * minute],
    [wayKey(start, far), 5 * minute],
  ]);
  const drive = { start, now: 0, vehicle: 'car' } as const;
  expect(planArrivals([far, near], { ...drive, times })).toEqual([5 * minute, 10 * minute]);
  expect(planArrivals([near], { ...drive, times })).toEqual([50 * minute]);
  expect(planArrivals([near], { ...drive, vehicle: 'bicycle', times })[0]).toBeLessThan(20 * minute);
  const [, unknown = 0] = planArrivals([near, far], { ...drive, times });
  const [, estimated = 0] = planArrivals([near, far], drive);
  const [first = 0] = planArrivals([near], drive);
  expect(unknown - 50 * minute).toBe(estimated - first);
  expect(namesOf(insertStops([far], [near], { start, fixed: 0 }))[0]).toBe('dropoff 1 a');
  expect(namesOf(insertStops([far], [near], { start, fixed: 0, times }))[0]).toBe('dropoff 4 b');
});

/** When the last stop of a plan is reached. */
const endOf = (plan: readonly PlannedStop[]) =>
  planArrivals(plan, { start, now: 0, vehicle: 'car' }).at(-1) ?? 0;

/** Three orders between places of a city, each stop at an address of its own. */
const scattered = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 })), {
    ...{ minLength: 6, maxLength: 6, selector: String },
  })
  .map((places) =>
    places.map(([north, east], index): PlannedStop => {
      const kind = index % 2 === 0 ? 'pickup' : 'dropoff';
      const place = { address: `${north} ${east} St`, lat: 41.8 + north / 400, lng: -87.7 + east / 300 };
      return { kind, order_ids: [`o${Math.floor(index / 2)}`], ...place };
    }),
  );

const added = (stops: readonly PlannedStop[], fixed = 0) => {
  let plan: PlannedStop[] = [];
  for (let index = 0; index < stops.length; index += 2)
    plan = insertStops(plan, stops.slice(index, index + 2), { start, fixed });
  return plan;
};

test('a plan of one order is the shortest, and of three not much longer than brute force finds', () => {
  const ratios: number[] = [];
  fc.assert(
    fc.property(scattered, (stops) => {
      const single = stops.slice(0, 2);
      expect(endOf(added(single))).toBe(endOf(single));
      const ratio = endOf(added(stops)) / Math.min(...validOrders(stops).map(endOf));
      // Orders come one by one, and what the driver was told before is kept in its order.
      expect(ratio).toBeGreaterThanOrEqual(1);
      expect(ratio).toBeLessThan(2);
      ratios.push(ratio);
    }),
    { numRuns: 150, seed: 7 },
  );
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  expect(mean).toBeLessThan(1.1);
});

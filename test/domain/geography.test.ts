import { expect, test } from 'vitest';
import {
  distanceFault,
  givenCoordinates,
  greatCircleMiles,
  isHouse,
  isNearStops,
  legTenths,
  miles,
  pairFaults,
  positionAt,
  positionOfPlace,
} from '../../src/domain/geography.ts';

const chicago = { lat: 41.894742, lng: -87.615073 };
const newYork = { lat: 40.75065, lng: -73.997293 };

test('a great circle is measured on a sphere of 3958.8 miles', () => {
  expect(greatCircleMiles({ lat: 0, lng: 0 }, { lat: 0, lng: 180 })).toBeCloseTo(Math.PI * 3958.8, 6);
  expect(greatCircleMiles({ lat: 0, lng: 0 }, { lat: 1, lng: 0 })).toBeCloseTo((Math.PI * 3958.8) / 180, 6);
  expect(greatCircleMiles(chicago, newYork)).toBeCloseTo(greatCircleMiles(newYork, chicago), 9);
  expect(greatCircleMiles(chicago, newYork)).toBeGreaterThan(700);
});

test('a leg is 1.3 great circles in tenths, at least three', () => {
  expect(legTenths(chicago, newYork)).toBe(Math.round(greatCircleMiles(chicago, newYork) * 13));
  expect(legTenths(chicago, chicago)).toBe(3);
});

test.each([
  [109, '10.9 mi'],
  [100, '10 mi'],
  [3, '0.3 mi'],
])('%i tenths are written %s', (tenths, text) => {
  expect(miles(tenths)).toBe(text);
});

test('coordinates are given together, and are where a courier can be sent if they are a house', () => {
  const given = { lat: 41, lng: -87, precision: 'exact' };
  expect(givenCoordinates({ latitude: 41, longitude: -87 })).toEqual(given);
  expect(givenCoordinates({ latitude: 41 })).toBeUndefined();
  expect(givenCoordinates({ longitude: -87 })).toBeUndefined();
  expect(pairFaults({ latitude: 41, longitude: -87 }, 'dropoff_')).toEqual([]);
  expect(pairFaults({}, 'dropoff_')).toEqual([]);
  const path = 'dropoff_longitude';
  const message = 'is required together with dropoff_latitude';
  expect(pairFaults({ latitude: 41 }, 'dropoff_')).toEqual([{ path, message }]);
  const precisions = ['exact', 'house', 'street', 'zip'] as const;
  expect(precisions.filter(isHouse)).toEqual(['exact', 'house']);
});

test('a place is at its coordinates, or at the centre of its ZIP code', () => {
  const coordinates = { ...newYork, precision: 'house' } as const;
  expect(positionOfPlace({ point: chicago, coordinates })).toEqual(newYork);
  expect(positionOfPlace({ point: chicago })).toMatchObject(chicago);
  const stops = { pickup: { point: chicago }, dropoff: { point: chicago } };
  expect(isNearStops(chicago, stops)).toBe(true);
  expect(isNearStops(newYork, stops)).toBe(false);
  expect(isNearStops(newYork, { ...stops, dropoff: { point: newYork } })).toBe(true);
  expect(distanceFault(chicago, { point: chicago, area: 'Chicago' })).toBeNull();
  expect(distanceFault(newYork, { point: chicago, area: 'Chicago' })).toContain('miles from the centre');
});

const way = [
  { at: 100, lat: 40, lng: -70 },
  { at: 200, lat: 41, lng: -72 },
  { at: 300, lat: 41, lng: -72 },
];

test('a driver has no position before the path begins, is between waypoints on it, and stays at its end', () => {
  expect(positionAt([], 100)).toBeNull();
  expect(positionAt(way, 99)).toBeNull();
  expect(positionAt(way, 100)).toEqual({ lat: 40, lng: -70 });
  expect(positionAt(way, 125)).toEqual({ lat: 40.25, lng: -70.5 });
  expect(positionAt(way, 250)).toEqual({ lat: 41, lng: -72 });
  expect(positionAt(way, 9_999)).toEqual({ lat: 41, lng: -72 });
});

test('a position has six decimals', () => {
  const third = positionAt(
    [
      { at: 0, lat: 0, lng: 0 },
      { at: 3, lat: 1, lng: 1 },
    ],
    1,
  );
  expect(third).toEqual({ lat: 0.333333, lng: 0.333333 });
});

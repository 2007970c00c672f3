import { expect, test } from 'vitest';
import { positionAt } from '../../src/domain/geography.ts';

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

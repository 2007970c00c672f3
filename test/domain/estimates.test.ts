import { expect, test } from 'vitest';
import { etaPrecision, etaWindow, roughLeft } from '../../src/domain/estimates.ts';

const minute = 60_000;

test.each([
  ['fleet', 'delivery_created', 'exact', 'exact', null],
  ['fleet', 'delivery_created', 'exact', 'house', null],
  ['fleet', 'delivery_created', 'exact', 'street', 'street'],
  ['fleet', 'delivery_created', 'zip', 'street', 'zip'],
  ['fleet', 'enroute_pickup', 'zip', 'house', 'zip'],
  // After the pickup its place no longer counts.
  ['fleet', 'pickup_complete', 'zip', 'house', null],
  ['fleet', 'enroute_dropoff', 'zip', 'zip', 'zip'],
  ['fleet', 'delivered', 'zip', 'zip', null],
  ['fleet', 'failed', 'zip', 'zip', null],
  // Couriers of companies know where they go.
  ['swiftly', 'enroute_dropoff', 'zip', 'zip', null],
  ['', 'request', 'zip', 'zip', null],
] as const)('%s in %s from %s to %s: %s', (service, status, pickup, dropoff, expected) => {
  expect(etaPrecision({ service, status }, { pickup, dropoff })).toBe(expected);
});

test('a window is a quarter of an hour in steps of five minutes, with the time in its middle third', () => {
  for (let eta = 0; eta < 60 * minute; eta += 7_000) {
    const { from, to } = etaWindow(eta);
    expect([from % (5 * minute), to - from]).toEqual([from < 0 ? -0 : 0, 15 * minute]);
    expect(eta - from).toBeGreaterThanOrEqual(5 * minute);
    expect(to - eta).toBeGreaterThan(5 * minute);
  }
});

test.each([
  [1_000, 5],
  [5.4, 5],
  [8, 10],
  [13, 15],
  [61, 60],
])('%d is about %d minutes', (left, expected) => {
  expect(roughLeft(left < 1000 ? left * minute : left)).toBe(expected * minute);
});

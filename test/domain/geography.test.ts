import { expect, test } from 'vitest';
import { greatCircleMiles, legTenths, miles } from '../../src/domain/geography.ts';

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

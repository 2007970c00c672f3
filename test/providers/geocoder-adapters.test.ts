import { expect, test } from 'vitest';
import { census, nominatim } from '../../src/providers/geocoder-adapters.ts';
import { addressParts, choosePlace, NotAnAnswer } from '../../src/providers/place-services.ts';
import { nominatimPlace } from '../fakes/places/geocoder.ts';

function parts(address: string) {
  const found = addressParts(address);
  if (found === null) throw new Error('no street');
  return found;
}

const tower = parts('233 S Wacker Dr, Chicago, IL 60606, USA');
const area = { point: { lat: 41.881259, lng: -87.637452 }, state: 'IL' };
const read = (...places: object[]) => nominatim.read(JSON.stringify(places), tower);

test('asks for street, city and state in the documented form', () => {
  const url = new URL(nominatim.pathOf(tower), 'http://geocoder.example');
  expect(url.pathname).toBe('/search');
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    ...{ format: 'jsonv2', addressdetails: '1', countrycodes: 'us' },
    ...{ street: '233 S Wacker Dr', city: 'Chicago', state: 'IL' },
  });
  expect(url.searchParams.has('postalcode')).toBe(false);
  const bare = new URL(nominatim.pathOf(parts('12 Main St, 60606')), 'http://geocoder.example');
  expect(Object.fromEntries(bare.searchParams)).toMatchObject({ street: '12 Main St', postalcode: '60606' });
});

test.each([
  ['233 S Wacker Dr, Apt 5, Chicago, IL 60606', '233 S Wacker Dr', '233'],
  ['233 S Wacker Dr Apt 5B, Chicago, IL 60606', '233 S Wacker Dr', '233'],
  ['233 S Wacker Dr #5, Chicago, IL 60606', '233 S Wacker Dr', '233'],
  ['Suite 4, 12A Main St, Chicago, IL', '12A Main St', '12A'],
  ['Navy Pier, Chicago, IL 60611', 'Navy Pier', ''],
  ['221-23 Horace Harding Expy, Queens, NY', '221-23 Horace Harding Expy', '221-23'],
])('%s: the street is %s', (address, street, house_number) => {
  expect(parts(address)).toMatchObject({ street, house_number });
});

test('a house only if the number is the one that was asked for', () => {
  const at = { lat: 41.8789, lon: -87.6359 };
  expect(read(nominatimPlace(at))).toEqual([
    { lat: 41.8789, lng: -87.6359, precision: 'house', state: 'IL' },
  ]);
  const precision = (changes: object) => read(nominatimPlace({ ...at, ...changes }))[0]?.precision;
  expect(precision({ address: { house_number: '235' } })).toBe('street');
  expect(precision({ address: { house_number: '231;233' } })).toBe('house');
  // A number that is estimated between two others.
  expect(precision({ category: 'place', type: 'house', osm_type: 'way' })).toBe('street');
  const street = nominatimPlace({ ...at, addresstype: 'road', place_rank: 26 });
  expect(read({ ...street, address: { ...street.address, house_number: undefined } })).toMatchObject([
    { precision: 'street' },
  ]);
});

test('a postal code or a city is no place, and bodies that are no list are no answer', () => {
  const city = nominatimPlace({ lat: 41.8, lon: -87.6, addresstype: 'postcode' });
  expect(read({ ...city, address: { postcode: '60606', country_code: 'us' } })).toEqual([]);
  expect(read()).toEqual([]);
  expect(read({ lat: 'x' })).toEqual([]);
  for (const body of ['<html>Access blocked</html>', '{"error":{"code":400}}'])
    expect(() => nominatim.read(body, tower)).toThrow(NotAnAnswer);
});

test('the nearest house of the right state is chosen', () => {
  const place = (lat: number, changes: Record<string, string> = {}) =>
    nominatimPlace({ lat, lon: -87.6359, address: changes });
  const choose = (...places: object[]) => choosePlace(read(...places), area);
  expect(choose(place(41.7), place(41.879))).toMatchObject({ lat: 41.879, precision: 'house' });
  expect(choose(place(41.88, { house_number: '1' }), place(41.7))).toMatchObject({ lat: 41.7 });
  expect(choose()).toEqual({ problem: 'not_found' });
  expect(choose(place(41.88, { 'ISO3166-2-lvl4': 'US-IN' }))).toEqual({ problem: 'other_state' });
  expect(choose(place(41.88, { country_code: 'ca', 'ISO3166-2-lvl4': 'CA-ON' }))).toEqual({
    problem: 'other_state',
  });
  expect(choose(place(42.5))).toEqual({ problem: 'too_far' });
});

const house = parts('1600 Pennsylvania Avenue NW, Washington, DC 20502');

/** After the documented sample of an answer. */
const match = {
  matchedAddress: '1600 PENNSYLVANIA AVE NW, WASHINGTON, DC, 20502',
  coordinates: { x: -77.03535, y: 38.898754 },
  tigerLine: { tigerLineId: '76225813', side: 'L' },
  addressComponents: {
    fromAddress: '1600',
    toAddress: '1698',
    state: 'DC',
    city: 'WASHINGTON',
    zip: '20502',
  },
};
const body = (...addressMatches: object[]) => JSON.stringify({ result: { input: {}, addressMatches } });

test('the Census is asked in the documented form', () => {
  const url = new URL(census.pathOf(house), 'https://census.example');
  expect(url.pathname).toBe('/geocoder/locations/address');
  expect(Object.fromEntries(url.searchParams)).toEqual({
    ...{ street: '1600 Pennsylvania Avenue NW', city: 'Washington', state: 'DC', zip: '20502' },
    ...{ benchmark: 'Public_AR_Current', format: 'json' },
  });
});

test('a match of the Census is estimated along its street, longitude first', () => {
  expect(census.read(body(match), house)).toEqual([
    { lat: 38.898754, lng: -77.03535, precision: 'street', state: 'DC' },
  ]);
  expect(census.read(body(), house)).toEqual([]);
});

test('of several matches of the Census those with the same ZIP code count', () => {
  const other = {
    ...match,
    coordinates: { x: -76.9, y: 38.9 },
    addressComponents: { ...match.addressComponents, zip: '20019' },
  };
  expect(census.read(body(other, match), house)).toHaveLength(1);
  expect(census.read(body(other, other), house)).toHaveLength(2);
});

test('a page or an error of the Census is no answer', () => {
  for (const text of ['<html></html>', '{"errors":["Address cannot be empty"],"status":"400"}'])
    expect(() => census.read(text, house)).toThrow(NotAnAnswer);
});

import { expect, test } from 'vitest';
import { census } from '../../../src/providers/geocoders/census.ts';
import { addressParts, NotAnAnswer } from '../../../src/providers/geocoders/geocoder.ts';

const parts = addressParts('1600 Pennsylvania Avenue NW, Washington, DC 20502');
if (parts === null) throw new Error('no street');

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

test('asks in the documented form', () => {
  const url = new URL(census.pathOf(parts), 'https://census.example');
  expect(url.pathname).toBe('/geocoder/locations/address');
  expect(Object.fromEntries(url.searchParams)).toEqual({
    ...{ street: '1600 Pennsylvania Avenue NW', city: 'Washington', state: 'DC', zip: '20502' },
    ...{ benchmark: 'Public_AR_Current', format: 'json' },
  });
});

test('a match is estimated along its street, longitude first', () => {
  expect(census.read(body(match), parts)).toEqual([
    { lat: 38.898754, lng: -77.03535, precision: 'street', state: 'DC' },
  ]);
  expect(census.read(body(), parts)).toEqual([]);
});

test('of several matches those with the same ZIP code count', () => {
  const other = {
    ...match,
    coordinates: { x: -76.9, y: 38.9 },
    addressComponents: { ...match.addressComponents, zip: '20019' },
  };
  expect(census.read(body(other, match), parts)).toHaveLength(1);
  expect(census.read(body(other, other), parts)).toHaveLength(2);
});

test('a page or an error is no answer', () => {
  for (const text of ['<html></html>', '{"errors":["Address cannot be empty"],"status":"400"}'])
    expect(() => census.read(text, parts)).toThrow(NotAnAnswer);
});

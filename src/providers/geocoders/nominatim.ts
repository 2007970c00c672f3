/**
 * Nominatim: https://nominatim.org/release-docs/latest/api/Search/. An unknown house number yields the street, and
 * numbers in the USA may be estimated.
 */
import { fieldsOf, type JsonFields, textAt } from '../json-fields.ts';
import { type AddressParts, type Candidate, type GeocoderAdapter, NotAnAnswer } from './geocoder.ts';

/** Two streets of a city may share a name: the nearest to the ZIP code is chosen. */
const limit = 5;

export const nominatim: GeocoderAdapter = {
  name: 'nominatim',
  pathOf: ({ street, city, state, zip }) => {
    // A postal code is a hard condition, and many houses have none: it is used where there is no city.
    const place = city === '' ? { postalcode: zip } : { city, state };
    const query = new URLSearchParams({
      format: 'jsonv2',
      addressdetails: '1',
      countrycodes: 'us',
      layer: 'address',
      limit: String(limit),
      'accept-language': 'en',
      street,
      ...place,
    });
    return `/search?${query}`;
  },
  read: (body, address) => {
    const found = parseList(body);
    return found.map(fieldsOf).flatMap((each) => candidateOf(each, address) ?? []);
  },
};

function parseList(body: string): unknown[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw new NotAnAnswer('it is not JSON');
  }
  if (!Array.isArray(parsed)) throw new NotAnAnswer('it is not a list');
  return parsed;
}

/** Null for what is neither a house nor a street: a city or a postal code. */
function candidateOf(found: JsonFields, { house_number }: AddressParts): Candidate | null {
  const [lat, lng] = [degreesAt(found, 'lat'), degreesAt(found, 'lon')];
  const address = fieldsOf(found.address);
  if (lat === null || lng === null || textAt(address, 'road') === null) return null;
  const numbers = (textAt(address, 'house_number') ?? '').toLowerCase().split(/\s*[;,]\s*/);
  const isHouse = house_number !== '' && numbers.includes(house_number.toLowerCase()) && !isEstimated(found);
  const code = textAt(address, 'ISO3166-2-lvl4') ?? '';
  const isUsa = textAt(address, 'country_code') === 'us';
  return {
    lat,
    lng,
    precision: isHouse ? 'house' : 'street',
    state: isUsa && code.startsWith('US-') ? code.slice('US-'.length) : null,
  };
}

/** Numbers between those that are known are a way of the street itself. */
function isEstimated(found: JsonFields): boolean {
  return found.category === 'place' && found.type === 'house' && found.osm_type === 'way';
}

/** Coordinates are texts. */
function degreesAt(fields: JsonFields, name: string): number | null {
  const degrees = Number(textAt(fields, name) ?? Number.NaN);
  return Number.isFinite(degrees) ? degrees : null;
}

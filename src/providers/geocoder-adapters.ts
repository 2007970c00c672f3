/** The supported geocoders, each by its documentation. */
import { type JsonFields, listAt, numberAt, parseFields, textAt, toFields } from './json-messages.ts';
import { type AddressParts, type Candidate, type GeocoderAdapter, NotAnAnswer } from './place-services.ts';

/** Two streets of a city may share a name: the nearest to the ZIP code is chosen. */
const max_candidates = 5;

/**
 * Nominatim: https://nominatim.org/release-docs/latest/api/Search/. An unknown house number yields the street, and
 * numbers in the USA may be estimated.
 */
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
      limit: String(max_candidates),
      'accept-language': 'en',
      street,
      ...place,
    });
    return `/search?${query}`;
  },
  read: (body, address) => {
    const found = parseList(body);
    return found.map(toFields).flatMap((each) => nominatimCandidate(each, address) ?? []);
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
function nominatimCandidate(found: JsonFields, { house_number }: AddressParts): Candidate | null {
  const [lat, lng] = [degreesAt(found, 'lat'), degreesAt(found, 'lon')];
  const address = toFields(found.address);
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

/**
 * The geocoder of the US Census: https://geocoding.geo.census.gov/geocoder/Geocoding_Services_API.html. It estimates a
 * point from the range of numbers of a block, so that a number need not exist.
 */
export const census: GeocoderAdapter = {
  name: 'census',
  pathOf: ({ street, city, state, zip }) => {
    const known = Object.entries({ street, city, state, zip }).filter(([, value]) => value !== '');
    const query = new URLSearchParams([...known, ['benchmark', 'Public_AR_Current'], ['format', 'json']]);
    return `/geocoder/locations/address?${query}`;
  },
  read: (body, { zip }) => {
    const result = toFields(parseFields(body).result);
    if (!Array.isArray(result.addressMatches)) throw new NotAnAnswer('it has no addressMatches');
    const matches = listAt(result, 'addressMatches').map(toFields);
    const isOfZip = (match: JsonFields) => textAt(toFields(match.addressComponents), 'zip') === zip;
    // Several matches are ambiguous, unless one has the same ZIP code.
    const same = matches.filter(isOfZip);
    return (same.length > 0 ? same : matches).flatMap((match) => censusCandidate(match) ?? []);
  },
};

function censusCandidate(match: JsonFields): Candidate | null {
  const point = toFields(match.coordinates);
  const [lat, lng] = [numberAt(point, 'y'), numberAt(point, 'x')];
  if (lat === null || lng === null) return null;
  const state = textAt(toFields(match.addressComponents), 'state');
  return { lat, lng, precision: 'street', state };
}

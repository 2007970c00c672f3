/**
 * The geocoder of the US Census: https://geocoding.geo.census.gov/geocoder/Geocoding_Services_API.html. It estimates a
 * point from the range of numbers of a block, so that a number need not exist.
 */
import { fieldsOf, type JsonFields, listAt, numberAt, parseFields, textAt } from '../json-fields.ts';
import { type Candidate, type GeocoderAdapter, NotAnAnswer } from './geocoder.ts';

export const census: GeocoderAdapter = {
  name: 'census',
  pathOf: ({ street, city, state, zip }) => {
    const known = Object.entries({ street, city, state, zip }).filter(([, value]) => value !== '');
    const query = new URLSearchParams([...known, ['benchmark', 'Public_AR_Current'], ['format', 'json']]);
    return `/geocoder/locations/address?${query}`;
  },
  read: (body, { zip }) => {
    const result = fieldsOf(parseFields(body).result);
    if (!Array.isArray(result.addressMatches)) throw new NotAnAnswer('it has no addressMatches');
    const matches = listAt(result, 'addressMatches').map(fieldsOf);
    const isOfZip = (match: JsonFields) => textAt(fieldsOf(match.addressComponents), 'zip') === zip;
    // Several matches are ambiguous, unless one has the same ZIP code.
    const same = matches.filter(isOfZip);
    return (same.length > 0 ? same : matches).flatMap((match) => candidateOf(match) ?? []);
  },
};

function candidateOf(match: JsonFields): Candidate | null {
  const point = fieldsOf(match.coordinates);
  const [lat, lng] = [numberAt(point, 'y'), numberAt(point, 'x')];
  if (lat === null || lng === null) return null;
  const state = textAt(fieldsOf(match.addressComponents), 'state');
  return { lat, lng, precision: 'street', state };
}

import { isUnit, type NormalAddress, normalizeAddress, stateName } from './addresses.ts';
import { type AreaCentre, greatCircleMiles, type Point, spreadTenths } from './geography.ts';
import { addressRule } from './order-rules.ts';

// Locates addresses in the United States by tables of ZIP codes and cities.

/** The tables by which addresses are located. */
export interface Gazetteer {
  /** The centroids of ZIP codes. */
  zips: Uint8Array;
  /** The cities with their ZIP codes. */
  cities: Uint8Array;
  /** The ZIP codes that exist, with their states. */
  states: Uint8Array;
}

/** Where an address lies. */
interface LocatedAddress {
  address: string;
  point: AreaCentre;
  /** The area that the point is the centre of: `ZIP code 60601`, or `Chicago, IL` for an address without one. */
  area: string;
  /** The postal code of the state; null if neither the address nor its ZIP code says it. */
  state: string | null;
}

export type Located = LocatedAddress | { fault: string };

/** The middle of a city or ZIP code. */
type Area = { point: AreaCentre } | { fault: string };

/**
 * Finds where addresses lie: in the centroid of their ZIP code, without one in the middle of their city. Street, city,
 * state and ZIP code are checked against each other as far as they are given; `fault` says what cannot be right,
 * as the end of a sentence that begins with the field. Many addresses share few areas: each is looked up once.
 */
export function createLocator(gazetteer: Gazetteer): (line: string) => Located {
  const areas = new Map<string, Area>();
  const areaOf = (normal: NormalAddress) => {
    const { place, state, zip } = normal;
    const key = [place.length > 1, place.at(-1), state, zip].join();
    const area = areas.get(key) ?? findArea(normal, gazetteer);
    areas.set(key, area);
    return area;
  };
  return (line) => locate(line, gazetteer, areaOf);
}

const poBoxPattern = /\b(?:p\.?\s*o\.?|post\s+office)\s*box\b/i;
const otherCountryPattern =
  /[,\s](canada|(?<!new\s+)mexico|united kingdom|uk|great britain|england|scotland|wales|ireland|france|germany|deutschland|spain|italy)$/i;
/** Canadian and British postal codes. */
const foreignPostalCodePattern = /\b(?:[a-z]\d[a-z] ?\d[a-z]\d|[a-z]{1,2}\d[a-z\d]? \d[a-z]{2})\b/i;

function locate(line: string, gazetteer: Gazetteer, areaOf: (normal: NormalAddress) => Area): Located {
  const normal = normalizeAddress(line);
  const isAbroad =
    otherCountryPattern.test(line.trim()) || (normal === null && foreignPostalCodePattern.test(line));
  if (isAbroad) return { fault: 'is outside the USA: only US addresses are served' };
  if (normal === null) return { fault: addressRule };
  const fault = streetFault(normal, gazetteer);
  if (fault !== null) return { fault };
  const area = areaOf(normal);
  if ('fault' in area) return area;
  const { address, zip, place, state } = normal;
  return {
    address,
    point: area.point,
    area: zip === null ? `${place.at(-1)}, ${state}` : `ZIP code ${zip}`,
    state: state ?? (zip === null ? null : stateOfZip(gazetteer.states, zip)),
  };
}

function findArea(normal: NormalAddress, gazetteer: Gazetteer): Area {
  const fault = zipFault(normal, gazetteer);
  if (fault !== null) return { fault };
  const point = pointOf(normal, gazetteer);
  return point === null ? { fault: unknownPlace(normal) } : { point };
}

function streetFault({ place, state }: NormalAddress, { cities }: Gazetteer): string | null {
  if (place.some((part) => poBoxPattern.test(part))) return 'is a PO box: couriers need a street address';
  const streets = place.filter((part) => !isUnit(part));
  const [only = '', ...more] = streets;
  const isCity = more.length === 0 && state !== null && findCity(cities, { city: only, state }) !== null;
  return only === '' || isCity ? 'has no street: write street, city, state and ZIP code' : null;
}

/** Two towns of one state may share a name, and a ZIP code may lie outside of the city that it is written with. */
const max_city_distance_miles = 100;

function zipFault(normal: NormalAddress, gazetteer: Gazetteer): string | null {
  const { zip, state, place } = normal;
  if (zip === null) return null;
  const own = stateOfZip(gazetteer.states, zip);
  if (own === null) return `has a ZIP code that does not exist: ${zip}`;
  if (state === null) return null;
  if (state !== own)
    return `does not fit together: ZIP code ${zip} is in ${stateName(own)}, not in ${stateName(state)}`;
  const city = place.length > 1 ? place.at(-1) : undefined;
  const cityZip = city === undefined ? null : findCity(gazetteer.cities, { city, state });
  if (cityZip === null || milesBetween(cityZip, zip, gazetteer) < max_city_distance_miles) return null;
  return `does not fit together: ZIP code ${zip} is far from ${city}, ${state}`;
}

function milesBetween(from: string, to: string, { zips }: Gazetteer): number {
  const [start, end] = [findCentroid(zips, from), findCentroid(zips, to)];
  return start === null || end === null ? 0 : greatCircleMiles(start, end);
}

function pointOf({ zip, state, place }: NormalAddress, { zips, cities }: Gazetteer): AreaCentre | null {
  const found = zip ?? findCity(cities, { city: place.at(-1) ?? '', state: state ?? '' });
  const point = found === null ? null : findCentroid(zips, found);
  if (found === null || point === null) return null;
  return { ...point, spread_tenths: spreadTenths(zipRadiusMiles(zips, found, point)) };
}

function unknownPlace({ zip, state, place }: NormalAddress): string {
  if (zip !== null) return `has an unknown ZIP code: ${zip}`;
  return `has no ZIP code and an unknown city: ${place.at(-1)}, ${state}`;
}

// Tables of bytes, which are searched without reading them whole. All of their numbers are little-endian.

// The cities of the United States, each with a ZIP code that stands for it:
//
//   offset 0     677 x uint32   for each pair of letters `AA` to `ZZ` the offset of the first city of the state with
//                               that postal code, and at 676 the length of the table
//   offset 2708  cities in the order of their names:
//                               uint8   the length of the name
//                               n bytes the name as `cityKey` makes it, ASCII
//                               uint24  the ZIP code in the middle of the city

const state_code_count = 26 * 26;
export const cities_offset = (state_code_count + 1) * 4;
export const city_zip_bytes = 3;

/** The ZIP code that represents a city of a state; null for an unknown city. */
export function findCity(table: Uint8Array, { city, state }: { city: string; state: string }): string | null {
  const index = stateIndex(state);
  if (index === null) return null;
  const wanted = cityKey(city);
  const end = uint(table, (index + 1) * 4, 4);
  for (let at = uint(table, index * 4, 4); at < end; ) {
    const length = table[at] ?? 0;
    const zip = at + 1 + length;
    if (length === wanted.length && isAt(table, at + 1, wanted)) {
      return String(uint(table, zip, city_zip_bytes)).padStart(5, '0');
    }
    at = zip + city_zip_bytes;
  }
  return null;
}

/** Whether the table has an ASCII text at an offset. */
function isAt(table: Uint8Array, offset: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (table[offset + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}

/** The index of a state in the table; null for an invalid postal code. */
export function stateIndex(state: string): number | null {
  if (!/^[A-Z]{2}$/.test(state)) return null;
  return (state.charCodeAt(0) - 65) * 26 + state.charCodeAt(1) - 65;
}

/**
 * Normalizes a city name for comparison: lower-case ASCII letters without spaces, as "Coeur d'Alene" is also written
 * "Coeur D Alene", and common abbreviations expanded.
 */
export function cityKey(city: string): string {
  return city
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => shortForms[word] ?? word)
    .join('');
}

const shortForms: Readonly<Record<string, string>> = {
  st: 'saint',
  ste: 'sainte',
  ft: 'fort',
  mt: 'mount',
  n: 'north',
  s: 'south',
  e: 'east',
  w: 'west',
};

// The centroids of the ZIP codes, with the six decimals of their source:
//
//   offset 0     1001 x uint16   for each three first digits `000` to `999` the index of their first entry,
//                                and at 1000 the number of entries
//   offset 2002  n x 9 bytes     entries in the order of their ZIP codes:
//                                uint8   the last two digits, 0 to 99
//                                int32   latitude in microdegrees
//                                int32   longitude in microdegrees

export const centroids_offset = 1001 * 2;
export const centroid_bytes = 9;

/** The centroid of a five-digit ZIP code, or the mean of those that share its first three digits, or null. */
export function findCentroid(table: Uint8Array, zip: string): Point | null {
  if (!/^\d{5}$/.test(zip)) return null;
  const prefix = Number(zip.slice(0, 3));
  const first = uint(table, prefix * 2, 2);
  const end = uint(table, prefix * 2 + 2, 2);
  const entry = search(table, first, end, Number(zip.slice(3)));
  if (entry !== null) return pointAt(table, entry);
  return first === end ? null : meanPoint(table, first, end);
}

/** As many ZIP codes surround one on a map, on the average of its sides. */
const neighbour_count = 4;
/** The radius of the circle that covers as much as the square between neighbours at a distance of 1. */
const radius_per_distance = 0.56;

/**
 * Estimates the radius of a ZIP code from the distance of the nearest others with the same first three digits: the table
 * has no areas.
 */
function zipRadiusMiles(table: Uint8Array, zip: string, centre: Point): number {
  const prefix = Number(zip.slice(0, 3));
  const [first, end] = [uint(table, prefix * 2, 2), uint(table, prefix * 2 + 2, 2)];
  const distances = Array.from({ length: end - first }, (_, index) =>
    greatCircleMiles(centre, pointAt(table, first + index)),
  );
  const nearest = distances
    .filter((distance) => distance > 0)
    .sort((left, right) => left - right)
    .slice(0, neighbour_count);
  const mean = nearest.reduce((sum, each) => sum + each, 0) / Math.max(1, nearest.length);
  return mean * radius_per_distance;
}

/** Searches at most a hundred entries for the last two digits of a ZIP code; null if none has them. */
function search(table: Uint8Array, first: number, end: number, digits: number): number | null {
  for (let entry = first; entry < end; entry++) {
    if (table[centroids_offset + entry * centroid_bytes] === digits) return entry;
  }
  return null;
}

function pointAt(table: Uint8Array, entry: number): Point {
  const offset = centroids_offset + entry * centroid_bytes;
  return { lat: int32(table, offset + 1) / 1e6, lng: int32(table, offset + 5) / 1e6 };
}

function meanPoint(table: Uint8Array, first: number, end: number): Point {
  let lat = 0;
  let lng = 0;
  for (let entry = first; entry < end; entry++) {
    const point = pointAt(table, entry);
    lat += point.lat;
    lng += point.lng;
  }
  const count = end - first;
  return { lat: microdegrees(lat / count), lng: microdegrees(lng / count) };
}

/** Rounds to six decimals, so that positions are readable and the same on every machine. */
function microdegrees(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}

// Which ZIP codes exist, and in which state each lies:
//
//   offset 0      12500 bytes  one bit for each number from 0 to 99999: whether a ZIP code of that number exists
//   offset 12500  n x 5 bytes  ranges in ascending order:
//                              uint24  the first ZIP code of the range, which ends where the next begins
//                              2 bytes the postal code of the state, ASCII

export const ranges_offset = 100_000 / 8;
export const range_bytes = 5;

/** The postal code of the state in which a ZIP code of five digits lies; null for one that does not exist. */
function stateOfZip(table: Uint8Array, zip: string): string | null {
  const number = Number(zip);
  if (((table[number >> 3] ?? 0) & (1 << (number & 7))) === 0) return null;
  let found: number | null = null;
  for (let at = ranges_offset; at < table.length && uint(table, at, 3) <= number; at += range_bytes)
    found = at;
  return found === null ? null : String.fromCharCode(...table.subarray(found + 3, found + range_bytes));
}

function uint(table: Uint8Array, offset: number, bytes: number): number {
  let value = 0;
  for (let index = bytes - 1; index >= 0; index--) value = value * 256 + (table[offset + index] ?? 0);
  return value;
}

/** The operator converts the number to a signed 32-bit integer. */
function int32(table: Uint8Array, offset: number): number {
  return uint(table, offset, 4) | 0;
}

import type { Point } from './geography.ts';

// Tables of bytes, which are searched without reading them whole. All of their numbers are little-endian.

/** The tables by which addresses are located. */
export interface Gazetteer {
  /** The centroids of ZIP codes. */
  zips: Uint8Array;
  /** The cities with their ZIP codes. */
  cities: Uint8Array;
  /** The ZIP codes that exist, with their states. */
  states: Uint8Array;
}

// The cities of the United States, each with a ZIP code that stands for it:
//
//   offset 0     677 x uint32   for each pair of letters `AA` to `ZZ` the offset of the first city of the state with
//                               that postal code, and at 676 the length of the table
//   offset 2708  cities in the order of their names:
//                               uint8   the length of the name
//                               n bytes the name as `cityKey` makes it, ASCII
//                               uint24  the ZIP code in the middle of the city

const STATES = 26 * 26;
export const CITIES_OFFSET = (STATES + 1) * 4;
export const CITY_ZIP_BYTES = 3;

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
      return String(uint(table, zip, CITY_ZIP_BYTES)).padStart(5, '0');
    }
    at = zip + CITY_ZIP_BYTES;
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

export const CENTROIDS_OFFSET = 1001 * 2;
export const CENTROID_BYTES = 9;

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

/** Searches at most a hundred entries for the last two digits of a ZIP code; null if none has them. */
function search(table: Uint8Array, first: number, end: number, digits: number): number | null {
  for (let entry = first; entry < end; entry++) {
    if (table[CENTROIDS_OFFSET + entry * CENTROID_BYTES] === digits) return entry;
  }
  return null;
}

function pointAt(table: Uint8Array, entry: number): Point {
  const offset = CENTROIDS_OFFSET + entry * CENTROID_BYTES;
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

export const RANGES_OFFSET = 100_000 / 8;
export const RANGE_BYTES = 5;

/** The postal code of the state in which a ZIP code of five digits lies; null for one that does not exist. */
export function stateOfZip(table: Uint8Array, zip: string): string | null {
  const number = Number(zip);
  if (((table[number >> 3] ?? 0) & (1 << (number & 7))) === 0) return null;
  let found: number | null = null;
  for (let at = RANGES_OFFSET; at < table.length && uint(table, at, 3) <= number; at += RANGE_BYTES)
    found = at;
  return found === null ? null : String.fromCharCode(...table.subarray(found + 3, found + RANGE_BYTES));
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

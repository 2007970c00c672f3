/**
 * The cities of the United States, each with a ZIP code that stands for it, searched in a table of bytes. The layout,
 * all numbers little-endian:
 *
 *   offset 0     677 x uint32   for each pair of letters `AA` to `ZZ` the offset of the first city of the state with
 *                               that postal code, and at 676 the length of the table
 *   offset 2708  cities in the order of their names:
 *                               uint8   the length of the name
 *                               n bytes the name as `cityKey` makes it, ASCII
 *                               uint24  the ZIP code in the middle of the city
 */

const STATES = 26 * 26;
export const CITIES_OFFSET = (STATES + 1) * 4;
export const CITY_ZIP_BYTES = 3;

/** The tables by which addresses are located. */
export interface Gazetteer {
  /** The centroids of ZIP codes. */
  zips: Uint8Array;
  /** The cities with their ZIP codes. */
  cities: Uint8Array;
  /** The ZIP codes that exist, with their states. */
  states: Uint8Array;
}

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
  const [first = -1, second = -1] = [...state].map((letter) => letter.charCodeAt(0) - 65);
  const isCode = /^[A-Z]{2}$/.test(state);
  return isCode ? first * 26 + second : null;
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

function uint(table: Uint8Array, offset: number, bytes: number): number {
  let value = 0;
  for (let index = bytes - 1; index >= 0; index--) value = value * 256 + (table[offset + index] ?? 0);
  return value;
}

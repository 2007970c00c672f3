/**
 * Which ZIP codes exist and in which state each lies, read from a table of bytes. The layout, all numbers
 * little-endian:
 *
 *   offset 0      12500 bytes  one bit for each number from 0 to 99999: whether a ZIP code of that number exists
 *   offset 12500  n x 5 bytes  ranges in ascending order:
 *                              uint24  the first ZIP code of the range, which ends where the next begins
 *                              2 bytes the postal code of the state, ASCII
 */
const RANGES = 100_000 / 8;
const RANGE_BYTES = 5;

/** The postal code of the state in which a ZIP code of five digits lies; null for one that does not exist. */
export function stateOfZip(table: Uint8Array, zip: string): string | null {
  const number = Number(zip);
  if (((table[number >> 3] ?? 0) & (1 << (number & 7))) === 0) return null;
  let found: number | null = null;
  for (let at = RANGES; at < table.length && firstOf(table, at) <= number; at += RANGE_BYTES) found = at;
  return found === null ? null : String.fromCharCode(...table.subarray(found + 3, found + RANGE_BYTES));
}

function firstOf(table: Uint8Array, at: number): number {
  return (table[at] ?? 0) + (table[at + 1] ?? 0) * 256 + (table[at + 2] ?? 0) * 65_536;
}

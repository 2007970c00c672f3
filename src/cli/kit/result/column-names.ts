import type { ColumnHead } from './result.ts';

/** The names that select columns: their fields, then their headings, such as `price` for `payment_amount`. */
export function columnNames(columns: readonly ColumnHead[]): string[] {
  const fields = columns.map(({ field }) => field);
  return [...new Set([...fields, ...columns.map(({ header }) => columnName(header))])];
}

/** Normalizes a name as typed, or a heading: `Pickup ETA` is `pickup_eta`. */
export function columnName(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}

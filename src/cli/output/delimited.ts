import { stringify } from 'csv-stringify/sync';
import type { CellValue, ColumnHead, Row } from '../result.ts';
import { sanitized } from './sanitize.ts';

/** The header line of a CSV: the names of the fields. */
export function csvHeader(columns: readonly ColumnHead[]): string {
  return stringify([columns.map(({ field }) => field)]);
}

/** Rows as CSV (RFC 4180, but for the line ends, which are those of Unix). */
export function csvRows(rows: readonly Row[]): string {
  return stringify(rows.map(({ cells }) => cells.map(csvCell)));
}

function csvCell(value: CellValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return guarded(sanitized(typeof value === 'string' ? value : value.join(', ')));
}

/** A cell that a spreadsheet would take for a formula, made text (OWASP, CSV injection). */
function guarded(text: string): string {
  if (/^[+-]?\d+(?:\.\d+)?$/.test(text)) return text;
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

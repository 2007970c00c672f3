import { stringify } from 'csv-stringify/sync';
import type { CellValue, ColumnHead, Row } from '../result/result.ts';
import { guarded, sanitized } from './sanitize.ts';
import { machineText } from './value-text.ts';

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

/** A value as a cell, or several as a row without its line end, for what puts its rows together itself. */
export function csvCells(value: unknown): string {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return stringify([values.map(cellOf)], { record_delimiter: '' });
}

function cellOf(value: unknown): string {
  return typeof value === 'object' && value !== null
    ? csvCell(JSON.stringify(value))
    : csvCell(value === undefined || value === null ? null : String(value));
}

/** Rows with a tab between cells, without header. */
export function tsvRows(rows: readonly Pick<Row, 'cells'>[]): string {
  return rows.map(({ cells }) => tsvLine(cells)).join('');
}

/** Values as a line, a tab between. Spreadsheets take such lines, too: no cell is a formula. */
export function tsvLine(values: readonly CellValue[]): string {
  const cells = values.map((value) =>
    typeof value === 'number' ? machineText(value) : guarded(machineText(value)),
  );
  return `${cells.join('\t')}\n`;
}

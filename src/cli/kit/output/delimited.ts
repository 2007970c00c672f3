import { stringify } from 'csv-stringify/sync';
import type { CellValue, ColumnHead, Row } from '../result/result.ts';
import type { ValueStyle } from './format.ts';
import { guarded, sanitized } from './sanitize.ts';
import { machineText } from './value-text.ts';

/** The header line of a CSV: the names of the fields. */
export function csvHeader(columns: readonly ColumnHead[], values: ValueStyle): string {
  return stringify([
    columns.map(({ field, rawCsvField = field }) => (values === 'formatted' ? field : rawCsvField)),
  ]);
}

/** Formats rows as CSV (RFC 4180, but with LF line ends). */
export function csvRows(rows: readonly Row[]): string {
  return stringify(rows.map(({ cells }) => cells.map(csvCell)));
}

function csvCell(value: CellValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return guarded(sanitized(typeof value === 'string' ? value : value.join(', ')));
}

/** Formats rows with tabs between cells, without a header. */
export function tsvRows(rows: readonly Pick<Row, 'cells'>[]): string {
  return rows.map(({ cells }) => tsvLine(cells)).join('');
}

/** Formats values with tabs between them. Spreadsheets import such lines, so formulas are escaped. */
export function tsvLine(values: readonly CellValue[]): string {
  const cells = values.map((value) =>
    typeof value === 'number' ? machineText(value) : guarded(machineText(value)),
  );
  return `${cells.join('\t')}\n`;
}

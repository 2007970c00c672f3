/** CSV and tab-separated values, for programs and spreadsheets. */
import { stringify } from 'csv-stringify/sync';
import type { CellValue, ColumnHead, Row } from '../result/result.ts';
import type { ValueStyle } from './output-settings.ts';
import { sanitized, withFormulaEscaped } from './safe-text.ts';
import { valueForPrograms } from './text-formatting.ts';

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
  return withFormulaEscaped(sanitized(typeof value === 'string' ? value : value.join(', ')));
}

/** Formats rows with tabs between cells, without a header. */
export function tsvRows(rows: readonly Pick<Row, 'cells'>[]): string {
  return rows.map(({ cells }) => tsvLine(cells)).join('');
}

/** Formats values with tabs between them. Spreadsheets import such lines, so formulas are escaped. */
export function tsvLine(values: readonly CellValue[]): string {
  const cells = values.map((value) =>
    typeof value === 'number' ? valueForPrograms(value) : withFormulaEscaped(valueForPrograms(value)),
  );
  return `${cells.join('\t')}\n`;
}

/** One record for programs: a line for each field, its name and its value. */
export function recordTsv(columns: readonly ColumnHead[], { cells }: Row): string {
  return columns.map(({ field }, index) => tsvLine([field, cells[index]])).join('');
}

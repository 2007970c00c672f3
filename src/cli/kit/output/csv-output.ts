/** CSV and tab-separated values, for programs and spreadsheets. */
import { stringify } from 'csv-stringify/sync';
import type { CellValue, ColumnHead, Row } from '../result/result.ts';
import type { OutputSettings } from './output-settings.ts';
import { sanitized, withCellEscaped, withFormulaEscaped } from './safe-text.ts';
import { valueForPrograms } from './text-formatting.ts';

/**
 * The header line of a CSV: the names of the fields as typed, by default with the unit of amounts: `total_cost_cents`.
 * Values for people have the headings of a table, or the names that were typed, with the unit and the zone: `Total (USD)`,
 * `Created (America/Chicago)`.
 */
export function csvHeader(
  columns: readonly ColumnHead[],
  { values, times, columns: chosenNames }: Pick<OutputSettings, 'values' | 'times' | 'columns'>,
  rowZone: string | null = null,
): string {
  if (values !== 'formatted')
    return stringify([columns.map((column) => (chosenNames === null ? rawHeader(column) : column.field))]);
  const zone = times === 'iso' ? 'UTC' : (rowZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
  const unitOf = ({ kind }: ColumnHead) => {
    if (kind === 'money') return ' (USD)';
    return timeKinds.has(kind) && times !== 'relative' ? ` (${zone})` : '';
  };
  const isAmbiguous = (header: string) => columns.filter((each) => each.header === header).length > 1;
  const nameOf = ({ field, header }: ColumnHead) =>
    chosenNames !== null || isAmbiguous(header) ? field : header;
  return stringify([columns.map((column) => nameOf(column) + unitOf(column))]);
}

function rawHeader({ field, rawCsvField = field, kind }: ColumnHead): string {
  return kind === 'money' ? `${rawCsvField}_cents` : rawCsvField;
}

const timeKinds: ReadonlySet<string> = new Set(['time', 'instant', 'clock', 'interval']);

/** The fields with texts of people, which a spreadsheet may take for numbers or dates. */
const fieldsOfPeople = /(?:^|_)(?:ref|unit|name|notes|phone|phone_number)$/;

/** Formats rows as CSV (RFC 4180 with LF). Texts of people survive a spreadsheet; without columns, all texts do. */
export function csvRows(rows: readonly Pick<Row, 'cells'>[], columns?: readonly ColumnHead[]): string {
  const escapes = columns?.map(({ field }) =>
    fieldsOfPeople.test(field) ? withCellEscaped : withFormulaEscaped,
  );
  return stringify(
    rows.map(({ cells }) => cells.map((cell, index) => csvCell(cell, escapes?.[index] ?? withCellEscaped))),
  );
}

function csvCell(value: CellValue, escaped: (text: string) => string): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return escaped(sanitized(typeof value === 'string' ? value : value.join(', ')));
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

/** One record for programs: a line for each field, its name and its value. Empty ones are left out, unless chosen. */
export function recordTsv(columns: readonly ColumnHead[], { cells }: Row, isChosen: boolean): string {
  return columns
    .flatMap(({ field }, index) =>
      isChosen || valueForPrograms(cells[index]) !== '' ? tsvLine([field, cells[index]]) : [],
    )
    .join('');
}

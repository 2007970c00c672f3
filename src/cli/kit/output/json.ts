import { stringify } from 'csv-stringify/sync';
import { isFields } from '../../../domain/fields.ts';
import type { CellValue, ColumnHead, Row } from '../result/result.ts';
import type { ValueStyle } from './output-settings.ts';
import { escapedJson, guarded, sanitized } from './sanitize.ts';
import { machineText } from './value-text.ts';

/** The fields to pick, as dotted paths; null for all. */
type Fields = readonly string[] | null;

/** Formats a value as JSON: indented for people, on one line for programs. */
export function jsonText(data: unknown, { fields, indented }: { fields: Fields; indented: boolean }): string {
  return escapedJson(JSON.stringify(picked(data, fields), null, indented ? 2 : 0) ?? 'null');
}

/** Selects fields of data and keeps their nesting. */
export function picked(data: unknown, fields: Fields): unknown {
  return fields === null ? data : pickFrom(data, fields);
}

/**
 * Lists the requested fields that no record has. A field that cannot be checked, as in an empty array, counts as
 * present.
 */
export function unknownFields(records: readonly unknown[], fields: readonly string[]): string[] {
  return fields.filter((field) => !records.some((data) => has(data, field.split('.'))));
}

function has(data: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined || data === null) return true;
  if (Array.isArray(data)) return data.length === 0 || data.some((entry) => has(entry, [name, ...rest]));
  return isFields(data) && isKnown(data, name) && has(data[name], rest);
}

/** A field missing in the response is read as empty from the record's prototype. */
function isKnown(data: object, name: string): boolean {
  return Object.hasOwn(data, name) || (name in data && !(name in {}));
}

function pickFrom(data: unknown, fields: readonly string[]): unknown {
  if (Array.isArray(data)) return data.map((entry) => pickFrom(entry, fields));
  return fields.map((field) => pick(data, field.split('.'))).reduce(merged, {});
}

/** Selects the data at a path and keeps its nesting; null if it is missing. */
function pick(data: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return data ?? null;
  if (Array.isArray(data)) return data.map((entry) => pick(entry, [name, ...rest]));
  const value = isFields(data) && Object.hasOwn(data, name) ? data[name] : undefined;
  return { [name]: rest.length > 0 && value == null ? null : pick(value, rest) };
}

function merged(left: unknown, right: unknown): unknown {
  if (Array.isArray(left) && Array.isArray(right))
    return left.map((entry, index) => merged(entry, right[index]));
  if (!isFields(left) || !isFields(right)) return right;
  const joined = Object.entries(right).map(([name, value]) => [
    name,
    name in left ? merged(left[name], value) : value,
  ]);
  return { ...left, ...Object.fromEntries(joined) };
}

/** The text made of data, up to the document that the filter does not fit. */
interface Filtered {
  text: string;
  /** Why a document failed; null if none did. */
  fault: string | null;
}

/** The filter of `--jq`. */
export interface Filter {
  /** Transforms documents one by one. Throws UsageError if the filter was stopped. */
  apply(documents: readonly unknown[], isTerminal: boolean): Promise<Filtered>;
}

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

/**
 * Reads orders from a file. The kind of the file decides which function makes its rows:
 *
 * | Kind | Recognized by | Rows |
 * |---|---|---|
 * | JSON or NDJSON with orders | the format | `readJson`, `rowsOfLines` |
 * | JSON of another system | fields that no order has, or `--map` | `flatRecords`, then `mappedTable` |
 * | CSV with columns of orders | no preset | `mappedTable` |
 * | CSV with the failed rows of a JSON file | its header | `readJsonRows` |
 * | The export of a shop | the preset | `presetTable`; as JSON `wooRows` |
 *
 * While the rows are read, `findings` collects the rows that are left out and the columns that are not read.
 */
import { UsageError } from '../../../../kit/errors/failure.ts';
import { oneLine } from '../../../../kit/output/safe-text.ts';
import { loadGazetteer } from '../../../../session/gazetteer.ts';
import { type Layout, type PresetName, type Source, type Tally, textsOf } from '../source.ts';
import { completedRows } from './complete-rows.ts';
import { columnsIn, type OwnFile, ownColumns, ownFileWith } from './csv-columns.ts';
import {
  type CsvRecord,
  chained,
  findTableStart,
  firstOf,
  hasHead,
  isFooter,
  max_row_characters,
  recordsIn,
  widthFault,
} from './csv-records.ts';
import { fieldsIn } from './csv-rows.ts';
import { isPromisedTimeColumn } from './delivery-dates.ts';
import { groupRows, type NumberedRow, type Row } from './group-rows.ts';
import { flatRecords, isForeign, jsonRow, readJson, rowsOfLines } from './json-rows.ts';
import { mapFlags, toFieldName } from './missing-columns.ts';
import { findOrderColumn } from './order-fields.ts';
import { cellsOf, presetRows, wooRows } from './preset-rows.ts';
import { foldedColumn, missingColumns, presets, recognizeExport } from './presets.ts';
import {
  columnFilter,
  createRemarks,
  type Findings,
  leftOutReason,
  type OrderFilter,
  type Remarks,
} from './ready-orders.ts';
import { usualColumns } from './usual-headers.ts';

/** How many rows below a header are looked at for what its columns hold. */
const sample_rows = 20;
/** How many orders of a JSON file are read to learn its columns: most systems leave out what an order does not have. */
const column_rows = 1_000;

/** The rows of a file, in order. */
export interface Table {
  /** The headers of `cells`. */
  columns: readonly string[];
  /** Columns that are not order fields. */
  ignored: readonly string[];
  rows: AsyncIterable<NumberedRow>;
  /** The column or field that the path of a fault refers to. */
  label(path: string): string;
  /** The orders read so far that are not imported, by their reason. */
  left_out: LeftOutOrders;
  /** Other parts of the rows read so far that are not used. */
  remarks: Pick<Remarks, 'texts'>;
}

/** How many orders are not imported for one reason, and the first of them. */
interface LeftOutCount {
  count: number;
  example: string;
}

/** Orders that are not imported, by their reason. */
export type LeftOutOrders = ReadonlyMap<string, LeftOutCount>;

/** Opens a file as rows and adds up its contents in `tally`. Throws UsageError. */
export async function openTable(source: Source, tally: Tally): Promise<Table> {
  await loadGazetteer();
  const { layout } = source;
  const left_out = new Map<string, LeftOutCount>();
  const findings = { leaveOut: countIn(left_out), remarks: createRemarks() };
  const table = await readTable(source, textsOf(source, tally), findings);
  return { ...table, rows: completedRows(table.rows, layout), left_out, remarks: findings.remarks };
}

/** Returns a function that counts an order under the reason for which it is left out. */
function countIn(left_out: Map<string, LeftOutCount>): Findings['leaveOut'] {
  return ({ left_out: reason, detail }, ref) => {
    const example = detail === undefined ? ref : `${ref}, "${detail}"`;
    const before = left_out.get(reason) ?? { count: 0, example };
    left_out.set(reason, { ...before, count: before.count + 1 });
  };
}

type ReadTable = Omit<Table, 'rows' | 'left_out' | 'remarks'> & { rows: AsyncIterable<Row> };

const jsonColumns = { columns: ['order'], label: (path: string) => path };

async function readTable(
  source: Source,
  texts: AsyncGenerator<string>,
  findings: Findings,
): Promise<ReadTable> {
  const { format, name, layout } = source;
  if (format === 'csv') return csvTable(texts, source, findings);
  const { ignored, rows } =
    format === 'json' ? await readJson(texts, name) : { ignored: [], rows: rowsOfLines(texts, name) };
  if (layout.preset !== null) return { ...jsonColumns, ignored, rows: wooRows(rows, layout, findings) };
  const first = await firstOf(rows, column_rows);
  const isOwn = first.length === 0 || !first.slice(0, sample_rows).every(isForeign);
  if (layout.map.length === 0 && isOwn) return { ...jsonColumns, ignored, rows: chained(first, rows) };
  const records = flatRecords(first, chained(first, rows));
  const header = await records.next();
  return mappedTable(records, header.value ?? { cells: [], line: 1 }, source, findings);
}

/**
 * Reads values (RFC 4180) below a line that names the fields, separated by commas, semicolons, tabs or bars. Throws
 * UsageError.
 */
async function csvTable(
  texts: AsyncGenerator<string>,
  { name, layout }: Pick<Source, 'name' | 'layout'>,
  findings: Findings,
): Promise<ReadTable> {
  const records = await recordsBelowTitles(texts, { name, layout }, findings);
  const first = await records.next();
  if (first.done === true) throw new UsageError(`There is nothing in ${name}.`);
  const headers = first.value.cells;
  const { preset } = layout;
  if (isFailedJsonRows(headers) && (preset === null || preset === 'woocommerce')) {
    const rows = readJsonRows(records);
    return { ...jsonColumns, ignored: [], rows: preset === null ? rows : wooRows(rows, layout, findings) };
  }
  const orders = withoutFooters(records, headers.length, findings);
  if (preset === null) return mappedTable(orders, first.value, { name, layout }, findings);
  const filter = columnFilter(layout.only, headers, name);
  return presetTable(orders, headers, { name, layout, preset, filter, findings });
}

/** A table whose columns are named after the fields of an order, or mapped to them. */
async function mappedTable(
  orders: AsyncGenerator<CsvRecord>,
  { cells: headers, line }: CsvRecord,
  { name, layout }: Pick<Source, 'name' | 'layout'>,
  findings: Findings,
): Promise<ReadTable> {
  const chosen = columnFilter(layout.only, headers, name);
  const sample = await firstOf(orders, sample_rows);
  const head = { name, headers, rows: sample.map(({ cells }) => cells) };
  const read = columnsIn(head, layout, recognizeExport(headers));
  const { columns, ignored, fields, unread } = read;
  // A file that waybill exported may have orders of any status.
  const leftOut = read.ownFile === 'export' ? () => null : leftOutReason(headers, layout);
  const filter: OrderFilter = (rows) => chosen(rows) ?? leftOut(rows);
  if (unread.length > 0 && read.ownFile === null)
    findings.remarks.add(`Not read, but like fields of an order: ${mapFlags(unread)}`, line);
  const hasTime = columns.some((column) => column?.field.endsWith('_at') === true);
  for (const header of hasTime ? [] : ignored.filter(isPromisedTimeColumn))
    findings.remarks.add(`Not read: the column ${header}, which looks like a time`, line);
  const hasItemColumns = columns.some((column) => column?.field.startsWith('item_') === true);
  const rows = readRows(chained(sample, orders), { ...read, set: layout.set });
  return {
    columns: headers,
    ignored,
    rows: takenRows(layout.isOrderPerRow ? rows : groupRows(rows), filter, findings),
    label: (path) => {
      const shown = hasItemColumns ? path.replace(/^items\[0\]\.(\w+)$/, 'item_$1') : path;
      const mapped = layout.map.find(([, field]) => field === shown && isOfOneColumn(field, fields));
      return mapped === undefined ? shown : `${mapped[0]} (${shown})`;
    },
  };
}

/** The records of a file from its header on; the lines above it are remarked. */
async function recordsBelowTitles(
  texts: AsyncGenerator<string>,
  { name, layout }: Pick<Source, 'name' | 'layout'>,
  { remarks }: Findings,
): Promise<AsyncGenerator<CsvRecord>> {
  let head = '';
  while (!hasHead(head) && head.length < max_row_characters) {
    const next = await texts.next();
    if (next.done === true) break;
    head += next.value;
  }
  const form = findTableStart(head, headerScorer(layout));
  const titles = form.titles.filter((line) => /[^\s,;|"]/.test(line) && !/^"?sep=/i.test(line));
  for (const title of titles)
    remarks.add('Not read: the lines above the header', 1, `"${oneLine(title.trim())}"`);
  const { length } = form.titles.join('\n');
  // Empty lines stand for the titles, so that faults name the lines of the file.
  const rest = '\n'.repeat(form.titles.length) + head.slice(length);
  return recordsIn(chained([form.titles.length === 0 ? head : rest], texts), name, form);
}

/** Returns a function that counts the names of a line that this import knows as names of columns. */
function headerScorer({ map, preset }: Layout): (names: readonly string[]) => number {
  const names = new Set(
    [
      ...map.map(([header]) => header),
      ...(preset === null ? Object.values(presets) : [presets[preset]]).flatMap(({ columns }) => columns),
    ].map(foldedColumn),
  );
  return (line) => {
    const named = line.filter(
      (name) => names.has(foldedColumn(name)) || findOrderColumn(toFieldName(name)) !== null,
    );
    // One usual word does not count: a title such as "Orders by customer" may have one, too.
    const usual = usualColumns(line.map((header) => ({ header, values: [] })));
    return Math.max(named.length, usual.length - 1);
  };
}

/** Leaves out totals, and lines that say who made the file. */
async function* withoutFooters(
  records: AsyncGenerator<CsvRecord>,
  width: number,
  { remarks }: Findings,
): AsyncGenerator<CsvRecord> {
  for await (const record of records) {
    const { cells, line } = record;
    if (!isFooter(cells, width)) yield record;
    else remarks.add('Not read: totals and footers', line, `"${oneLine(cells.filter(Boolean).join(', '))}"`);
  }
}

/** Leaves out the orders that are not to be imported. */
async function* takenRows(
  rows: AsyncIterable<Row>,
  filter: OrderFilter,
  { leaveOut }: Findings,
): AsyncGenerator<Row> {
  for await (const row of rows) {
    const reason = filter([row.cells, ...(row.more ?? [])]);
    if (reason === null) yield row;
    else if ('path' in reason) yield { ...row, faults: [reason, ...row.faults] };
    else leaveOut(reason, String(row.fields.external_order_ref ?? `line ${row.line}`));
  }
}

/** Whether one column alone is mapped to a field. */
function isOfOneColumn(field: string, fields: readonly string[]): boolean {
  return fields.indexOf(field) === fields.lastIndexOf(field);
}

/** True if the file contains the failed rows of a JSON file. */
function isFailedJsonRows(headers: readonly string[]): boolean {
  return headers.map(toFieldName).join() === ['order', ...ownColumns].join();
}

async function* readRows(
  records: AsyncGenerator<CsvRecord>,
  read: Parameters<typeof fieldsIn>[1],
): AsyncGenerator<Row> {
  for await (const record of records) {
    const { cells, line } = record;
    const fault = widthFault(cells, read.columns.length);
    yield { line, cells, ...(fault === null ? fieldsIn(cells, read) : { fields: {}, faults: [fault] }) };
  }
}

/** Reads the failed rows of a JSON file: the first cell contains the order. */
async function* readJsonRows(records: AsyncGenerator<CsvRecord>): AsyncGenerator<Row> {
  for await (const { cells, line } of records) yield jsonRow(cells[0] ?? '', line);
}

interface PresetParts {
  name: string;
  layout: Layout;
  preset: PresetName;
  filter: OrderFilter;
  findings: Findings;
}

/** Reads the export of a shop system: the rows of each order are one row of the table. Throws UsageError. */
function presetTable(
  records: AsyncGenerator<CsvRecord>,
  headers: readonly string[],
  { name, ...parts }: PresetParts,
): ReadTable {
  const { preset } = parts;
  const missing = missingColumns(preset, headers);
  if (missing.length > 0) {
    throw new UsageError(`${name} is not ${presets[preset].title}: it has no column ${missing.join(', ')}.`, {
      hint: recognizeExport(headers) ?? 'Without --preset, name its columns with --map.',
      missing,
    });
  }
  const ownFile = ownFileOfExport(headers);
  const rows = presetRows(records, cellsOf(headers, ownFile), { ...parts, width: headers.length });
  return { columns: headers, ignored: [], rows, label: (path) => path };
}

/** The failed rows of an export are in its own columns. */
function ownFileOfExport(headers: readonly string[]): OwnFile {
  const own = ownFileWith(headers.map(toFieldName));
  return own === 'failed rows' ? own : null;
}

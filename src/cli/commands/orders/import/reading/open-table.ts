import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import type { Fault } from '../../../../../contract/errors.ts';
import { type Fields, isFields } from '../../../../../domain/fields.ts';
import { UsageError } from '../../../../kit/errors/failure.ts';
import { invocation, phrase } from '../../../../kit/result/message.ts';
import { jsonFault } from '../../../../kit/system/files.ts';
import { type Layout, type PresetName, type Source, type Tally, textsOf } from '../source.ts';
import { columnFilter, type OrderFilter } from './column-filter.ts';
import {
  type Column,
  columnsIn,
  fieldOf,
  fieldsIn,
  type OwnFile,
  ownColumns,
  withPhonesRead,
} from './csv-columns.ts';
import { groupRows, type Row } from './group-rows.ts';
import {
  type Cells,
  foldedColumn,
  missingColumns,
  presets,
  recognizeExport,
  wooJsonOrder,
} from './presets.ts';
import type { LeftOut } from './ready-orders.ts';

/** Reads orders from a file: CSV, NDJSON, JSON, or the export of a shop system. */

/** The rows of a file, in order. */
export interface Table {
  /** The headers of `cells`. */
  columns: readonly string[];
  /** Columns that are not order fields. */
  ignored: readonly string[];
  rows: AsyncGenerator<Row>;
  /** The column or field that the path of a fault refers to. */
  label(path: string): string;
  /** The orders read so far that are not imported, by their reason. */
  left_out?: LeftOutOrders;
}

/** Orders that are not imported, by their reason: how many, and the first of them. */
export type LeftOutOrders = ReadonlyMap<string, { count: number; example: string }>;

/** Opens a file as rows and adds up its contents in `tally`. Throws UsageError. */
export async function openTable(source: Source, tally: Tally): Promise<Table> {
  const { layout } = source;
  const table = await tableOf(source, textsOf(source, tally));
  return layout.store === null ? table : { ...table, rows: withStore(layout.store, table.rows) };
}

async function tableOf(source: Source, texts: AsyncGenerator<string>): Promise<Table> {
  const { format, name, layout } = source;
  if (format === 'csv') return csvTable(texts, source);
  const table = format === 'json' ? await jsonTable(texts, name) : ndjsonTable(texts, name);
  return layout.preset === null ? table : wooTable(table, layout);
}

/** Adds the store to rows that have no pickup of their own. */
async function* withStore(store: string, rows: AsyncGenerator<Row>): AsyncGenerator<Row> {
  for await (const row of rows) {
    const { pickup_address, pickup_store_id } = row.fields;
    const hasOwn = pickup_address !== undefined || pickup_store_id !== undefined;
    yield hasOwn ? row : { ...row, fields: { ...row.fields, pickup_store_id: store } };
  }
}

/**
 * Reads values whose first line names the fields (RFC 4180), separated by commas, or by semicolons or tabs if its first
 * line is. Throws UsageError.
 */
async function csvTable(
  texts: AsyncGenerator<string>,
  { name, layout }: Pick<Source, 'name' | 'layout'>,
): Promise<Table> {
  const { separator, all } = await detectSeparator(texts);
  const records = recordsIn(all, name, separator);
  const first = await records.next();
  if (first.done === true) throw new UsageError(`There is nothing in ${name}.`);
  const headers = first.value.cells;
  if (isFailedJsonRows(headers))
    return { columns: ['order'], ignored: [], rows: jsonRowsIn(records), label: (path) => path };
  if (layout.preset !== null) return presetTable(records, headers, { name, layout, preset: layout.preset });
  const { columns, ignored, ownFile, fields } = columnsIn(headers, name, layout, recognizeExport(headers));
  const hasItemColumns = columns.some((column) => column?.field.startsWith('item_') === true);
  const rows = rowsIn(records, columns, ownFile);
  const filter = columnFilter(layout.only, headers, name);
  const left_out: LeftOutCounts = new Map();
  return {
    columns: headers,
    ignored,
    rows: takenRows(layout.isOrderPerRow ? rows : groupRows(rows), filter, left_out),
    left_out,
    label: (path) => {
      const shown = hasItemColumns ? path.replace(/^items\[0\]\.(\w+)$/, 'item_$1') : path;
      const mapped = layout.map.find(([, field]) => field === shown && isAlone(field, fields));
      return mapped === undefined ? shown : `${mapped[0]} (${shown})`;
    },
  };
}

/** Leaves out the orders that are not to be imported. */
async function* takenRows(
  rows: AsyncIterable<Row>,
  filter: OrderFilter,
  left_out: LeftOutCounts,
): AsyncGenerator<Row> {
  for await (const row of rows) {
    const found = filter([row.cells, ...(row.more ?? [])]);
    if (found === null) yield row;
    else if ('path' in found) yield { ...row, faults: [found, ...row.faults] };
    else countLeftOut(left_out, found, String(row.fields.external_order_ref ?? `line ${row.line}`));
  }
}

function isAlone(field: string, fields: readonly string[]): boolean {
  return fields.indexOf(field) === fields.lastIndexOf(field);
}

/** True if the file contains the failed rows of a JSON file. */
function isFailedJsonRows(headers: readonly string[]): boolean {
  return headers.map(fieldOf).join() === ['order', ...ownColumns].join();
}

interface CsvRecord {
  cells: readonly string[];
  line: number;
}

const separators = [',', ';', '\t'];

/** A longer row is not an order but an unclosed quote, or a file without line breaks. */
const max_row_characters = 1024 * 1024;

/** The separator that the first line has most often outside of quotes, and all texts. */
async function detectSeparator(texts: AsyncGenerator<string>) {
  let head = '';
  while (!head.includes('\n') && head.length < max_row_characters) {
    const next = await texts.next();
    if (next.done === true) break;
    head += next.value;
  }
  const [line = ''] = head
    .replace(/^\ufeff/, '')
    .replaceAll(/"[^"]*"/g, '')
    .trimStart()
    .split('\n');
  const counts = separators.map((each) => line.split(each).length);
  const separator = separators[counts.indexOf(Math.max(...counts))] ?? ',';
  return { separator, all: withHead(head, texts) };
}

async function* withHead(head: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield head;
  yield* rest;
}

/** The records of a text, the line with the names included. Throws UsageError. */
export async function* recordsIn(
  texts: AsyncIterable<string>,
  name: string,
  delimiter = ',',
): AsyncGenerator<CsvRecord> {
  const parser = parse({
    info: true,
    delimiter,
    record_delimiter: '\n',
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    trim: true,
    max_record_size: max_row_characters,
  });
  // Its errors are thrown in the loop as well.
  const feeding = pipeline(texts, parser).catch(() => {});
  try {
    for await (const each of parser) yield recordOf(each);
  } catch (error) {
    throw error instanceof CsvError ? csvFault(error, name) : error;
  } finally {
    parser.destroy();
    await feeding;
  }
}

/** The parser reports the line on which a record ends. */
function recordOf({ record, info }: { record: string[]; info: { lines: number } }): CsvRecord {
  let line = info.lines;
  for (const cell of record) if (cell.includes('\n')) line -= cell.split('\n').length - 1;
  return { cells: record, line };
}

const reasons: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  CSV_MAX_RECORD_SIZE: 'a row is longer than 1 MiB: perhaps a quote is never closed',
  INVALID_OPENING_QUOTE: 'a quote stands inside of a value: it is written "" there, and the value in quotes',
  CSV_INVALID_CLOSING_QUOTE: 'more follows after a closing quote: a quote in a value is written ""',
};

function csvFault(error: CsvError, name: string): UsageError {
  const line = typeof error.lines === 'number' ? error.lines : null;
  const where = line === null ? name : `${name}, near line ${line}`;
  return new UsageError(`${where}: ${reasons[error.code] ?? error.message}.`, { cause: error });
}

async function* rowsIn(
  records: AsyncGenerator<CsvRecord>,
  columns: readonly (Column | null)[],
  ownFile: OwnFile,
): AsyncGenerator<Row> {
  for await (const { cells, line } of records) {
    const fault = widthFault(cells, columns.length);
    const read = fault === null ? fieldsIn(cells, columns, ownFile) : { fields: {}, faults: [fault] };
    yield { line, cells, ...read };
  }
}

/** A row must have as many cells as the header; extra empty cells are allowed. */
function widthFault(cells: readonly string[], width: number): Fault | null {
  if (cells.length === width || (cells.length > width && cells.slice(width).every((cell) => cell === '')))
    return null;
  return { path: 'row', message: `has ${cells.length} values, the header has ${width}` };
}

/** Reads the failed rows of a JSON file: the first cell contains the order. */
async function* jsonRowsIn(records: AsyncGenerator<CsvRecord>): AsyncGenerator<Row> {
  for await (const { cells, line } of records) yield rowOf(cells[0] ?? '', line);
}

/** Reads the export of a shop system: the rows of each order are one row of the table. Throws UsageError. */
function presetTable(
  records: AsyncGenerator<CsvRecord>,
  headers: readonly string[],
  { name, layout, preset }: { name: string; layout: Layout; preset: PresetName },
): Table {
  const missing = missingColumns(preset, headers);
  if (missing.length > 0) {
    throw new UsageError(`${name} is not ${presets[preset].title}: it has no column ${missing.join(', ')}.`, {
      hint: recognizeExport(headers) ?? 'Without --preset, name its columns with --map.',
      missing,
    });
  }
  const left_out: LeftOutCounts = new Map();
  const filter = columnFilter(layout.only, headers, name);
  const rows = presetRows(records, headers, { layout, preset, left_out, filter });
  return { columns: ['order'], ignored: [], rows, label: (path) => path, left_out };
}

interface PresetParts {
  layout: Layout;
  preset: PresetName;
  left_out: LeftOutCounts;
  filter: OrderFilter;
}

async function* presetRows(
  records: AsyncGenerator<CsvRecord>,
  headers: readonly string[],
  { layout, preset, left_out, filter }: PresetParts,
): AsyncGenerator<Row> {
  const { keyOf, orderOf, referenceOf } = presets[preset];
  const indexes = new Map(headers.map((header, index) => [foldedColumn(header), index]));
  const cellsOf =
    ({ cells }: CsvRecord): Cells =>
    (column) =>
      (cells[indexes.get(foldedColumn(column)) ?? cells.length] ?? '').replace(/^'/, '').trim();
  const read = new Set<string>();
  for await (const { key, first, others } of groupsOf(records, (record) => keyOf(cellsOf(record)))) {
    if (key !== null && read.has(key)) yield scatteredRow(first);
    if (key !== null) read.add(key);
    const group = [first, ...others];
    const [fault] = group.flatMap(({ cells }) => widthFault(cells, headers.length) ?? []);
    const choice = fault ?? filter(group.map(({ cells }) => cells));
    const found =
      choice !== null && 'path' in choice
        ? { fields: {}, faults: [choice] }
        : (choice ?? orderOf(cellsOf(first), group.map(cellsOf), layout));
    if ('fields' in found)
      yield withPhonesRead({ line: first.line, cells: [JSON.stringify(found.fields)], ...found });
    else countLeftOut(left_out, found, referenceOf(cellsOf(first)));
  }
}

/** The rows of an order. */
interface Group {
  key: string | null;
  first: CsvRecord;
  others: CsvRecord[];
}

/** Groups rows that follow each other and have the same key; one without a key belongs to the row before. */
async function* groupsOf(
  records: AsyncGenerator<CsvRecord>,
  keyOf: (record: CsvRecord) => string | null,
): AsyncGenerator<Group> {
  let group: Group | null = null;
  for await (const record of records) {
    const key = keyOf(record);
    if (group !== null && (key === null || key === group.key)) {
      group.others.push(record);
      continue;
    }
    if (group !== null) yield group;
    group = { key, first: record, others: [] };
  }
  if (group !== null) yield group;
}

/** Refuses a row of an order that has already been read: it would become a second order. */
function scatteredRow({ cells, line }: CsvRecord): Row {
  const message =
    'belongs to an order further up: sort the file, so that the rows of each order stand together';
  return { line, cells: [JSON.stringify(cells)], fields: {}, faults: [{ path: 'row', message }] };
}

/** Reads orders as the REST interface of WooCommerce has them. */
function wooTable({ rows, ...table }: Table, layout: Layout): Table {
  const left_out: LeftOutCounts = new Map();
  return { ...table, rows: wooRows(rows, layout, left_out), left_out };
}

async function* wooRows(
  rows: AsyncGenerator<Row>,
  layout: Layout,
  left_out: LeftOutCounts,
): AsyncGenerator<Row> {
  for await (const row of rows) {
    const found = row.faults.length > 0 ? row : wooJsonOrder(row.fields, layout);
    if ('fields' in found) yield withPhonesRead({ ...row, ...found });
    else countLeftOut(left_out, found, String(row.fields.number ?? row.fields.id ?? `line ${row.line}`));
  }
}

type LeftOutCounts = Map<string, { count: number; example: string }>;

function countLeftOut(left_out: LeftOutCounts, { left_out: reason, detail }: LeftOut, ref: string): void {
  const example = detail === undefined ? ref : `${ref}, "${detail}"`;
  const known = left_out.get(reason) ?? { count: 0, example };
  left_out.set(reason, { ...known, count: known.count + 1 });
}

/** JSON files are read as a whole, unlike the other formats. */
const max_file_bytes = 64 * 1024 * 1024;

/** Reads an array of orders, or a request body, which has them in `orders`. Throws UsageError. */
async function jsonTable(texts: AsyncGenerator<string>, name: string): Promise<Table> {
  const json = await readWholeText(texts, name);
  if (json.trim() === '') throw new UsageError(`There is nothing in ${name}.`);
  const data = parseJson(json, name);
  const isBody = isFields(data) && Array.isArray(data.orders);
  if (!isBody && !Array.isArray(data))
    throw new UsageError(`${name} holds no array of orders.`, {
      hint: phrase`One order goes to \`${invocation('orders create', ['--file'])}\`.`,
    });
  const ignored = isBody ? Object.keys(data).filter((field) => field !== 'orders') : [];
  return { columns: ['order'], ignored, rows: rowsOfJson(json, isBody), label: (path) => path };
}

async function readWholeText(texts: AsyncGenerator<string>, name: string): Promise<string> {
  const read: string[] = [];
  let length = 0;
  for await (const text of texts) {
    length += text.length;
    if (length > max_file_bytes)
      throw new UsageError(`${name} is longer than 64 MiB.`, {
        hint: 'JSON is read as a whole: give it as CSV, or as NDJSON, an order on each line.',
      });
    read.push(text);
  }
  return read.join('').replace(/^\ufeff/, '');
}

function parseJson(json: string, name: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new UsageError(`${name} is not valid JSON: ${jsonFault(json)}.`, {
      hint: 'If it has one order per line, pass --format ndjson.',
      cause: error,
    });
  }
}

async function* rowsOfJson(json: string, isBody: boolean): AsyncGenerator<Row> {
  for (const { text, line } of arrayElements(json, isBody)) yield rowOf(text, line);
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},\n]/g;

interface JsonElement {
  text: string;
  /** The line where it starts, from 1. */
  line: number;
}

/** Splits valid JSON into the elements of its array. */
function* arrayElements(json: string, isBody: boolean): Generator<JsonElement> {
  const level = isBody ? 2 : 1;
  let [depth, line, key] = [0, 1, ''];
  let start: { at: number; line: number } | null = null;
  for (const { 0: token, index } of json.matchAll(tokens)) {
    if (token === '\n') line += 1;
    else if (token.startsWith('"')) key = depth === 1 ? token : key;
    else if (start !== null && depth === level && (token === ',' || token === ']')) {
      const text = json.slice(start.at, index);
      const [blank = ''] = /^\s*/.exec(text) ?? [];
      if (text !== blank) yield { text: text.trim(), line: start.line + blank.split('\n').length - 1 };
      start = token === ',' ? { at: index + 1, line } : null;
      if (token === ']') depth -= 1;
    } else if (token === '[' || token === '{') {
      depth += 1;
      const isOrders = !isBody || key === '"orders"';
      if (start === null && token === '[' && depth === level && isOrders) start = { at: index + 1, line };
    } else if (token !== ',') depth -= 1;
  }
}

/** Reads one order as JSON on each line. */
function ndjsonTable(texts: AsyncGenerator<string>, name: string): Table {
  return { columns: ['order'], ignored: [], rows: rowsOfLines(texts, name), label: (path) => path };
}

async function* rowsOfLines(texts: AsyncGenerator<string>, name: string): AsyncGenerator<Row> {
  let line = 0;
  let rest = '';
  for await (const text of texts) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const each of lines) {
      line += 1;
      if (each.trim() !== '') yield rowOf(each, line);
    }
    if (rest.length > max_row_characters)
      throw new UsageError(`${name}, line ${line + 1} is longer than 1 MiB: it cannot be an order.`);
  }
  if (rest.trim() !== '') yield rowOf(rest, line + 1);
}

/** The row of an order as JSON. */
function rowOf(text: string, line: number): Row {
  const row = { line, fields: {}, cells: [text] };
  try {
    const data: unknown = JSON.parse(text);
    if (isFields(data)) return withPhonesRead({ ...row, fields: withoutNulls(data), faults: [] });
    return { ...row, faults: [{ path: 'order', message: 'is not an object of fields' }] };
  } catch {
    const fault = jsonFault(text.trimEnd(), { line });
    return { ...row, faults: [{ path: 'order', message: `is not valid JSON: ${fault}` }] };
  }
}

/** Null means the same as a missing field. */
function withoutNulls(fields: Fields): Fields {
  const { items } = fields;
  const given = Array.isArray(items)
    ? { ...fields, items: items.map((item: unknown) => (isFields(item) ? presentIn(item) : item)) }
    : fields;
  return presentIn(given);
}

function presentIn(fields: Fields): Fields {
  if (!Object.values(fields).includes(null)) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

import { once } from 'node:events';
import { createWriteStream, renameSync, rmSync, type WriteStream } from 'node:fs';
import { finished, pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import type { Fault } from '../../../../contract/errors.ts';
import { orderRequestFields } from '../../../../contract/orders.ts';
import type { Fields } from '../../../../domain/fields.ts';
import { exclusive } from '../../../../domain/order-rules.ts';
import { didYouMean } from '../../../kit/args/suggestions.ts';
import { UsageError } from '../../../kit/errors/failure.ts';
import { csvRows } from '../../../kit/output/json.ts';
import { escapeOf, sanitized, unguarded } from '../../../kit/output/sanitize.ts';
import { invocation, phrase } from '../../../kit/result/message.ts';
import type { CellValue } from '../../../kit/result/result.ts';
import {
  addressLineOf,
  type Cells,
  centsIn,
  folded,
  mappedFields,
  missingColumns,
  type PresetName,
  phoneIn,
  presets,
  recognized,
  timeAt,
  Unreadable,
  wooJsonOrder,
} from './presets.ts';
import {
  type Layout,
  max_row_characters,
  type Row,
  rowOf,
  type Source,
  type Table,
  unwritable,
} from './source.ts';

interface CsvRecord {
  cells: readonly string[];
  line: number;
}

/**
 * Reads values whose first line names the fields (RFC 4180), separated by commas, or by semicolons or tabs if its first
 * line is. Throws UsageError.
 */
export async function csvTable(
  texts: AsyncGenerator<string>,
  { name, layout }: Pick<Source, 'name' | 'layout'>,
): Promise<Table> {
  const { separator, all } = await separated(texts);
  const records = recordsIn(all, name, separator);
  const first = await records.next();
  if (first.done === true) throw new UsageError(`There is nothing in ${name}.`);
  const headers = first.value.cells;
  if (isOwnJson(headers))
    return { columns: ['order'], ignored: [], rows: jsonRowsIn(records), label: (path) => path };
  if (layout.preset !== null) return presetTable(records, headers, { name, preset: layout.preset });
  const { columns, ignored, own, fields } = columnsIn(headers, name, layout);
  const hasItemColumns = columns.some((column) => column?.field.startsWith('item_') === true);
  return {
    columns: headers,
    ignored,
    rows: rowsIn(records, columns, own),
    label: (path) => {
      const shown = hasItemColumns ? path.replace(/^items\[0\]\.(\w+)$/, 'item_$1') : path;
      const own = layout.map.find(([, field]) => field === shown && isAlone(field, fields));
      return own === undefined ? shown : `${own[0]} (${shown})`;
    },
  };
}

function isAlone(field: string, fields: readonly string[]): boolean {
  return fields.indexOf(field) === fields.lastIndexOf(field);
}

const separators = [',', ';', '\t'];

/** The separator that the first line has most often outside of quotes, and all texts. */
async function separated(texts: AsyncGenerator<string>) {
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

/** Reads the export of a shop system: the rows of each order are one row of the table. Throws UsageError. */
function presetTable(
  records: AsyncGenerator<CsvRecord>,
  headers: readonly string[],
  { name, preset }: { name: string; preset: PresetName },
): Table {
  const missing = missingColumns(preset, headers);
  if (missing.length > 0) {
    throw new UsageError(`${name} is not ${presets[preset].title}: it has no column ${missing.join(', ')}.`, {
      hint: recognized(headers) ?? 'Without --preset, name its columns with --map.',
      missing,
    });
  }
  const left_out = new Map<string, number>();
  const rows = presetRows(records, headers, { preset, left_out });
  return { columns: ['order'], ignored: [], rows, label: (path) => path, left_out };
}

/** Reads orders as the REST interface of WooCommerce has them. */
export function wooTable({ rows, ...table }: Table): Table {
  const left_out = new Map<string, number>();
  return { ...table, rows: wooRows(rows, left_out), left_out };
}

async function* wooRows(rows: AsyncGenerator<Row>, left_out: Map<string, number>): AsyncGenerator<Row> {
  for await (const row of rows) {
    const found = row.faults.length > 0 ? row : wooJsonOrder(row.fields);
    if ('fields' in found) yield { ...row, ...found };
    else countLeftOut(left_out, found.left_out);
  }
}

function countLeftOut(left_out: Map<string, number>, reason: string): void {
  left_out.set(reason, (left_out.get(reason) ?? 0) + 1);
}

/** Refuses a row of an order that has already been read: it would become a second order. */
function apart({ cells, line }: CsvRecord): Row {
  const message =
    'belongs to an order further up: sort the file, so that the rows of each order stand together';
  return { line, cells: [JSON.stringify(cells)], fields: {}, faults: [{ path: 'row', message }] };
}

async function* presetRows(
  records: AsyncGenerator<CsvRecord>,
  headers: readonly string[],
  { preset, left_out }: { preset: PresetName; left_out: Map<string, number> },
): AsyncGenerator<Row> {
  const { keyOf, orderOf } = presets[preset];
  const places = new Map(headers.map((header, place) => [folded(header), place]));
  const cellsOf =
    ({ cells }: CsvRecord): Cells =>
    (column) =>
      (cells[places.get(folded(column)) ?? cells.length] ?? '').replace(/^'/, '').trim();
  let [group, key]: [CsvRecord[], string | null] = [[], null];
  const read = new Set<string>();
  const ended = (): Row[] => {
    const [first] = group;
    if (first === undefined) return [];
    const [fault] = group.flatMap(({ cells }) => wrongWidth(cells, headers.length) ?? []);
    const found =
      fault === undefined ? orderOf(cellsOf(first), group.map(cellsOf)) : { fields: {}, faults: [fault] };
    if ('fields' in found) return [{ line: first.line, cells: [JSON.stringify(found.fields)], ...found }];
    countLeftOut(left_out, found.left_out);
    return [];
  };
  for await (const record of records) {
    const next = keyOf(cellsOf(record));
    if (group.length > 0 && (next === null || next === key)) {
      group.push(record);
    } else {
      yield* ended();
      if (next !== null && read.has(next)) yield apart(record);
      if (next !== null) read.add(next);
      [group, key] = [[record], next];
    }
  }
  yield* ended();
}

async function* rowsIn(
  records: AsyncGenerator<CsvRecord>,
  columns: readonly (Column | null)[],
  own: OwnFile,
): AsyncGenerator<Row> {
  for await (const { cells, line } of records) {
    const fault = wrongWidth(cells, columns.length);
    const read = fault === null ? fieldsIn(cells, columns, own) : { fields: {}, faults: [fault] };
    yield { line, cells, ...read };
  }
}

/** Reads the failed rows of a JSON file: the first cell contains the order. */
async function* jsonRowsIn(records: AsyncGenerator<CsvRecord>): AsyncGenerator<Row> {
  for await (const { cells, line } of records) yield rowOf(cells[0] ?? '', line);
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
    throw error instanceof CsvError ? broken(error, name) : error;
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

function broken(error: CsvError, name: string): UsageError {
  const line = typeof error.lines === 'number' ? error.lines : null;
  const where = line === null ? name : `${name}, near line ${line}`;
  return new UsageError(`${where}: ${reasons[error.code] ?? error.message}.`, { cause: error });
}

type Kind = 'part' | 'text' | 'phone' | 'dollars' | 'cents' | 'count' | 'degrees' | 'flag' | 'json';

/** The field of a column, and how its cells are read. */
interface Column {
  field: string;
  kind: Kind;
}

/** The three columns of an order with one item. */
const itemKinds: Record<string, Kind> = { item_name: 'text', item_quantity: 'count', item_size: 'text' };

/** The columns that this program adds to a file of failed rows. */
const ownColumns: readonly string[] = ['line', 'error'];

/** True if the file contains the failed rows of a JSON file. */
function isOwnJson(headers: readonly string[]): boolean {
  return headers.map(fieldOf).join() === ['order', ...ownColumns].join();
}

/** The parts of an address that have a column each: `dropoff_street`. */
const partNames = /^(pickup|dropoff)_(street|city|state|zip)$/;

function kindOf(name: string): Kind | undefined {
  if (partNames.test(name)) return 'part';
  if (name === 'items') return 'json';
  if (name === 'pickup_phone_number' || name === 'dropoff_phone_number') return 'phone';
  const schema = Object.entries(orderRequestFields).find(([field]) => field === name)?.[1];
  if (schema === undefined) return itemKinds[name];
  const type = 'type' in schema ? schema.type : undefined;
  if (type === 'integer') return 'dollars';
  if (type === 'number') return 'degrees';
  return type === 'boolean' ? 'flag' : 'text';
}

/** `Pickup Phone-Number` is `pickup_phone_number`, and so is `pickup_phone`, as the flag is called. */
function fieldOf(header: string): string {
  return header
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
    .replace(/^(pickup|dropoff)_phone$/, '$1_phone_number');
}

/** The order field of a column; null if orders have no such field. `tip_cents` is `tip` in cents, as exports write it. */
function columnOf(name: string): Column | null {
  const amount = /^(.+)_cents$/.exec(name)?.[1];
  if (amount !== undefined && kindOf(amount) === 'dollars') return { field: amount, kind: 'cents' };
  const kind = kindOf(name);
  return kind === undefined ? null : { field: name, kind };
}

interface Columns {
  /** One for each cell of a row; null for a column that is not an order field. */
  columns: (Column | null)[];
  ignored: string[];
  /** The field of each column, known or not. */
  fields: readonly string[];
  /** Which file of ours it is, in which formulas are escaped: one of failed rows, or an export of orders. */
  own: OwnFile;
}

type OwnFile = 'failed rows' | 'export' | null;

/** Reads the header of a file. Throws UsageError if a required column is missing. */
function columnsIn(headers: readonly string[], name: string, { map, store }: Layout): Columns {
  const fields = mappedFields(headers, { map, own: fieldOf, name });
  const unknown = map.find(([, field]) => columnOf(field) === null);
  if (unknown !== undefined) {
    const [header, field] = unknown;
    const parts = ['dropoff_street', 'dropoff_city', 'dropoff_zip'];
    const hint = didYouMean(field, [...Object.keys(orderRequestFields), ...parts]);
    throw new UsageError(`--map "${header}=${field}": an order has no field ${field}.`, hint ? { hint } : {});
  }
  const columns = fields.map(columnOf);
  const known = columns.flatMap((column) => (column === null ? [] : [column.field]));
  const ignored = headers.filter(
    (_, index) => columns[index] === null && !ownColumns.includes(fields[index] ?? ''),
  );
  checkColumns(known, { ignored, headers, name, map, store });
  const hasAll = (names: readonly string[]) => names.every((each) => fields.includes(each));
  const own = hasAll(ownColumns) ? 'failed rows' : hasAll(exportColumns) ? 'export' : null;
  return { columns, ignored, fields, own };
}

/** Columns that an export of orders has and no order to create. */
const exportColumns = ['id', 'status', 'created_at', 'updated_at'];

const dropoffColumns = ['dropoff_address', 'dropoff_name', 'dropoff_phone_number'];
const pickupColumns = ['pickup_address', 'pickup_name', 'pickup_phone_number'];
/** The columns of a pickup, which a store replaces. */
const storeColumns = [...pickupColumns, 'pickup_unit', 'pickup_notes', 'pickup_latitude', 'pickup_longitude'];
const itemColumns = ['items', 'items_description', 'item_name'];

interface Header extends Omit<Layout, 'preset'> {
  ignored: readonly string[];
  headers: readonly string[];
  name: string;
}

function checkColumns(known: readonly string[], { ignored, headers, name, map, store }: Header): void {
  // Several columns that are mapped to one text are joined.
  const joined = map.flatMap(([, field]) => (columnOf(field)?.kind === 'text' ? [field] : []));
  const twice = known.find((field, index) => known.indexOf(field) !== index && !joined.includes(field));
  if (twice !== undefined) throw new UsageError(`${name} has the column ${twice} twice.`);
  const hasStore = store !== null || known.includes('pickup_store_id');
  const required = hasStore ? dropoffColumns : [...pickupColumns, ...dropoffColumns];
  const missing = required.filter((field) => !known.includes(field) && !isInParts(field, known));
  if (!itemColumns.some((field) => known.includes(field))) missing.push(itemColumns.join(' or '));
  if (missing.length === 0) return;
  const meant = ignored.flatMap((header) => {
    const question = didYouMean(fieldOf(header), missing);
    return question === undefined ? [] : phrase`The column ${header} is not known. ${question}`;
  });
  throw new UsageError(`${name} has no column ${missing.join(', ')}.`, {
    hint:
      recognized(headers) ??
      meant[0] ??
      (missing.every((field) => pickupColumns.includes(field))
        ? 'Pass the store from which all are picked up: --store STORE.'
        : null) ??
      phrase`The first line names the fields: \`${invocation('orders import', [], { help: true })}\`.`,
    missing,
  });
}

/** Whether an address has columns for its parts: the street, and the city or ZIP code. */
function isInParts(field: string, known: readonly string[]): boolean {
  const end = field.replace(/_address$/, '');
  return known.includes(`${end}_street`) && (known.includes(`${end}_zip`) || known.includes(`${end}_city`));
}

/** A row must have as many cells as the header; extra empty cells are allowed. */
function wrongWidth(cells: readonly string[], width: number): Fault | null {
  if (cells.length === width || (cells.length > width && cells.slice(width).every((cell) => cell === '')))
    return null;
  return { path: 'row', message: `has ${cells.length} values, the header has ${width}` };
}

/** Reads the order of a row, with its faults. An empty cell is a missing field. */
function fieldsIn(
  cells: readonly string[],
  columns: readonly (Column | null)[],
  own: OwnFile,
): { fields: Fields; faults: Fault[] } {
  const fields: Fields = {};
  const faults: Fault[] = [];
  const item: Fields = {};
  const parts = new Map<string, string>();
  for (const [index, column] of columns.entries()) {
    const text = (cells[index] ?? '').trim();
    if (column === null || text === '') continue;
    const { field, kind } = column;
    if (kind === 'part') {
      parts.set(field, text.replace(/^'/, ''));
      continue;
    }
    const plain = own === null ? text : unguarded(text);
    const value = readCell(own === 'failed rows' ? unescaped(plain).trim() : plain, kind);
    if (value instanceof Unreadable) faults.push({ path: field, message: value.why });
    else if (itemKinds[field] === undefined)
      fields[field] = fields[field] === undefined ? value : `${fields[field]} ${value}`;
    else item[field.slice('item_'.length)] = value;
  }
  // An export has the place of the store, too.
  if (own === 'export' && fields.pickup_store_id !== undefined)
    for (const name of storeColumns) delete fields[name];
  for (const end of ['pickup', 'dropoff']) {
    const part = (name: string) => parts.get(`${end}_${name}`) ?? '';
    const [street, city, state, zip] = [part('street'), part('city'), part('state'), part('zip')];
    const line = addressLineOf({ street, city, state, zip });
    if (line !== '' && fields[`${end}_address`] === undefined) fields[`${end}_address`] = line;
    const { [`${end}_address`]: address, [`${end}_at`]: at } = fields;
    // Without a zone it is the time at the address.
    const [, date, time] = /^([\d/-]+)[ T](\d[\d:]*(?: ?[ap]m)?)$/i.exec(String(at ?? '')) ?? [];
    if (date !== undefined && time !== undefined)
      fields[`${end}_at`] = timeAt(String(address ?? ''), date, time) ?? at;
  }
  if (Object.keys(item).length > 0) {
    if (fields.items !== undefined) faults.push(exclusive('item_name', 'items'));
    fields.items = [{ quantity: 1, ...item }];
  }
  return { fields, faults };
}

function readCell(text: string, kind: Kind): unknown {
  switch (kind) {
    case 'dollars':
      return centsOf(text);
    case 'cents':
    case 'count':
      return /^\d{1,15}$/.test(text) ? Number(text) : new Unreadable(`must be a whole number, not "${text}"`);
    case 'degrees':
      return /^[-+]?\d{1,3}(\.\d{1,15})?$/.test(text)
        ? Number(text)
        : new Unreadable(`must be degrees such as 41.8788, not "${text}"`);
    case 'flag':
      return flagOf(text.toLowerCase()) ?? new Unreadable(`must be true or false, not "${text}"`);
    case 'json':
      return jsonOf(text);
    case 'phone':
      return phoneIn(text);
    default:
      return text;
  }
}

function flagOf(text: string): boolean | undefined {
  if (text === 'true') return true;
  return text === 'false' ? false : undefined;
}

/** Reads dollars with cents. A whole number is refused, as it is cents in other formats and in the interface. */
function centsOf(text: string): number | Unreadable {
  const cents = /\.\d{1,2}$|,\d{2}$/.test(text) ? centsIn(text) : null;
  if (cents !== null) return cents;
  if (/^\$?0+$/.test(text)) return 0;
  const whole = /^\$?(\d{1,10})$/.exec(text)?.[1];
  if (whole === undefined) return new Unreadable(`must be dollars such as 4.50, not "${text}"`);
  return new Unreadable(
    `must be dollars with two decimals: write ${whole}.00, or name the column ..._cents if "${text}" is cents`,
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return new Unreadable(
      'must be JSON such as [{"name":"Soup","quantity":2}]; for words, call the column items_description',
    );
  }
}

/** A CSV file that replaces its target only once it is complete. */
export interface CsvFile {
  write(...rows: readonly (readonly CellValue[])[]): Promise<void>;
  /** Moves the file to its target. */
  keep(): Promise<void>;
}

/** Throws Failure if it cannot be written. */
export function createCsvFile(path: string, header: readonly string[]): CsvFile {
  const draft = `${path}.part`;
  // Creates a new file: an existing one, or a symbolic link, is removed and never written to.
  removeFile(draft);
  const stream = createWriteStream(draft, { mode: 0o600, flags: 'wx' });
  let fault: Error | null = null;
  stream.on('error', (error) => {
    fault = error;
  });
  const write: CsvFile['write'] = async (...rows) => {
    if (fault !== null) throw unwritable(path, fault);
    if (!stream.write(csvRows(rows.map((cells) => ({ data: null, cells }))))) await roomIn(stream);
  };
  void write(header).catch(() => {});
  return {
    write,
    keep: async () => {
      try {
        await finished(stream.end());
        renameSync(draft, path);
      } catch (error) {
        throw unwritable(path, error);
      }
    },
  };
}

/** Resolves when a stream accepts more or is closed; then removes its listeners. */
async function roomIn(stream: WriteStream): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]);
  } finally {
    waiting.abort();
  }
}

/** Removes a file that an earlier import left there. */
export function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** The header of the file of failed rows: the columns of the source file and the added ones. */
export function failedHeader(columns: readonly string[]): string[] {
  return [...columns.filter((_, index) => !isAdded(columns, index)), 'line', 'error'];
}

/**
 * The cells of a failed row; if its file is imported, the row is read back unchanged. Values for which the header has no
 * column stand at the end, so that the row is refused until someone has looked at them.
 */
export function failedCells(
  columns: readonly string[],
  { cells, line, error }: { cells: readonly string[]; line: number; error: string },
): CellValue[] {
  const isEscaped = columns.some((_, index) => isAdded(columns, index));
  const isJson = columns.length === 1 && columns[0] === 'order';
  const write = isJson || isEscaped ? escapedControls : escaped;
  const kept = columns
    .map((_, index) => write(cells[index] ?? ''))
    .filter((_, index) => !isAdded(columns, index));
  const surplus = cells.slice(columns.length).map(write);
  const isSurplus = surplus.some((cell) => cell !== '');
  return [...kept, line, escapedControls(error), ...(isSurplus ? surplus : [])];
}

/** True for a column that an earlier import added. */
function isAdded(columns: readonly string[], index: number): boolean {
  return ['line', 'error'].includes((columns[index] ?? '').trim().toLowerCase());
}

/** Writes control characters, which our files never contain, as in JSON: `\u001b`. `unescaped` reverses it. */
function escaped(text: string): string {
  return escapedControls(text.replace(/\\(?=u[0-9a-f]{4})/g, escapeOf('\\')));
}

/** Escapes control characters in JSON, which keeps its meaning. */
function escapedControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (found) => (sanitized(found) === found ? found : escapeOf(found)));
}

function unescaped(text: string): string {
  return text.replace(/\\u([0-9a-f]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

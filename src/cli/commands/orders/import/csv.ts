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
import { withCountry } from '../../../nouns/order-flags.ts';
import { max_row_characters, type Row, rowOf, type Table, unwritable } from './source.ts';

interface CsvRecord {
  cells: readonly string[];
  line: number;
}

/** Reads comma-separated values (RFC 4180) whose first line names the fields. Throws UsageError. */
export async function csvTable(texts: AsyncGenerator<string>, name: string): Promise<Table> {
  const records = recordsIn(texts, name);
  const first = await records.next();
  if (first.done === true) throw new UsageError(`There is nothing in ${name}.`);
  const headers = first.value.cells;
  if (isOwnJson(headers))
    return { columns: ['order'], ignored: [], rows: jsonRowsIn(records), label: (path) => path };
  const { columns, ignored, isOwn } = columnsIn(headers, name);
  const hasItemColumns = columns.some((column) => column?.field.startsWith('item_') === true);
  return {
    columns: headers,
    ignored,
    rows: rowsIn(records, columns, isOwn),
    label: (path) => (hasItemColumns ? path.replace(/^items\[0\]\.(\w+)$/, 'item_$1') : path),
  };
}

async function* rowsIn(
  records: AsyncGenerator<CsvRecord>,
  columns: readonly (Column | null)[],
  isOwn: boolean,
): AsyncGenerator<Row> {
  for await (const { cells, line } of records) {
    const fault = wrongWidth(cells, columns.length);
    const read = fault === null ? fieldsIn(cells, columns, isOwn) : { fields: {}, faults: [fault] };
    yield { line, cells, ...read };
  }
}

/** Reads the failed rows of a JSON file: the first cell contains the order. */
async function* jsonRowsIn(records: AsyncGenerator<CsvRecord>): AsyncGenerator<Row> {
  for await (const { cells, line } of records) yield rowOf(cells[0] ?? '', line);
}

/** The records of a text, the line with the names included. Throws UsageError. */
export async function* recordsIn(texts: AsyncIterable<string>, name: string): AsyncGenerator<CsvRecord> {
  const parser = parse({
    info: true,
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

type Kind = 'text' | 'phone' | 'dollars' | 'cents' | 'count' | 'degrees' | 'flag' | 'json';

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

function kindOf(name: string): Kind | undefined {
  if (name === 'items') return 'json';
  if (name === 'pickup_phone_number' || name === 'dropoff_phone_number') return 'phone';
  const schema = Object.entries(orderRequestFields).find(([field]) => field === name)?.[1];
  if (schema === undefined) return itemKinds[name];
  const type = 'type' in schema ? schema.type : undefined;
  if (type === 'integer') return 'dollars';
  if (type === 'number') return 'degrees';
  return type === 'boolean' ? 'flag' : 'text';
}

/** `Pickup Phone-Number` is `pickup_phone_number`. */
function fieldOf(header: string): string {
  return header
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
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
  /** True for a file of failed rows, in which formulas are escaped. */
  isOwn: boolean;
}

/** Reads the header of a file. Throws UsageError if a required column is missing. */
function columnsIn(headers: readonly string[], name: string): Columns {
  const fields = headers.map(fieldOf);
  const columns = fields.map(columnOf);
  const known = columns.flatMap((column) => (column === null ? [] : [column.field]));
  const ignored = headers.filter(
    (_, index) => columns[index] === null && !ownColumns.includes(fields[index] ?? ''),
  );
  checkColumns(known, { ignored, headers, name });
  return { columns, ignored, isOwn: ownColumns.every((own) => fields.includes(own)) };
}

const ofDropoff = ['dropoff_address', 'dropoff_name', 'dropoff_phone_number'];
const ofPickup = ['pickup_address', 'pickup_name', 'pickup_phone_number'];
const ofItems = ['items', 'items_description', 'item_name'];

interface Header {
  ignored: readonly string[];
  headers: readonly string[];
  name: string;
}

function checkColumns(known: readonly string[], { ignored, headers, name }: Header): void {
  const twice = known.find((field, index) => known.indexOf(field) !== index);
  if (twice !== undefined) throw new UsageError(`${name} has the column ${twice} twice.`);
  const required = known.includes('pickup_store_id') ? ofDropoff : [...ofPickup, ...ofDropoff];
  const missing = required.filter((field) => !known.includes(field));
  if (!ofItems.some((field) => known.includes(field))) missing.push(ofItems.join(' or '));
  if (missing.length === 0) return;
  const meant = ignored.flatMap((header) => didYouMean(fieldOf(header), missing) ?? []);
  throw new UsageError(`${name} has no column ${missing.join(', ')}.`, {
    hint:
      separatorHint(headers) ??
      meant[0] ??
      phrase`The first line names the fields: \`${invocation('orders import', [], { help: true })}\`.`,
    missing,
  });
}

function separatorHint([first = '', ...others]: readonly string[]): string | null {
  if (others.length > 0 || !/[;\t]/.test(first)) return null;
  return `Its values are separated by ${first.includes(';') ? 'semicolons' : 'tabs'}: save it with commas.`;
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
  isOwn: boolean,
): { fields: Fields; faults: Fault[] } {
  const fields: Fields = {};
  const faults: Fault[] = [];
  const item: Fields = {};
  for (const [index, column] of columns.entries()) {
    const text = (cells[index] ?? '').trim();
    if (column === null || text === '') continue;
    const { field, kind } = column;
    const value = readCell(isOwn ? unescaped(unguarded(text)).trim() : text, kind);
    if (value instanceof Unreadable) faults.push({ path: field, message: value.why });
    else if (itemKinds[field] === undefined) fields[field] = value;
    else item[field.slice('item_'.length)] = value;
  }
  if (Object.keys(item).length > 0) {
    if (fields.items !== undefined) faults.push(exclusive('item_name', 'items'));
    fields.items = [{ quantity: 1, ...item }];
  }
  return { fields, faults };
}

class Unreadable {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
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
      return withCountry(text);
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
  const dollars = /^\$?(\d{1,10})\.(\d{2})$/.exec(text);
  if (dollars !== null) return Number(`${dollars[1]}${dollars[2]}`);
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
    return new Unreadable('must be JSON such as [{"name":"Soup","quantity":2}]');
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

/** The cells of a failed row; if its file is imported, the row is read back unchanged. */
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
  return [...kept, line, escapedControls(error)];
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

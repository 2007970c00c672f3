import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { extname, resolve } from 'node:path';
import type { Fault } from '../../../../contract/errors.ts';
import { type Fields, isFields } from '../../../../domain/fields.ts';
import { Failure, UsageError } from '../../../kit/errors/failure.ts';
import { jsonFault } from '../../../kit/output/json-fault.ts';
import { type Invocation, invocation, phrase } from '../../../kit/result/message.ts';
import { codeOf, notUtf8, reasonOf } from '../../../kit/system/files.ts';
import type { ColumnMap, PresetName } from './presets.ts';

export const sourceFormats = ['csv', 'ndjson', 'json'] as const;
export type SourceFormat = (typeof sourceFormats)[number];

/** Flags as typed, by their names in the code. */
type TypedFlags = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** How the columns of a file are read. */
export interface Layout {
  /** The system whose export the file is; null for columns that are named after the fields of an order. */
  preset: PresetName | null;
  map: ColumnMap;
  /** The store from which orders without a pickup of their own are picked up. */
  store: string | null;
}

/** The file to import. */
export interface Source {
  /** The path as given; used in messages and for the files beside it. */
  name: string;
  path: string;
  format: SourceFormat;
  layout: Layout;
  /** The typed flags of this command, for suggested commands. */
  typed: TypedFlags;
}

const formatOfEnding: Record<string, SourceFormat> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
};

interface Asked {
  /** The format of the file, if given. */
  format: SourceFormat | undefined;
  layout: Layout;
  typed: TypedFlags;
}

/** Throws UsageError if neither the extension nor `format` tells the format. */
export function sourceOf(name: string, folder: string, { format, layout, typed }: Asked): Source {
  if (name === '-')
    throw new UsageError('An import that can be resumed needs a file: stdin cannot be read again.');
  const found = format ?? formatOfEnding[extname(name).toLowerCase()];
  if (found !== undefined) {
    checkLayout(layout, found);
    return { name, path: resolve(folder, name), format: found, layout, typed };
  }
  throw new UsageError(`Cannot tell the format of ${name} from its name.`, {
    hint: isSpreadsheet(name)
      ? 'Save the spreadsheet as CSV UTF-8, and import that file.'
      : 'Give a file that ends in .csv, .ndjson or .json, or pass --format.',
    choices: sourceFormats,
  });
}

/** True if something else is given than an import was started with. */
export function isOtherLayout(
  { preset, map, store }: Layout,
  started: { preset: PresetName | null; map: readonly (readonly string[])[]; store: string | null },
): boolean {
  const isOtherMap = map.length > 0 && JSON.stringify(map) !== JSON.stringify(started.map);
  return (
    isOtherMap || (preset ?? started.preset) !== started.preset || (store ?? started.store) !== started.store
  );
}

function checkLayout({ preset, map }: Layout, format: SourceFormat): void {
  if (format !== 'csv' && map.length > 0)
    throw new UsageError('--map names columns: it applies to CSV only.');
  if (preset === null) return;
  if (map.length > 0) throw new UsageError('Use --preset or --map: a preset knows the columns of its file.');
  if (format !== 'csv' && preset !== 'woocommerce')
    throw new UsageError(`--preset ${preset} reads the CSV file that the system exports, not ${format}.`);
}

function isSpreadsheet(name: string): boolean {
  return /\.(xlsx?|xlsm|ods|numbers)$/i.test(name);
}

/** Totals of the part of a file that was read. */
export interface Tally {
  bytes: number;
  add(bytes: Buffer): void;
  /** The hash of the part that was read; can be called once. */
  sha256(): string;
}

export function createTally(): Tally {
  const hash = createHash('sha256');
  const tally: Tally = {
    bytes: 0,
    add: (bytes) => {
      hash.update(bytes);
      tally.bytes += bytes.length;
    },
    sha256: () => hash.digest('hex'),
  };
  return tally;
}

/** Yields the text of a file in pieces, without a byte order mark and with newlines normalized. Throws UsageError. */
export async function* textsOf(
  { name, path }: Pick<Source, 'name' | 'path'>,
  tally: Tally,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  // A CRLF may be split between two pieces.
  let held = '';
  try {
    for await (const bytes of createReadStream(path, { highWaterMark: 256 * 1024 })) {
      if (!Buffer.isBuffer(bytes)) continue;
      tally.add(bytes);
      const text = held + decoder.decode(bytes, { stream: true });
      held = text.endsWith('\r') ? '\r' : '';
      yield unixText(text.slice(0, text.length - held.length));
    }
    yield unixText(held + decoder.decode());
  } catch (error) {
    if (error instanceof TypeError) throw notUtf8(name);
    throw new UsageError(`The file ${name} cannot be read: ${reasonOf(error)}.`, { cause: error });
  }
}

function unixText(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** Reads a file to compute its totals only. Throws UsageError. */
export async function tallyOf(source: Source): Promise<Tally> {
  const tally = createTally();
  for await (const _ of textsOf(source, tally));
  return tally;
}

/** The files beside the one that is imported. */
export interface ImportFiles {
  journal: string;
  ok: string;
  failed: string;
  /** Exists while a process imports the file. */
  lock: string;
}

export function filesOf(path: string): ImportFiles {
  return {
    journal: `${path}.waybill-journal`,
    ok: `${path}.ok.csv`,
    failed: `${path}.failed.csv`,
    lock: `${path}.waybill-lock`,
  };
}

/** The command that imports a file, with the flags typed this time. */
export function importLine(
  { name, typed }: Pick<Source, 'name' | 'typed'>,
  flags: TypedFlags = {},
): Invocation {
  return invocation('orders import', [name], { ...typed, ...flags });
}

/** One order of a file, as read. */
export interface Row {
  /** The line where it starts, from 1. */
  line: number;
  /** The order in the form of the contract, as far as it could be read. */
  fields: Fields;
  /** The values that could not be read. */
  faults: Fault[];
  /** The original cells, in the columns of the table. */
  cells: readonly string[];
}

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
  left_out?: ReadonlyMap<string, number>;
}

/** A longer row is not an order but an unclosed quote, or a file without line breaks. */
export const max_row_characters = 1024 * 1024;

/** JSON files are read as a whole, unlike the other formats. */
const max_file_bytes = 64 * 1024 * 1024;

/** Reads an array of orders, or a request body. Throws UsageError. */
export async function jsonTable(texts: AsyncGenerator<string>, name: string): Promise<Table> {
  const json = await wholeText(texts, name);
  const { isBody, ignored } = formOf(json, name);
  return { columns: ['order'], ignored, rows: rowsOfJson(json, isBody), label: (path) => path };
}

async function wholeText(texts: AsyncGenerator<string>, name: string): Promise<string> {
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

interface JsonForm {
  /** True if the orders are in `orders`. */
  isBody: boolean;
  ignored: string[];
}

function formOf(json: string, name: string): JsonForm {
  if (json.trim() === '') throw new UsageError(`There is nothing in ${name}.`);
  const data = parsed(json, name);
  if (Array.isArray(data)) return { isBody: false, ignored: [] };
  if (isFields(data) && Array.isArray(data.orders))
    return { isBody: true, ignored: Object.keys(data).filter((field) => field !== 'orders') };
  throw new UsageError(`${name} holds no array of orders.`, {
    hint: phrase`One order goes to \`${invocation('orders create', ['--file'])}\`.`,
  });
}

function parsed(json: string, name: string): unknown {
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
  for (const { text, line } of piecesOf(json, isBody)) yield rowOf(text, line);
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},\n]/g;

interface Piece {
  text: string;
  /** The line where it starts, from 1. */
  line: number;
}

/** Splits valid JSON into the elements of its array. */
function* piecesOf(json: string, isBody: boolean): Generator<Piece> {
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
export function ndjsonTable(texts: AsyncGenerator<string>, name: string): Table {
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
export function rowOf(text: string, line: number): Row {
  const row = { line, fields: {}, cells: [text] };
  try {
    const data: unknown = JSON.parse(text);
    if (isFields(data)) return { ...row, fields: withoutNulls(data), faults: [] };
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

const closed: readonly string[] = ['EACCES', 'EPERM', 'EROFS'];
const full: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Explains why a file cannot be written. */
export function writeReason(error: unknown): string {
  const code = codeOf(error) ?? '';
  if (closed.includes(code)) return 'you may not write there';
  return code === 'EFBIG' ? 'it may not grow any larger' : reasonOf(error);
}

/** The error for a result file that cannot be written. */
export function unwritable(path: string, cause: unknown): Failure {
  const hint = full.includes(codeOf(cause) ?? '')
    ? 'Make room on the disk.'
    : 'The journal and the results stand beside the file: copy it to a folder that you may write to.';
  return new Failure(2, 'file_unwritable', `${path} cannot be written: ${writeReason(cause)}.`, {
    hint,
    cause,
  });
}

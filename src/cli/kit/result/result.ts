/**
 * The results of commands: a list or a record with columns, text, a JSON document, a drawing, or a stream of lines. A command
 * returns one (`listResult`, `recordResult`, ...), and `output/write-result.ts` writes it in the format of `--output`.
 */
import { isFields } from '../../../domain/fields.ts';
import type { Invocation, Text } from './message.ts';

/** The characters of plots: block and line characters, or ASCII for terminals that may not show those. */
export type PlotCharset = 'blocks' | 'ascii';

/** The value of a cell of a list or a record. */
export type CellValue = string | number | boolean | null | undefined | readonly string[];

/** How a value is shown to people. Programs get the value itself. */
export type ColumnKind =
  | 'id'
  | 'text'
  /** Cents as dollars. */
  | 'money'
  /** An ISO time as local time with its age. */
  | 'time'
  /** An ISO time to the second. */
  | 'instant'
  /** An ISO time as the time of day. */
  | 'clock'
  /** A date. */
  | 'day'
  /** A time, or two of them as an ISO interval. */
  | 'interval'
  /** Text that marks lateness. */
  | 'due'
  /** A phone number with its middle masked. */
  | 'phone'
  /** An e-mail address with its name masked. */
  | 'email'
  | 'status'
  | 'count'
  | 'miles';

/** A column without the way to its values: how it is named and shown. */
export interface ColumnHead {
  /** The name in JSON, and the header in CSV. */
  field: string;
  /** The header in CSV instead, if the values are those of the API. */
  rawCsvField?: string;
  /** The header of a table, and the label of a record. */
  header: string;
  kind: ColumnKind;
  /** Only with `-o wide`; records always include it. */
  wide?: true;
  /** Only for people, or only for programs. */
  only?: 'people' | 'programs';
  /** A table leaves it out if no row has a value. */
  unlessEmpty?: true;
  /** Named by `--columns`: it is shown even if no row has a value. */
  isSelected?: true;
  /** Whether people tell rows apart by it: a table has it first, whatever `--columns` names. */
  isKept?: true;
  /** Sentences: a table may wrap them. */
  prose?: true;
  /** A name: in a table that is too wide it is shortened, before columns are left out. */
  isName?: true;
  /** Whether it says what each row is about: it is shortened only after all optional columns were left out. */
  isRowName?: true;
  /** An ID that commands find by its end: in a table that is too wide it is shortened, before names are. */
  isFoundByEnd?: true;
  /** If a table is too wide, numbered columns are left out, 1 first: the higher, the longer it stays. */
  spare?: number;
  /** Flags that sort or filter by it (`due`, `sort=due`): with one of them every table shows it. */
  askedBy?: readonly string[];
}

/** True unless the column is only for other readers: people, or programs. */
export function isColumnFor({ only }: ColumnHead, forPeople: boolean): boolean {
  return only === undefined || (only === 'people') === forPeople;
}

/** Whether a list shows a column in a format. */
export function isColumnShown(column: ColumnHead, format: Format): boolean {
  const showsWide = format === 'wide' || format === 'csv' || (format === 'id' && column.kind === 'id');
  return isColumnFor(column, isForPeople(format)) && (column.wide === undefined || showsWide);
}

/** A column of records; its value is by default that of its field. */
export type Column<T> = Omit<ColumnHead, 'field'> & Zoned<T> & ColumnValue<T> & Rounded<T>;

interface Rounded<T> {
  /** The exact value of a cell that is shown rounded, for `--filter` and `--sort`. */
  exact?(row: T): number | null;
}

type ColumnValue<T> =
  | { field: CellField<T>; value?: undefined }
  | { field: string; value: (row: T) => CellValue };

/** The fields of a record that fit a cell. */
export type CellField<T> = { [K in keyof T & string]: T[K] extends CellValue ? K : never }[keyof T & string];

interface Zoned<T> {
  /** The IANA zone in which people read the times of the record; null: their own. */
  zone?(row: T): string | null;
}

/** One record: as the API returned it, and as cells in the order of the columns. */
export interface Row {
  data: unknown;
  cells: readonly CellValue[];
  /** The IANA zone of its times for people; absent or null: their own. */
  zone?: string | null;
  /** Replaces its cells for people. */
  draw?(show: Formatters): string;
}

interface ResultOptions {
  /** The exit code if not 0; a function is called after everything was shown, and may throw the error then. */
  exit?: number | (() => number);
  /** Lines for people on stderr after the result; a function is called after everything was shown. */
  notes?: readonly Text[] | (() => readonly Text[]);
  /** The clock that ages of times are counted from; by default the service's. */
  now?: (() => number) | undefined;
  /** The requested fields were already checked: a record with them may never occur. */
  areFieldsKnown?: true;
}

/** The rest of a list, noted on stderr. */
export interface NextPage {
  /** The command that continues the list, for programs. */
  command: Invocation;
  /** The command that shows the whole list, for people. */
  all: Invocation;
  /** Counts the whole list; null if that is unknown. */
  count: () => Promise<RecordCount | null>;
}

interface RecordCount {
  count: number;
  /** Whether there are more than these. */
  isLeast: boolean;
}

export interface ListResult extends ResultOptions {
  kind: 'list';
  columns: readonly ColumnHead[];
  rows: Iterable<Row> | AsyncIterable<Row>;
  /** Whether each row has its own drawing for people. */
  isDrawn: boolean;
  /** Whether drawn rows follow each other without empty lines. */
  isDense?: boolean | undefined;
  /** Drawn for people below the rows after an empty line; null: nothing. */
  footer?: ((show: Formatters) => string | null) | undefined;
  /** Called after the rows were shown. */
  more: () => NextPage | null;
  /** Printed on stderr if there are no rows; a function is called after it is known that there are none. */
  empty: Text | (() => Text);
}

export interface RecordResult extends ResultOptions {
  kind: 'record';
  columns: readonly ColumnHead[];
  row: Row;
}

export interface TextResult extends ResultOptions {
  kind: 'text';
  text: string;
}

export interface DocumentResult extends ResultOptions {
  kind: 'document';
  data: unknown;
}

/** Formatters of values for a line of a stream, or for a drawing. */
export interface Formatters {
  /** Formatters whose times are in another IANA zone; null for the reader's own. */
  inZone(zone: string | null): Formatters;
  money(cents: number): string;
  /** Local time with its age. */
  time(iso: string): string;
  /** Local time, with the date if it is another day. */
  clock(iso: string): string;
  /** Local time in a sentence: `at 10:04`, or after another word. */
  at(iso: string, word?: 'at' | 'about'): string;
  status(status: string): string;
  dim(text: string): string;
  strong(text: string): string;
  warning(text: string): string;
  /** Masks the middle of a phone number unless requested otherwise. */
  phone(number: string): string;
  /** Masks the name in an e-mail address unless requested otherwise. */
  email(address: string): string;
  /** The characters for plots; null without plots. */
  plotCharset: PlotCharset | null;
  /** The terminal's width; null without one. */
  room: number | null;
  /** The service's time in milliseconds since the epoch. */
  now: number;
}

export interface StreamLine {
  data: unknown;
  /** Null if the line is only for programs. */
  line(show: Formatters): string | null;
  /** The values for programs that read lines; by default the line for people. */
  rows?: readonly (readonly CellValue[])[];
  /** What the line says as separate changes, which can be sorted by time with those of other records. */
  changes?: readonly StreamChange[];
}

/** One change in a line; `at` is an ISO time. */
interface StreamChange {
  at: string;
  row: readonly CellValue[];
  text(show: Formatters): string;
}

export interface StreamResult extends ResultOptions {
  kind: 'stream';
  lines: AsyncIterable<StreamLine>;
}

/** A record combined from several sources: drawn for people, one document for programs. */
export interface DrawingResult extends ResultOptions {
  kind: 'drawing';
  data: unknown;
  /** The ID for `-o id`. */
  id: string;
  /** Rows for programs that read lines: each starts with its section. */
  rows: readonly (readonly CellValue[])[];
  draw(show: Formatters): string;
}

/** The result of a command; a renderer formats it. */
export type Result = ListResult | RecordResult | TextResult | DocumentResult | DrawingResult | StreamResult;

interface ListParts<T> extends ResultOptions {
  /** The API's own objects; an async iterable is shown as it arrives, in constant memory. */
  data: Iterable<T> | AsyncIterable<T>;
  columns: readonly Column<T>[];
  /** Draws each record for people instead of a table. */
  draw?: Draw<T> | undefined;
  /** Without empty lines between them. */
  isDense?: boolean;
  /** Drawn for people below the rows. */
  footer?: ListResult['footer'];
  more?: () => NextPage | null;
  empty?: ListResult['empty'] | undefined;
}

/** The exit code of a list that may end with an error, which `failure` returns once all rows are written. */
export function exitUnless(failure: () => unknown): () => 0 {
  return () => {
    const error = failure();
    if (error !== null) throw error;
    return 0;
  };
}

/** Formats one record of a list as lines for people. */
export type Draw<T> = (row: T, show: Formatters) => string;

export function listResult<T>({ data, columns, draw, more, empty, ...ending }: ListParts<T>): ListResult {
  const toRow = (record: T) => rowOf(record, columns, draw);
  const rows = Symbol.asyncIterator in data ? asyncRowsOf(data, toRow) : rowsOf(data, toRow);
  const isDrawn = draw !== undefined;
  return {
    kind: 'list',
    columns,
    rows,
    isDrawn,
    more: more ?? noNextPage,
    empty: empty ?? 'Nothing found.',
    ...ending,
  };
}

/** Shows the columns that the given flags sort or filter by in every table. */
export function withAskedColumns(
  list: ListResult,
  given: { has(name: string): boolean; hasText(name: string, text: string): boolean },
): ListResult {
  const isGiven = (flag: string) => {
    const [name = '', text] = flag.split('=');
    return text === undefined ? given.has(name) : given.hasText(name, text);
  };
  const columns = list.columns.map((column) => {
    if (column.askedBy?.some(isGiven) !== true) return column;
    const { spare: _, wide: __, ...shown } = column;
    return shown;
  });
  return { ...list, columns };
}

function noNextPage(): null {
  return null;
}

function* rowsOf<T>(data: Iterable<T>, toRow: (record: T) => Row): Iterable<Row> {
  for (const record of data) yield toRow(record);
}

async function* asyncRowsOf<T>(data: AsyncIterable<T>, toRow: (record: T) => Row): AsyncIterable<Row> {
  for await (const record of data) yield toRow(record);
}

function rowOf<T>(data: T, columns: readonly Column<T>[], draw?: Draw<T>): Row {
  return {
    data,
    get cells() {
      return columns.map((column) => toCell(column, data));
    },
    get zone() {
      return columns.find(({ zone }) => zone !== undefined)?.zone?.(data) ?? null;
    },
    ...(draw === undefined ? {} : { draw: (show: Formatters) => draw(data, show) }),
  };
}

/** Rows in memory at a time: one page of the API. */
const page_size = 100;

/** Groups rows into pages as they arrive. */
export async function* groupIntoPages(
  rows: Iterable<Row> | AsyncIterable<Row>,
  size = page_size,
): AsyncIterable<Row[]> {
  let page: Row[] = [];
  for await (const row of rows) {
    page.push(row);
    if (page.length < size) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

export function toCell<T>({ field, value }: Column<T>, row: T): CellValue {
  if (value !== undefined) return value(row);
  const fieldValue: unknown = isFields(row) ? row[field] : undefined;
  return isCell(fieldValue) ? fieldValue : null;
}

/** The value of a column before it was rounded. */
export function exactCell<T>(column: Column<T>, row: T): CellValue {
  return column.exact === undefined ? toCell(column, row) : column.exact(row);
}

function isCell(value: unknown): value is CellValue {
  if (Array.isArray(value)) return value.every((each) => typeof each === 'string');
  return value === null || typeof value !== 'object';
}

/** One record, shown as aligned labels and values without empty ones. */
export function recordResult<T>(
  data: T,
  fields: readonly Column<T>[],
  ending: ResultOptions = {},
): RecordResult {
  return { kind: 'record', columns: fields, row: rowOf(data, fields), ...ending };
}

/** Text for people; `{ "text": … }` in JSON. */
export function textResult(text: string, ending: ResultOptions = {}): TextResult {
  return { kind: 'text', text, ...ending };
}

/** JSON unchanged, in every format. */
export function documentResult(data: unknown, ending: ResultOptions = {}): DocumentResult {
  return { kind: 'document', data, ...ending };
}

/** A record combined from several sources. */
export function drawingResult(parts: Omit<DrawingResult, 'kind'>): DrawingResult {
  return { kind: 'drawing', ...parts };
}

/** Events as they arrive: a line each for people, NDJSON for programs. */
export function streamResult<T extends { type: string }>(
  events: AsyncIterable<T>,
  line: (event: T, show: Formatters) => string | null,
): StreamResult {
  return { kind: 'stream', lines: streamLinesOf(events, line) };
}

async function* streamLinesOf<T>(
  events: AsyncIterable<T>,
  line: (event: T, show: Formatters) => string | null,
): AsyncIterable<StreamLine> {
  for await (const event of events) yield { data: event, line: (show) => line(event, show) };
}

/** The same columns, shown by `-o wide` alone. */
export function wide<T>(columns: readonly Column<T>[]): Column<T>[] {
  return columns.map((column) => ({ ...column, wide: true }));
}

interface Deleted {
  id: string;
  deleted: boolean;
}

export const deletedFields: Column<Deleted>[] = [
  { field: 'id', header: 'ID', kind: 'id' },
  { field: 'deleted', header: 'Deleted', kind: 'text' },
];

/** The output formats: `--output`. */
export const formats = ['table', 'wide', 'tsv', 'csv', 'ndjson', 'json', 'id'] as const;
export type Format = (typeof formats)[number];

/** The formats of a drawing, which has no columns. */
export const drawingFormats = ['table', 'wide', 'tsv', 'ndjson', 'json', 'id'] as const;
export const streamFormats = ['table', 'wide', 'tsv', 'ndjson', 'json'] as const;

/** The formats of a result without an ID. */
export const idlessFormats = ['table', 'wide', 'tsv', 'csv', 'ndjson', 'json'] as const;

/** The meaning of each format, for help. */
export const formatMeanings = {
  table: 'aligned columns; the default in a terminal',
  wide: 'the same with all columns',
  tsv: 'tab-separated values without a header; the default when not in a terminal',
  csv: 'comma-separated values with a header; cells that look like formulas are escaped',
  ndjson: 'one JSON object per line',
  json: "one JSON document with the API's own objects (same as --json)",
  id: 'one ID per line',
} as const satisfies Record<Format, string>;

/** True for a format meant for people. */
export function isForPeople(format: Format): boolean {
  return format === 'table' || format === 'wide';
}

export function isJson(format: Format): boolean {
  return format === 'json' || format === 'ndjson';
}

import type { Invocation } from './invocation.ts';
import type { Text } from './message.ts';

/** The characters of plots: block and line characters, or ASCII if the terminal may not show those. */
export type Ink = 'blocks' | 'ascii';

export type CellValue = string | number | boolean | null | undefined | readonly string[];

/**
 * How a value is shown to people: `money` is cents, `time` an ISO text shown with its age, `instant` one shown to
 * the second, `clock` one shown as the time of day, `due` words that say what is late, `phone` a number shown with its
 * middle hidden, `miles` a number of miles, `count` a number. Machine formats give the value itself.
 */
export type ColumnKind =
  | 'id'
  | 'text'
  | 'money'
  | 'time'
  | 'instant'
  | 'clock'
  | 'due'
  | 'phone'
  | 'status'
  | 'count'
  | 'miles';

export interface ColumnHead {
  /** The name in JSON, and the header in CSV. */
  field: string;
  /** The header of a table, and the label of a record. */
  header: string;
  kind: ColumnKind;
  /** Only with `-o wide`; records always show it. */
  wide?: true;
  /** For people alone, or for programs alone. */
  only?: 'people' | 'programs';
  /** In a table only where a row has a value, even where there is room. */
  unlessEmpty?: true;
  /** Sentences: in a table they may go on in a line below. */
  prose?: true;
  /** Where a table is too wide for the terminal, the columns with a number are left out, 1 first. */
  spare?: number;
}

export interface Column<T> extends ColumnHead {
  value(row: T): CellValue;
}

/** One record: as the interface gave it, and as cells in the order of the columns. */
export interface Row {
  data: unknown;
  cells: readonly CellValue[];
  /** What people see instead of its cells. */
  draw?(show: Show): string;
}

interface Ending {
  /** The exit code where it is not 0; a function is asked after all was shown, and may throw the error then. */
  exit?: number | (() => number);
  /** Lines for people on stderr, after the answer; a function is asked after all was shown. */
  notes?: readonly Text[] | (() => readonly Text[]);
}

/** What is left of a list: said on stderr with the command that goes on. */
export interface More {
  cursor: string;
  command: Invocation;
}

export interface ListResult extends Ending {
  kind: 'list';
  columns: readonly ColumnHead[];
  rows: Iterable<Row> | AsyncIterable<Row>;
  /** For people each row draws itself. */
  isDrawn: boolean;
  /** Whether rows that draw themselves stand close together. */
  isDense?: boolean | undefined;
  /** Drawn for people below the rows, with an empty line between; null: nothing is. */
  foot?: ((show: Show) => string | null) | undefined;
  /** Asked after the rows were shown. */
  more: () => More | null;
  /** Said on stderr where there is no row. */
  empty: Text;
}

export interface RecordResult extends Ending {
  kind: 'record';
  columns: readonly ColumnHead[];
  row: Row;
}

export interface TextResult extends Ending {
  kind: 'text';
  text: string;
}

export interface DocumentResult extends Ending {
  kind: 'document';
  data: unknown;
}

/** Formats values for a line of a stream, or for a drawing. */
export interface Show {
  money(cents: number): string;
  /** Local time with its age. */
  time(iso: string): string;
  /** Local time alone, with the day where it is another. */
  clock(iso: string): string;
  /** The same in a sentence: `at 10:04`, or with another word before it. */
  at(iso: string, word?: 'at' | 'about'): string;
  status(status: string): string;
  dim(text: string): string;
  strong(text: string): string;
  warning(text: string): string;
  /** A phone number, its middle hidden unless the whole is asked for. */
  phone(number: string): string;
  /** What plots are drawn with; null where none are drawn. */
  ink: Ink | null;
  /** Columns of the terminal; null where there is none. */
  room: number | null;
  /** By the service's clock, milliseconds since the epoch. */
  now: number;
}

export interface StreamLine {
  data: unknown;
  /** Null: this one is for machines only. */
  line(show: Show): string | null;
  /** What it says as values, for programs that read lines; without it, they get the line for people. */
  rows?: readonly (readonly CellValue[])[];
  /** The same, each change for itself: those of several records can stand in the order of time. */
  changes?: readonly StreamChange[];
}

/** One change that a line tells; `at` is an ISO text. */
export interface StreamChange {
  at: string;
  row: readonly CellValue[];
  text(show: Show): string;
}

export interface StreamResult extends Ending {
  kind: 'stream';
  lines: AsyncIterable<StreamLine>;
  /** The fields asked for were found right before: that a line with one of them never came is no fault. */
  areFieldsKnown?: true;
}

/** One thing seen from several sides: drawn for people, one document for programs. */
export interface DrawingResult extends Ending {
  kind: 'drawing';
  data: unknown;
  /** For `-o id`. */
  id: string;
  /** For programs that read lines: each begins with the name of its part. */
  rows: readonly (readonly CellValue[])[];
  draw(show: Show): string;
}

/** What a command answers; a renderer makes the text. */
export type Result = ListResult | RecordResult | TextResult | DocumentResult | DrawingResult | StreamResult;

interface ListParts<T> extends Ending {
  /** The API's own objects; an async iterable is shown as it comes, in constant memory. */
  data: Iterable<T> | AsyncIterable<T>;
  columns: readonly Column<T>[];
  /** For people each record is drawn, where a table would not do. */
  draw?: Draw<T> | undefined;
  /** Whether they stand close together; else there is an empty line between them. */
  isDense?: boolean;
  /** Drawn for people below the rows. */
  foot?: ListResult['foot'];
  more?: () => More | null;
  empty?: Text;
}

/** One record of a list as lines for people. */
export type Draw<T> = (row: T, show: Show) => string;

/** A list of records. */
export function list<T>({ data, columns, draw, more, empty, ...ending }: ListParts<T>): ListResult {
  const made = (record: T) => rowOf(record, columns, draw);
  const rows = Symbol.asyncIterator in data ? laterRows(data, made) : rowsOf(data, made);
  const isDrawn = draw !== undefined;
  return {
    kind: 'list',
    columns,
    rows,
    isDrawn,
    more: more ?? nothing,
    empty: empty ?? 'Nothing found.',
    ...ending,
  };
}

function nothing(): null {
  return null;
}

function* rowsOf<T>(data: Iterable<T>, made: (record: T) => Row): Iterable<Row> {
  for (const record of data) yield made(record);
}

async function* laterRows<T>(data: AsyncIterable<T>, made: (record: T) => Row): AsyncIterable<Row> {
  for await (const record of data) yield made(record);
}

function rowOf<T>(data: T, columns: readonly Column<T>[], draw?: Draw<T>): Row {
  return {
    data,
    get cells() {
      return columns.map((column) => column.value(data));
    },
    ...(draw === undefined ? {} : { draw: (show: Show) => draw(data, show) }),
  };
}

/** One record, shown as aligned labels and values; empty values are left out. */
export function record<T>(data: T, fields: readonly Column<T>[], ending: Ending = {}): RecordResult {
  return { kind: 'record', columns: fields, row: rowOf(data, fields), ...ending };
}

/** Words for people; `{ "text": … }` in JSON. */
export function words(text: string, ending: Ending = {}): TextResult {
  return { kind: 'text', text, ...ending };
}

/** JSON as it is, in every format. */
export function document(data: unknown, ending: Ending = {}): DocumentResult {
  return { kind: 'document', data, ...ending };
}

/** One thing seen from several sides. */
export function drawing(parts: Omit<DrawingResult, 'kind'>): DrawingResult {
  return { kind: 'drawing', ...parts };
}

/** Events as they come: a line each for people, NDJSON for machines. */
export function stream<T extends { type: string }>(
  events: AsyncIterable<T>,
  line: (event: T, show: Show) => string | null,
  ending: Ending = {},
): StreamResult {
  return { kind: 'stream', lines: linesOf(events, line), ...ending };
}

async function* linesOf<T>(
  events: AsyncIterable<T>,
  line: (event: T, show: Show) => string | null,
): AsyncIterable<StreamLine> {
  for await (const event of events) yield { data: event, line: (show) => line(event, show) };
}

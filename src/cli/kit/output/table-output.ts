/** Records in every format: lists a page at a time, tables, and single records. */
import Table from 'cli-table3';
import {
  type ColumnHead,
  type Format,
  isForPeople,
  type ListResult,
  type RecordResult,
  type Row,
} from '../result/result.ts';
import { checkFields, csvHeader, csvRows, jsonText, refusedFormat, tsvLine, tsvRows } from './json-output.ts';
import type { RenderContext } from './output-settings.ts';
import { displayWidth, padded, wrapped } from './terminal-lines.ts';
import {
  rowStyle,
  type TextStyle,
  textForPeople,
  textStyleOf,
  valueForPeople,
  valueForPrograms,
} from './text-formatting.ts';

/** Rows in memory at a time: one page of the API. */
const page_size = 100;

/** Writes a list in pieces, so that memory does not grow with its length. */
export async function renderList(list: ListResult, context: RenderContext): Promise<void> {
  const { format } = context.settings;
  if (format === 'json') return renderJsonArray(list, context);
  if (list.isDrawn && isForPeople(format)) return renderDrawn(list, context);
  const columns = list.columns.filter((column) => isColumnShown(column, format));
  const writer = await pageWriter(columns, cellSelector(list, columns), context);
  let isFirst = true;
  for await (const rows of groupIntoPages(list.rows)) {
    if (isFirst && format === 'ndjson') checkPage(rows, context);
    await context.stdout.write(writer(rows, isFirst));
    isFirst = false;
  }
  if (isFirst && format === 'csv') await context.stdout.write(writer([], true));
  if (!isFirst && isForPeople(format)) await renderFoot(list, context);
}

async function renderFoot({ foot }: ListResult, context: RenderContext): Promise<void> {
  const text = foot === undefined ? null : await textForPeople(foot, context);
  if (text !== null) await context.stdout.write(`\n${text}`);
}

function isColumnShown(column: ColumnHead, format: Format): boolean {
  const isWhole = format === 'wide' || format === 'csv' || (format === 'id' && column.kind === 'id');
  return isColumnFor(column, isForPeople(format)) && (column.wide === undefined || isWhole);
}

/** True unless the column is only for other readers: people, or programs. */
export function isColumnFor({ only }: ColumnHead, forPeople: boolean): boolean {
  return only === undefined || (only === 'people') === forPeople;
}

/** Writes rows that have their own drawing. */
async function renderDrawn({ rows, isDense }: ListResult, context: RenderContext): Promise<void> {
  let before = '';
  for await (const row of rows) {
    await context.stdout.write(before + (await textForPeople((show) => row.draw?.(show) ?? '', context)));
    before = isDense ? '' : '\n';
  }
}

/** Reduces a record to the columns for the readers of the format. */
export function withColumnsFor(
  { columns, row }: Pick<RecordResult, 'columns' | 'row'>,
  format: Format,
): Pick<RecordResult, 'columns' | 'row'> {
  const isKept = columns.map((column) => isColumnFor(column, isForPeople(format)));
  const cells = row.cells.filter((_, index) => isKept[index]);
  return { columns: columns.filter((_, index) => isKept[index]), row: withCells(row, cells) };
}

/** The same row with other cells. Its zone is only evaluated for people. */
function withCells(row: Row, cells: Row['cells']): Row {
  return {
    data: row.data,
    cells,
    get zone() {
      return row.zone ?? null;
    },
  };
}

type PageWriter = (rows: readonly Row[], isFirst: boolean) => string;
type SelectCells = (row: Row) => Row;

/** Selects the cells of the visible columns. */
function cellSelector(list: ListResult, columns: readonly ColumnHead[]): SelectCells {
  const places = columns.map((column) => list.columns.indexOf(column));
  return (row) => {
    const all = row.cells;
    return withCells(
      row,
      places.map((place) => all[place]),
    );
  };
}

async function pageWriter(
  columns: readonly ColumnHead[],
  narrow: SelectCells,
  context: RenderContext,
): Promise<PageWriter> {
  switch (context.settings.format) {
    case 'tsv':
      return (rows) => tsvRows(rows.map(narrow));
    case 'ndjson':
      return (rows) => rows.map(({ data }) => `${ndjsonLine(data, context)}\n`).join('');
    case 'id':
      return (rows) => rows.map((row) => `${idOf(columns, narrow(row), context)}\n`).join('');
    case 'csv':
      return (rows, isFirst) =>
        (isFirst ? csvHeader(columns, context.settings.values) : '') + csvRows(rows.map(narrow));
    default:
      return tableWriter(columns, narrow, context);
  }
}

async function tableWriter(
  columns: readonly ColumnHead[],
  narrow: SelectCells,
  context: RenderContext,
): Promise<PageWriter> {
  const still = await textStyleOf(context);
  const room = context.stdout.columns ?? Number.POSITIVE_INFINITY;
  const isWide = context.settings.format === 'wide';
  const all = columns.map(({ spare, ...column }) =>
    isWide || spare === undefined ? column : { ...column, spare },
  );
  let shown: readonly ColumnHead[] = all;
  return (given, isFirst) => {
    const style = { ...still, now: context.serviceNow() };
    const rows = given.map(narrow);
    const page = fitTable({ columns: all, rows, style, room }, shown);
    shown = page.columns;
    if (shown.length < columns.length) context.columnsLeftOut?.();
    return (isFirst ? '' : '\n') + page.text;
  };
}

/** The value of the first column of ids. */
export function idOf(columns: readonly ColumnHead[], { cells, data }: Row, context: RenderContext): string {
  const place = columns.findIndex(({ kind }) => kind === 'id');
  if (place === -1)
    throw refusedFormat('There is no id in this answer: choose another format.', [data], context);
  return valueForPrograms(cells[place]);
}

function ndjsonLine(data: unknown, { settings }: RenderContext): string {
  return jsonText(data, { fields: settings.fields, indented: false });
}

/** Writes one JSON array row by row; nothing before the first row has arrived. */
async function renderJsonArray(list: ListResult, context: RenderContext): Promise<void> {
  const { settings, stdout } = context;
  let opening = '[';
  for await (const rows of groupIntoPages(list.rows)) {
    if (opening === '[') checkPage(rows, context);
    for (const { data } of rows) {
      const json = jsonText(data, { fields: settings.fields, indented: stdout.isTerminal });
      const text = stdout.isTerminal ? json.replaceAll('\n', '\n  ') : json;
      await stdout.write(`${opening}\n${stdout.isTerminal ? '  ' : ''}${text}`);
      opening = ',';
    }
  }
  await stdout.write(opening === '[' ? '[]\n' : '\n]\n');
}

/** Checks the requested fields against the first page. */
function checkPage(rows: readonly Row[], context: RenderContext): void {
  checkFields(
    rows.map(({ data }) => data),
    context,
  );
}

/** Groups rows into pages as they arrive. */
export async function* groupIntoPages(rows: Iterable<Row> | AsyncIterable<Row>): AsyncIterable<Row[]> {
  let page: Row[] = [];
  for await (const row of rows) {
    page.push(row);
    if (page.length < page_size) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

const no_borders = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

const rightAligned: ReadonlySet<string> = new Set(['money', 'count', 'miles']);

/**
 * Formats rows as a table without lines; nothing is truncated, so it may be wider than the terminal. `broken` wraps
 * prose, if given.
 */
export function tableText(
  columns: readonly ColumnHead[],
  rows: readonly Row[],
  style: TextStyle,
  broken = (prose: string) => prose,
): string {
  const table = new Table({
    head: columns.map(({ header }) => style.palette.strong(header.toUpperCase())),
    chars: no_borders,
    colAligns: columns.map(({ kind }) => (rightAligned.has(kind) ? 'right' : 'left')),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of rows) {
    const { cells } = row;
    const ownStyle = rowStyle(style, row);
    table.push(
      columns.map(({ kind, prose }, index) => {
        const text = valueForPeople(cells[index], kind, ownStyle);
        return prose ? broken(text) : text;
      }),
    );
  }
  return withLinesTrimmed(table.toString());
}

function withLinesTrimmed(text: string): string {
  return text
    .split('\n')
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** Spaces between two columns, and between a label and its value. */
const gap = 2;
/** Prose in narrower columns cannot be read. */
const min_text_width = 20;

/**
 * Formats a record as aligned labels and values, without empty ones. Words without room wrap below; none is truncated.
 */
export function recordText(
  columns: readonly ColumnHead[],
  row: Row,
  given: TextStyle,
  room: number | null = null,
): string {
  const { cells } = row;
  const style = rowStyle(given, row);
  const values = columns.map(({ header, kind }, index) => ({
    header,
    isWords: kind === 'text',
    value: valueForPeople(cells[index], kind, style),
  }));
  const shown = values.filter(({ value }) => value !== '');
  const width = Math.max(0, ...shown.map(({ header }) => displayWidth(header)));
  const left = room === null ? Number.POSITIVE_INFINITY : Math.max(min_text_width, room - width - gap);
  return shown
    .map(({ header, value, isWords }) => {
      const text = isWords ? wrapped(value, left, ' '.repeat(width + gap)) : value;
      const label = style.palette.dim(padded(header, width)) + ' '.repeat(gap);
      return room !== null && isTooWide(text, left)
        ? valueBelowLabel(header, value, style, room)
        : `${label}${text}\n`;
    })
    .join('');
}

function isTooWide(text: string, left: number): boolean {
  return text.split('\n').some((line) => displayWidth(line.trimStart()) > left);
}

/** Puts a value below its label: an ID, an address or an amount that does not fit beside it and is never truncated. */
function valueBelowLabel(header: string, value: string, { palette }: TextStyle, room: number): string {
  const indent = displayWidth(value) + gap <= room ? ' '.repeat(gap) : '';
  return `${palette.dim(header)}\n${indent}${wrapped(value, room - indent.length, indent)}\n`;
}

/** Formats rows as records separated by empty lines, for a terminal too narrow for the table. */
function cardsText(
  columns: readonly ColumnHead[],
  rows: readonly Row[],
  style: TextStyle,
  room: number,
): string {
  return rows.map((row) => recordText(columns, row, style, room)).join('\n');
}

/** One record for programs: a line for each field, its name and its value. */
export function recordTsv(columns: readonly ColumnHead[], { cells }: Row): string {
  return columns.map(({ field }, index) => tsvLine([field, cells[index]])).join('');
}

/** Rows for a terminal of `room` columns; their cells are in the order of `columns`. */
interface TablePage {
  columns: readonly ColumnHead[];
  rows: readonly Row[];
  style: TextStyle;
  room: number;
}

/** A page as text, and the columns that the next page starts with. */
interface FittedPage {
  columns: readonly ColumnHead[];
  text: string;
}

/**
 * Formats a page as a table that fits: with the columns `wanted`, or without empty ones, or without as many optional
 * ones as necessary. If that is not enough, prose wraps beside as many columns as possible, and finally each row
 * becomes a card with all columns. Cells are never truncated.
 */
export function fitTable(page: TablePage, wanted: readonly ColumnHead[]): FittedPage {
  const widths = new Map(page.columns.map((column, index) => [column, widthOf(page, column, index)]));
  const total = (columns: readonly ColumnHead[]) =>
    columns.reduce((sum, column) => sum + (widths.get(column) ?? 0) + gap, -gap);
  const isFilled = (column: ColumnHead) => hasValues(page, column);
  for (const { kept, shown } of columnSetsToTry(wanted, isFilled)) {
    if (total(shown) <= page.room) return { columns: kept, text: plainTable(page, shown) };
  }
  for (const { kept, shown } of columnSetsToTry(page.columns, isFilled)) {
    const text = wrappedTable(page, shown.filter(isFilled), total);
    if (text !== null) return { columns: kept, text };
  }
  return { columns: page.columns, text: cardsText(page.columns, page.rows, page.style, page.room) };
}

function widthOf({ rows, style }: TablePage, { header, kind }: ColumnHead, index: number): number {
  const cells = rows.map((row) => displayWidth(valueForPeople(row.cells[index], kind, rowStyle(style, row))));
  return Math.max(displayWidth(header), ...cells);
}

function hasValues({ columns, rows, style }: TablePage, column: ColumnHead): boolean {
  const index = columns.indexOf(column);
  return rows.some(({ cells }) => valueForPeople(cells[index], column.kind, style) !== '');
}

interface ColumnSet {
  kept: readonly ColumnHead[];
  shown: readonly ColumnHead[];
}

/** The column sets to try: without columns that are hidden when empty, then fewer and fewer. */
function* columnSetsToTry(
  wanted: readonly ColumnHead[],
  isFilled: (column: ColumnHead) => boolean,
): Iterable<ColumnSet> {
  yield { kept: wanted, shown: wanted.filter((column) => !column.unlessEmpty || isFilled(column)) };
  const spares = wanted.flatMap(({ spare }) => spare ?? []).sort((left, right) => left - right);
  for (const last of [0, ...spares]) {
    const kept = wanted.filter(({ spare }) => spare === undefined || spare > last);
    yield { kept, shown: kept.filter(isFilled) };
  }
}

/** Prose columns share the remaining width; null if a line is still too long. */
function wrappedTable(
  page: TablePage,
  columns: readonly ColumnHead[],
  total: (columns: readonly ColumnHead[]) => number,
): string | null {
  const prose = columns.filter((column) => column.prose);
  const others = columns.filter((column) => !column.prose);
  const each = Math.floor((page.room - total(others)) / prose.length) - gap;
  if (prose.length === 0 || each < min_text_width) return null;
  const text = plainTable(page, columns, (words) => wrapped(words, each));
  return text.split('\n').every((line) => displayWidth(line) <= page.room) ? text : null;
}

function plainTable(
  page: TablePage,
  columns: readonly ColumnHead[],
  broken?: (prose: string) => string,
): string {
  const places = columns.map((column) => page.columns.indexOf(column));
  const rows = page.rows.map(({ data, cells, zone }) => ({
    data,
    cells: places.map((place) => cells[place]),
    ...(zone ? { zone } : {}),
  }));
  return tableText(columns, rows, page.style, broken);
}

/**
 * Tables for people, and single records as labels and values. `fitTable` makes a table fit the terminal: it leaves out
 * columns, shortens names and wraps prose, and at last shows each row as a card.
 */
import Table from 'cli-table3';
import type { CellValue, ColumnHead, Row } from '../result/result.ts';
import type { RenderContext } from './output-settings.ts';
import {
  displayWidth,
  gap,
  min_text_width,
  padded,
  shortId,
  truncatedToWidth,
  wrapped,
} from './terminal-lines.ts';
import { createTextStyle, rowStyle, type TextStyle, valueForPeople } from './text-formatting.ts';

/** Formats the rows of a page. `isFirst` is true for the first page, which may have a header. */
export type PageWriter = (rows: readonly Row[], isFirst: boolean) => string;

/** Writes pages of rows, whose cells are those of the columns. A column left out on one page stays out on the next. */
export async function createTableWriter(
  columns: readonly ColumnHead[],
  context: RenderContext,
): Promise<PageWriter> {
  const initialStyle = await createTextStyle(context);
  const room = context.stdout.columns ?? Number.POSITIVE_INFINITY;
  const isWide = context.settings.format === 'wide';
  const all = columns.map((column) => {
    const { spare: _, isName: __, isFoundByEnd: ___, ...fixed } = column;
    return isWide ? fixed : column;
  });
  let shown: readonly ColumnHead[] = all;
  return (rows, isFirst) => {
    const style = { ...initialStyle, now: context.serviceNow() };
    const page = fitTable({ columns: all, rows, style, room }, shown);
    shown = page.columns;
    if (shown.length < columns.length) context.columnsLeftOut?.();
    return (isFirst ? '' : '\n') + page.text;
  };
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

type CellShape = (text: string, column: ColumnHead) => string;

const rightAligned: ReadonlySet<string> = new Set(['money', 'count', 'miles']);

/** Formats rows as a table without lines, maybe wider than the terminal. `shape` wraps prose or shortens names. */
export function tableText(
  columns: readonly ColumnHead[],
  rows: readonly Row[],
  style: TextStyle,
  shape: CellShape = (text) => text,
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
      columns.map((column, index) => shape(valueForPeople(cells[index], column.kind, ownStyle), column)),
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

/** Formats a record as aligned labels and values, without empty ones. Words without room wrap below. */
export function recordText(
  columns: readonly ColumnHead[],
  row: Row,
  given: TextStyle,
  room: number | null = null,
): string {
  const { cells } = row;
  const style = rowStyle(given, row);
  const values = columns.map(({ header, kind, isSelected = false }, index) => ({
    header,
    isSelected,
    isWords: kind === 'text',
    value: valueForPeople(cells[index], kind, style),
  }));
  const shown = values.filter(({ value, isSelected }) => isSelected || value !== '');
  const width = Math.max(0, ...shown.map(({ header }) => displayWidth(header)));
  const value_room = room === null ? Number.POSITIVE_INFINITY : Math.max(min_text_width, room - width - gap);
  return shown
    .map(({ header, value, isWords }) => {
      const text = isWords ? wrapped(value, value_room, ' '.repeat(width + gap)) : value;
      const label = style.palette.dim(padded(header, width)) + ' '.repeat(gap);
      return room !== null && isTooWide(text, value_room)
        ? valueBelowLabel(header, value, style, room)
        : `${label}${text}\n`;
    })
    .join('');
}

function isTooWide(text: string, room: number): boolean {
  return text.split('\n').some((line) => displayWidth(line.trimStart()) > room);
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
 * Formats a page as a table that fits: with the columns `preferred`, or without empty ones, or without as many optional
 * ones as necessary; names are shortened first. If that is not enough, prose wraps beside as many columns as possible,
 * and finally each row becomes a card with all columns. Other cells are never truncated.
 */
export function fitTable(whole: TablePage, preferred: readonly ColumnHead[]): FittedPage {
  const isFilled = (column: ColumnHead) => hasValues(whole, column);
  const [first] = columnSetsToTry(preferred, isFilled);
  const page = createTotal(widthsOf(whole))(first?.shown ?? []) <= whole.room ? whole : withShortIds(whole);
  const widths = widthsOf(page);
  const total = createTotal(widths);
  for (const { kept, shown } of columnSetsToTry(preferred, isFilled)) {
    if (total(shown) <= page.room) return { columns: kept, text: plainTable(page, shown) };
    const shape = shortenNames(shown, total(shown) - page.room, widths);
    if (shape !== null) return { columns: kept, text: plainTable(page, shown, shape) };
  }
  for (const { kept, shown } of columnSetsToTry(page.columns, isFilled)) {
    const text = wrappedTable(page, shown.filter(isFilled), total);
    if (text !== null) return { columns: kept, text };
  }
  return { columns: whole.columns, text: cardsText(whole.columns, whole.rows, whole.style, whole.room) };
}

type Widths = ReadonlyMap<ColumnHead, number>;

function widthsOf(page: TablePage): Widths {
  return new Map(page.columns.map((column, index) => [column, widthOf(page, column, index)]));
}

/** Returns the width of a table of some columns. */
function createTotal(widths: Widths): (columns: readonly ColumnHead[]) => number {
  return (columns) => columns.reduce((sum, column) => sum + (widths.get(column) ?? 0) + gap, -gap);
}

/** The same page with the ends of the IDs by which commands find them. */
function withShortIds(page: TablePage): TablePage {
  const isShort = page.columns.map(({ isFoundByEnd }) => isFoundByEnd === true);
  if (!isShort.includes(true)) return page;
  const rows = page.rows.map((row) => ({
    ...row,
    cells: row.cells.map((cell, index) =>
      isShort[index] && typeof cell === 'string' ? shortId(cell) : cell,
    ),
  }));
  return { ...page, rows };
}

/** The least width of a column of names; shorter names cannot be recognized. */
const min_name_width = 8;

/** Shortens the widest names to make up for `missing` characters of width; null if that is not enough. */
function shortenNames(columns: readonly ColumnHead[], missing: number, widths: Widths): CellShape | null {
  const hasSpare = columns.some(({ spare }) => spare !== undefined);
  const isCut = ({ isName, isRowName }: ColumnHead) => isName === true && !(isRowName && hasSpare);
  const names = columns.filter(isCut).map((column) => widths.get(column) ?? 0);
  const saved = (max_width: number) => names.reduce((sum, width) => sum + Math.max(0, width - max_width), 0);
  let max_width = Math.max(0, ...names);
  while (max_width > min_name_width && saved(max_width) < missing) max_width -= 1;
  return saved(max_width) < missing
    ? null
    : (text, column) => (isCut(column) ? truncatedToWidth(text, max_width) : text);
}

function widthOf({ rows, style }: TablePage, { header, kind }: ColumnHead, index: number): number {
  const cells = rows.map((row) => displayWidth(valueForPeople(row.cells[index], kind, rowStyle(style, row))));
  return Math.max(displayWidth(header), ...cells);
}

/** Whether a column is shown: it was selected, or a row has a value. With `unlessEmpty`, zero and false are none. */
function hasValues({ columns, rows, style }: TablePage, column: ColumnHead): boolean {
  if (column.isSelected) return true;
  const index = columns.indexOf(column);
  const isBlank = (cell: CellValue) =>
    (column.unlessEmpty && (cell === 0 || cell === false)) || valueForPeople(cell, column.kind, style) === '';
  return rows.some(({ cells }) => !isBlank(cells[index]));
}

/** The columns of a table to try. */
interface ColumnSet {
  /** The columns with which the next page starts. */
  kept: readonly ColumnHead[];
  /** Those of them that this page shows. */
  shown: readonly ColumnHead[];
}

/** The column sets to try: without columns that are hidden when empty, then fewer and fewer. */
function* columnSetsToTry(
  preferred: readonly ColumnHead[],
  isFilled: (column: ColumnHead) => boolean,
): Iterable<ColumnSet> {
  yield { kept: preferred, shown: preferred.filter((column) => !column.unlessEmpty || isFilled(column)) };
  const spares = preferred.flatMap(({ spare }) => spare ?? []).sort((left, right) => left - right);
  for (const last of [0, ...spares]) {
    // A name that was left out for a wider column comes back when the wider one is left out.
    const named = preferred.filter(({ spare, isName }) => isName || spare === undefined || spare > last);
    yield { kept: named, shown: named.filter(isFilled) };
    const kept = preferred.filter(({ spare }) => spare === undefined || spare > last);
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
  const prose_width = Math.floor((page.room - total(others)) / prose.length) - gap;
  if (prose.length === 0 || prose_width < min_text_width) return null;
  const text = plainTable(page, columns, (words, { prose: isProse }) =>
    isProse ? wrapped(words, prose_width) : words,
  );
  return text.split('\n').every((line) => displayWidth(line) <= page.room) ? text : null;
}

function plainTable(page: TablePage, columns: readonly ColumnHead[], shape?: CellShape): string {
  const indexes = columns.map((column) => page.columns.indexOf(column));
  const rows = page.rows.map(({ data, cells, zone }) => ({
    data,
    cells: indexes.map((index) => cells[index]),
    ...(zone ? { zone } : {}),
  }));
  return tableText(columns, rows, page.style, shape);
}

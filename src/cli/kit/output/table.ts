import Table from 'cli-table3';
import type { ColumnHead, Row } from '../result/result.ts';
import { tsvLine } from './program-output.ts';
import { displayWidth, padded, wrapped } from './terminal-lines.ts';
import { personText, rowStyle, type TextStyle } from './value-text.ts';

const noLines = {
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
    chars: noLines,
    colAligns: columns.map(({ kind }) => (rightAligned.has(kind) ? 'right' : 'left')),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of rows) {
    const { cells } = row;
    const ownStyle = rowStyle(style, row);
    table.push(
      columns.map(({ kind, prose }, index) => {
        const text = personText(cells[index], kind, ownStyle);
        return prose ? broken(text) : text;
      }),
    );
  }
  return trimmed(table.toString());
}

function trimmed(text: string): string {
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
    value: personText(cells[index], kind, style),
  }));
  const shown = values.filter(({ value }) => value !== '');
  const width = Math.max(0, ...shown.map(({ header }) => displayWidth(header)));
  const left = room === null ? Number.POSITIVE_INFINITY : Math.max(min_text_width, room - width - gap);
  return shown
    .map(({ header, value, isWords }) => {
      const text = isWords ? wrapped(value, left, ' '.repeat(width + gap)) : value;
      const label = style.palette.dim(padded(header, width)) + ' '.repeat(gap);
      return room !== null && isTooWide(text, left) ? alone(header, value, style, room) : `${label}${text}\n`;
    })
    .join('');
}

function isTooWide(text: string, left: number): boolean {
  return text.split('\n').some((line) => displayWidth(line.trimStart()) > left);
}

/** Puts a value below its label: an ID, an address or an amount that does not fit beside it and is never truncated. */
function alone(header: string, value: string, { palette }: TextStyle, room: number): string {
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
export interface Page {
  columns: readonly ColumnHead[];
  rows: readonly Row[];
  style: TextStyle;
  room: number;
}

/** A page as text, and the columns that the next page starts with. */
export interface Fitted {
  columns: readonly ColumnHead[];
  text: string;
}

/**
 * Formats a page as a table that fits: with the columns `wanted`, or without empty ones, or without as many optional
 * ones as necessary. If that is not enough, prose wraps beside as many columns as possible, and finally each row
 * becomes a card with all columns. Cells are never truncated.
 */
export function fitted(page: Page, wanted: readonly ColumnHead[]): Fitted {
  const widths = new Map(page.columns.map((column, index) => [column, widthOf(page, column, index)]));
  const total = (columns: readonly ColumnHead[]) =>
    columns.reduce((sum, column) => sum + (widths.get(column) ?? 0) + gap, -gap);
  const isFilled = (column: ColumnHead) => filled(page, column);
  for (const { kept, shown } of choices(wanted, isFilled)) {
    if (total(shown) <= page.room) return { columns: kept, text: table(page, shown) };
  }
  for (const { kept, shown } of choices(page.columns, isFilled)) {
    const text = wrappedTable(page, shown.filter(isFilled), total);
    if (text !== null) return { columns: kept, text };
  }
  return { columns: page.columns, text: cardsText(page.columns, page.rows, page.style, page.room) };
}

function widthOf({ rows, style }: Page, { header, kind }: ColumnHead, index: number): number {
  const cells = rows.map((row) => displayWidth(personText(row.cells[index], kind, rowStyle(style, row))));
  return Math.max(displayWidth(header), ...cells);
}

function filled({ columns, rows, style }: Page, column: ColumnHead): boolean {
  const index = columns.indexOf(column);
  return rows.some(({ cells }) => personText(cells[index], column.kind, style) !== '');
}

interface Choice {
  kept: readonly ColumnHead[];
  shown: readonly ColumnHead[];
}

/** The column sets to try: without columns that are hidden when empty, then fewer and fewer. */
function* choices(
  wanted: readonly ColumnHead[],
  isFilled: (column: ColumnHead) => boolean,
): Iterable<Choice> {
  yield { kept: wanted, shown: wanted.filter((column) => !column.unlessEmpty || isFilled(column)) };
  const spares = wanted.flatMap(({ spare }) => spare ?? []).sort((left, right) => left - right);
  for (const last of [0, ...spares]) {
    const kept = wanted.filter(({ spare }) => spare === undefined || spare > last);
    yield { kept, shown: kept.filter(isFilled) };
  }
}

/** Prose columns share the remaining width; null if a line is still too long. */
function wrappedTable(
  page: Page,
  columns: readonly ColumnHead[],
  total: (columns: readonly ColumnHead[]) => number,
): string | null {
  const prose = columns.filter((column) => column.prose);
  const others = columns.filter((column) => !column.prose);
  const each = Math.floor((page.room - total(others)) / prose.length) - gap;
  if (prose.length === 0 || each < min_text_width) return null;
  const text = table(page, columns, (words) => wrapped(words, each));
  return text.split('\n').every((line) => displayWidth(line) <= page.room) ? text : null;
}

function table(page: Page, columns: readonly ColumnHead[], broken?: (prose: string) => string): string {
  const places = columns.map((column) => page.columns.indexOf(column));
  const rows = page.rows.map(({ data, cells, zone }) => ({
    data,
    cells: places.map((place) => cells[place]),
    ...(zone ? { zone } : {}),
  }));
  return tableText(columns, rows, page.style, broken);
}

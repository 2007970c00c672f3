import type { ColumnHead, Row } from '../result/result.ts';
import { displayWidth } from './sanitize.ts';
import { cardsText, tableText } from './table.ts';
import { personText, rowStyle, type TextStyle } from './value-text.ts';

/** Rows for a terminal of `room` columns; their cells are in the order of `columns`. */
export interface Page {
  columns: readonly ColumnHead[];
  rows: readonly Row[];
  style: TextStyle;
  room: number;
  /** Wraps prose to a width; null if no column has prose. */
  wrapped: ((prose: string, room: number) => string) | null;
}

/** A page as text, and the columns that the next page starts with. */
export interface Fitted {
  columns: readonly ColumnHead[];
  text: string;
}

/** Spaces between two columns. */
const gap = 2;
/** Narrower prose cannot be read. */
const min_prose_width = 20;

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
  const { wrapped } = page;
  const prose = columns.filter((column) => column.prose);
  const others = columns.filter((column) => !column.prose);
  const each = Math.floor((page.room - total(others)) / prose.length) - gap;
  if (wrapped === null || prose.length === 0 || each < min_prose_width) return null;
  const text = table(page, columns, (words) => wrapped(words, each));
  return text.split('\n').every((line) => displayWidth(line) <= page.room) ? text : null;
}

function table(page: Page, columns: readonly ColumnHead[], broken?: (prose: string) => string): string {
  const places = columns.map((column) => page.columns.indexOf(column));
  const rows = page.rows.map(({ data, cells, zone }) => ({
    ...{ data, cells: places.map((place) => cells[place]) },
    ...(zone ? { zone } : {}),
  }));
  return tableText(columns, rows, page.style, broken);
}

import type { ColumnHead, Row } from '../result/result.ts';
import { cardsText } from './record.ts';
import { tableText } from './table.ts';
import { type Looks, personText } from './value-text.ts';
import { displayWidth } from './width.ts';

/** Rows that a terminal of `room` columns is to show; their cells stand in the order of `columns`. */
export interface Page {
  columns: readonly ColumnHead[];
  rows: readonly Row[];
  looks: Looks;
  room: number;
  /** Puts prose on lines of a width; null where no column has any. */
  wrapped: ((prose: string, room: number) => string) | null;
}

/** A page as text, and the columns that the next page begins with. */
export interface Fitted {
  columns: readonly ColumnHead[];
  text: string;
}

/** Spaces between two columns. */
const gap = 2;
/** Prose in less than this cannot be read. */
const leastProse = 20;

/**
 * The page as a table that fits: with the columns `wanted`, else less those without a value, less those that can be
 * spared, as many as must go. Where that is not enough, prose goes on below itself, with as many columns beside it
 * as there is room for; after that there is a card for each row with all columns. No cell is ever cut.
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
  return { columns: page.columns, text: cardsText(page.columns, page.rows, page.looks, page.room) };
}

function widthOf({ rows, looks }: Page, { header, kind }: ColumnHead, index: number): number {
  const cells = rows.map((row) => displayWidth(personText(row.cells[index], kind, looks)));
  return Math.max(displayWidth(header), ...cells);
}

function filled({ columns, rows, looks }: Page, column: ColumnHead): boolean {
  const index = columns.indexOf(column);
  return rows.some(({ cells }) => personText(cells[index], column.kind, looks) !== '');
}

interface Choice {
  kept: readonly ColumnHead[];
  shown: readonly ColumnHead[];
}

/** All columns but those that are not shown when empty, then fewer and fewer. */
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

/** The columns of prose share what the others leave; null where a line is too long all the same. */
function wrappedTable(
  page: Page,
  columns: readonly ColumnHead[],
  total: (columns: readonly ColumnHead[]) => number,
): string | null {
  const { wrapped } = page;
  const prose = columns.filter((column) => column.prose);
  const others = columns.filter((column) => !column.prose);
  const each = Math.floor((page.room - total(others)) / prose.length) - gap;
  if (wrapped === null || prose.length === 0 || each < leastProse) return null;
  const text = table(page, columns, (words) => wrapped(words, each));
  return text.split('\n').every((line) => displayWidth(line) <= page.room) ? text : null;
}

function table(page: Page, columns: readonly ColumnHead[], broken?: (prose: string) => string): string {
  const places = columns.map((column) => page.columns.indexOf(column));
  const rows = page.rows.map(({ data, cells }) => ({ data, cells: places.map((place) => cells[place]) }));
  return tableText(columns, rows, page.looks, broken);
}

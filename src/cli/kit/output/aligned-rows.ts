/**
 * Aligned rows for a terminal, whose last cell is text that wraps, as in help:
 *
 *     --limit COUNT   Maximum number of results
 *     --all           Fetch every page, which takes a request for each hundred
 *                     records
 */
import { displayWidth, gap, min_text_width, padded, wrappedLines } from './terminal-lines.ts';

type Paint = (text: string) => string;

/** A cell: its plain text, and the style applied after padding. */
export interface Cell {
  text: string;
  paint?: Paint;
  isRight?: true;
  /** The minimum width. */
  width?: number;
  /** Words that stay on one line: a command, so that it can be copied. */
  isWhole?: true;
}

interface RowSpace {
  /** The width of the terminal; null without one. */
  room: number | null;
  indent?: number;
}

/**
 * Aligns the cells of rows; the last cell of each is text, which wraps below itself, or below the second cell if the
 * space beside it is too narrow. Cells that do not fit on the first line wrap as well.
 */
export function alignedRows(rows: readonly (readonly Cell[])[], space: RowSpace): string[] {
  const { room, indent = 2 } = space;
  const text_index = Math.max(0, ...rows.map((cells) => cells.length - 1));
  const widths = Array.from({ length: text_index }, (_, index) =>
    Math.max(...rows.map((cells) => widthOf(cells[index]))),
  );
  const lower_indent = lowerIndent(widths, { room, indent });
  const columnLines = linesOfColumns(widths, { room, indent, lower_indent });
  const end = columnLines.at(-1)?.end ?? indent;
  const hasRoomBeside = room === null || room - end >= min_text_width;
  const text_indent = hasRoomBeside ? end : lower_indent;
  return rows.flatMap((cells) => {
    const heads = columnLines.map(({ start, first, last }) => {
      const head = widths.slice(first, last).map((width, index) => aligned(cells[first + index], width));
      return ' '.repeat(start) + head.join('');
    });
    const text = cells[text_index] ?? { text: '' };
    return withText(heads, text, { room, indent, text_indent, hasRoomBeside });
  });
}

interface TextSpace extends Required<RowSpace> {
  text_indent: number;
  /** Whether the text starts on the line of the last cells. */
  hasRoomBeside: boolean;
}

/** The lines of a row: its aligned cells, and the text beside or below them. */
function withText(heads: readonly string[], cell: Cell, space: TextSpace): string[] {
  const { room, indent, text_indent, hasRoomBeside } = space;
  const { text, paint = unpainted, isWhole } = cell;
  const words = wrappedLines(text, isWhole ? null : room, text_indent).map(paint);
  const isTooLong = room !== null && isAnyLonger(words, room - text_indent);
  const line_indent = isTooLong ? Math.min(text_indent, indent * 2) : text_indent;
  const isBeside = hasRoomBeside && line_indent === text_indent;
  const [beside = '', ...rest] = isBeside ? words : ['', ...words];
  const above = [...heads.slice(0, -1), `${heads.at(-1) ?? ''}${beside}`].map((line) => line.trimEnd());
  const below = rest.map((line) => ' '.repeat(line_indent) + line);
  // Wrapped cells get lines of their own.
  const lines = [...above.filter((line) => line !== ''), ...below];
  return lines.length === 0 ? [''] : lines;
}

/** The indent of what does not fit on the first line: below the second cell, unless that is too narrow. */
function lowerIndent(widths: readonly number[], { room, indent }: Required<RowSpace>): number {
  const [first, ...others] = widths;
  if (first === undefined) return indent;
  const second = indent + first + gap;
  const isNarrow = room !== null && room - second < Math.max(min_text_width, ...others);
  return isNarrow ? Math.min(second, indent + gap) : second;
}

/** Columns that share a line: their positions, and their indexes with an exclusive end. */
interface ColumnLine {
  start: number;
  end: number;
  first: number;
  last: number;
}

/** Distributes columns over lines: a column that does not fit starts a new line. */
function linesOfColumns(
  widths: readonly number[],
  { room, indent, lower_indent }: Required<RowSpace> & { lower_indent: number },
): ColumnLine[] {
  let line: ColumnLine = { start: indent, end: indent, first: 0, last: 0 };
  const lines = [line];
  for (const [index, width] of widths.entries()) {
    const isFull = room !== null && line.last > line.first && line.end + width > room;
    if (isFull) {
      line = { start: lower_indent, end: lower_indent, first: index, last: index };
      lines.push(line);
    }
    line.end += width + gap;
    line.last = index + 1;
  }
  return lines;
}

/** Puts two cells side by side, or the second below the first if they do not fit. */
export function besideOrBelow(first: Cell, second: Cell, { room, indent = 0 }: RowSpace): string[] {
  const paintedText = ({ text, paint = unpainted }: Cell) => paint(text);
  const start = ' '.repeat(indent) + paintedText(first);
  const isNarrow = room !== null && indent + widthOf(first) + gap + widthOf(second) > room;
  return isNarrow
    ? [start, ' '.repeat(indent + gap) + paintedText(second)]
    : [start + ' '.repeat(gap) + paintedText(second)];
}

/** True if a word is longer than a line: it moves below, where there is more room. */
function isAnyLonger(lines: readonly string[], room: number): boolean {
  return lines.some((line) => displayWidth(line) > room);
}

const unpainted: Paint = (text) => text;

function widthOf(cell: Cell | undefined): number {
  return Math.max(displayWidth(cell?.text ?? ''), cell?.width ?? 0);
}

function aligned(cell: Cell | undefined, width: number): string {
  const { text, paint = unpainted, isRight } = cell ?? { text: '' };
  const spaces = padded('', width - displayWidth(text));
  const words = text === '' ? '' : paint(text);
  return (isRight ? spaces + words : words + spaces) + ' '.repeat(gap);
}

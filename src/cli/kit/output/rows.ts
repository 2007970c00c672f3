import { displayWidth, padded, wrapped } from './wrapping.ts';

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

/** The space for rows: the terminal's width, null without one, and the indent. */
interface Ground {
  room: number | null;
  indent?: number;
}

const gap = 2;
/** Words in narrower lines cannot be read. */
const min_text_width = 20;

/**
 * Aligns the cells of rows; the last cell of each is text, which wraps below itself, or below the second cell if the
 * space beside it is too narrow. Cells that do not fit on the first line wrap as well.
 */
export function alignedRows(rows: readonly (readonly Cell[])[], { room, indent = 2 }: Ground): string[] {
  const count = Math.max(0, ...rows.map((cells) => cells.length - 1));
  const widths = Array.from({ length: count }, (_, index) =>
    Math.max(...rows.map((cells) => widthOf(cells[index]))),
  );
  const lower = placeBelow(widths, { room, indent });
  const stretches = stretchesOf(widths, { room, indent, lower });
  const end = stretches.at(-1)?.end ?? indent;
  const hasRoom = room === null || room - end >= min_text_width;
  const place = hasRoom ? end : lower;
  return rows.flatMap((cells) => {
    const heads = stretches.map(({ start, first, last }) => {
      const head = widths.slice(first, last).map((width, index) => aligned(cells[first + index], width));
      return ' '.repeat(start) + head.join('');
    });
    const { text, paint = same, isWhole } = cells[count] ?? { text: '' };
    const words = wordsIn(text, isWhole ? null : room, place).map(paint);
    const left = room !== null && tooLong(words, room - place) ? Math.min(place, indent * 2) : place;
    const [beside = '', ...rest] = hasRoom && left === place ? words : ['', ...words];
    const above = [...heads.slice(0, -1), `${heads.at(-1) ?? ''}${beside}`].map((line) => line.trimEnd());
    const below = rest.map((line) => ' '.repeat(left) + line);
    // Wrapped cells get lines of their own.
    const lines = [...above.filter((line) => line !== ''), ...below];
    return lines.length === 0 ? [''] : lines;
  });
}

/** Below the second cell, unless that is too narrow. */
function placeBelow(widths: readonly number[], { room, indent }: Required<Ground>): number {
  const [first, ...others] = widths;
  if (first === undefined) return indent;
  const second = indent + first + gap;
  const isNarrow = room !== null && room - second < Math.max(min_text_width, ...others);
  return isNarrow ? Math.min(second, indent + gap) : second;
}

/** Columns that share a line: their positions, and their indexes with an exclusive end. */
interface Stretch {
  start: number;
  end: number;
  first: number;
  last: number;
}

function stretchesOf(
  widths: readonly number[],
  { room, indent, lower }: Required<Ground> & { lower: number },
): Stretch[] {
  const empty: Stretch = { start: indent, end: indent, first: 0, last: 0 };
  return widths.reduce<Stretch[]>(
    (made, width, index) => {
      const open = made.at(-1) ?? empty;
      const isFull = room !== null && open.last > open.first && open.end + width > room;
      const { start, end, first } = isFull ? { start: lower, end: lower, first: index } : open;
      const next = { start, end: end + width + gap, first, last: index + 1 };
      return [...(isFull ? made : made.slice(0, -1)), next];
    },
    [empty],
  );
}

/** Puts two cells side by side, or the second below the first if they do not fit. */
export function besideOrBelow(first: Cell, second: Cell, { room, indent = 0 }: Ground): string[] {
  const paintedText = ({ text, paint = same }: Cell) => paint(text);
  const start = ' '.repeat(indent) + paintedText(first);
  const isNarrow = room !== null && indent + widthOf(first) + gap + widthOf(second) > room;
  return isNarrow
    ? [start, ' '.repeat(indent + gap) + paintedText(second)]
    : [start + ' '.repeat(gap) + paintedText(second)];
}

/** True if a word is longer than a line: it moves below, where there is more room. */
function tooLong(lines: readonly string[], room: number): boolean {
  return lines.some((line) => displayWidth(line) > room);
}

const same: Paint = (text) => text;

function widthOf(cell: Cell | undefined): number {
  return Math.max(displayWidth(cell?.text ?? ''), cell?.width ?? 0);
}

function aligned(cell: Cell | undefined, width: number): string {
  const { text, paint = same, isRight } = cell ?? { text: '' };
  const spaces = padded('', width - displayWidth(text));
  const words = text === '' ? '' : paint(text);
  return (isRight ? spaces + words : words + spaces) + ' '.repeat(gap);
}

function wordsIn(text: string, room: number | null, place: number): string[] {
  if (text === '') return [];
  return room === null ? [text] : wrapped(text, Math.max(min_text_width, room - place)).split('\n');
}

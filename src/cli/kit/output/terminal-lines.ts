/** Text in the lines of a terminal: its width, wrapping, aligned rows and bars. */
import { product } from '../product.ts';
import type { PlotCharset } from '../result/result.ts';
import { isPlain, maskedPhonePattern } from './safe-text.ts';

/** Created on demand, like those below: few texts need these costly patterns. */
const wideCharacter = () =>
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
/** Color sequences, and both halves of a link. */
const styleSequences = () => /\p{Cc}(?:\[[0-9;]*m|\]8;[^\p{Cc}]*\p{Cc}\\)/gu;

export function displayWidth(text: string): number {
  if (isPlain(text)) return text.length;
  const bare = text.replace(styleSequences(), '');
  if (isPlain(bare)) return bare.length;
  return [...bare].reduce((sum, character) => sum + characterWidth(character), 0);
}

function characterWidth(character: string): number {
  if (/\p{M}|\u200d|\ufe0f/u.test(character)) return 0;
  return wideCharacter().test(character) ? 2 : 1;
}

export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** Shortens a text to a width, with `…` at its end. */
export function truncatedToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const characters = [...text];
  while (characters.length > 0 && displayWidth(characters.join('')) >= width) characters.pop();
  return `${characters.join('').trimEnd()}…`;
}

/** Wraps a text to a width with an indent after the first line; a longer word stays whole. */
/** The end of an ID that people read; it has a letter, as digits alone are the end of a phone number. */
export function shortId(id: string): string {
  const [end] = /^[a-z]+_[0-9A-Z]{26}$/.test(id) ? (/(?=.*[A-Z]).{5}$|[A-Z][0-9]*$/.exec(id) ?? [id]) : [id];
  return end;
}

export function wrapped(text: string, room: number, indent = ''): string {
  if (displayWidth(text) <= room && !text.includes('\n')) return text;
  const lines: string[] = [];
  for (const word of wordsKeptWhole(text)) {
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(last) + 1 + displayWidth(word) <= room)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join(`\n${indent}`);
}

/**
 * Wraps prose to a terminal width: at spaces, but never within a command, a masked phone number or a short quote. Null:
 * unchanged.
 */
export function wrapProse(text: string, columns: number | null): string {
  if (columns === null) return text;
  return text
    .split('\n')
    .map((line) => (displayWidth(line) <= columns ? line : wrapLine(line, columns)))
    .join('\n');
}

function wrapLine(line: string, columns: number): string {
  const indent = /^ */.exec(line)?.[0] ?? '';
  const deeper = indent === '' ? '' : `${indent}  `;
  const lines: string[] = [];
  for (const unit of unbreakableParts(line)) {
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(`${last} ${unit}`) <= columns)
      lines[lines.length - 1] = `${last} ${unit}`;
    else lines.push(`${lines.length === 0 ? indent : deeper}${unit}`);
  }
  return lines.join('\n');
}

/** A line that contains a command, optionally with its purpose in parentheses. */
const commandLine = new RegExp(
  `^ {2,}((?:\\$|${product.name}|${product.environment_prefix}\\w+=\\S*) .*?)(?: {3}(\\(.*\\)))?$`,
);

/**
 * Splits a line into units that stay whole: words, and commands in backticks, after a colon or on a line of their own.
 */
function unbreakableParts(line: string): readonly string[] {
  const [, command, when] = commandLine.exec(line) ?? [];
  if (command !== undefined) return when === undefined ? [command] : [command, when];
  return line.match(unbreakablePattern()) ?? [];
}

/** A command after a colon ends with its sentence. */
const unbreakablePattern = () => {
  const rest = /(?:'[^']*'|"[^"]*"|[^`'"(),;.]|[,;.](?! |$))*[),;.]*/;
  const command = `(?<=: )(?:${product.name}|npm|chmod|sqlite3) ${rest.source}`;
  const quote = /"[^" ][^"]{0,28}"/;
  return new RegExp(`${command}|(?:\`[^\`]*\`|${quote.source}|${maskedPhonePattern.source}|[^ ])+`, 'g');
};

/** Splits a text into words for wrapping; a masked number is one word. */
function wordsKeptWhole(text: string): string[] {
  const bound = text.replace(maskedPhonePattern, (number) => number.replaceAll(' ', '\u00a0'));
  return bound.split(/[^\S\u00a0]+/).map((word) => word.replaceAll('\u00a0', ' '));
}

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
interface RowSpace {
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
  const left = isTooLong ? Math.min(text_indent, indent * 2) : text_indent;
  const [beside = '', ...rest] = hasRoomBeside && left === text_indent ? words : ['', ...words];
  const above = [...heads.slice(0, -1), `${heads.at(-1) ?? ''}${beside}`].map((line) => line.trimEnd());
  const below = rest.map((line) => ' '.repeat(left) + line);
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

function linesOfColumns(
  widths: readonly number[],
  { room, indent, lower_indent }: Required<RowSpace> & { lower_indent: number },
): ColumnLine[] {
  const empty: ColumnLine = { start: indent, end: indent, first: 0, last: 0 };
  return widths.reduce<ColumnLine[]>(
    (lines, width, index) => {
      const current = lines.at(-1) ?? empty;
      const isFull = room !== null && current.last > current.first && current.end + width > room;
      const { start, end, first } = isFull
        ? { start: lower_indent, end: lower_indent, first: index }
        : current;
      const extended = { start, end: end + width + gap, first, last: index + 1 };
      return [...(isFull ? lines : lines.slice(0, -1)), extended];
    },
    [empty],
  );
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

/** The lines of a text that is wrapped to the terminal width, indented; none for an empty text. */
export function foldedLines(text: string, { room }: { room: number | null }, indent = '  '): string[] {
  return wrappedLines(text, room, indent.length).map((line) => indent + line);
}

function wrappedLines(text: string, room: number | null, indent: number): string[] {
  if (text === '') return [];
  return room === null ? [text] : wrapped(text, Math.max(min_text_width, room - indent)).split('\n');
}

/** Characters for zero to seven eighths of a column. */
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Draws a bar with a share (0 to 1) of `room` columns; a share above 0 is always visible. */
export function bar(share: number, room: number, plotCharset: PlotCharset): string {
  if (share <= 0) return '';
  if (plotCharset === 'ascii') return '#'.repeat(Math.max(1, Math.round(share * room)));
  const parts = Math.max(1, Math.round(share * room * 8));
  return '█'.repeat(Math.floor(parts / 8)) + (eighths[parts % 8] ?? '');
}

/** Draws a bar in two parts: light up to the first share of `room` columns, dark up to the second. */
export function twoPartBar(
  [first, second]: readonly [number, number],
  room: number,
  plotCharset: PlotCharset,
): string {
  const [light, dark] = plotCharset === 'ascii' ? ['.', '#'] : ['░', '█'];
  const begin = Math.round(Math.max(0, first) * room);
  const end = Math.max(begin + 1, Math.round(second * room));
  const turn = Math.min(begin, room - 1);
  return light.repeat(turn) + dark.repeat(Math.min(end, room) - turn);
}

/**
 * Divides columns in proportion to integer weights by largest remainder; each nonzero weight gets at least one, for
 * which there must be room.
 */
export function shareColumns(columns: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((remaining, right) => remaining + right, 0);
  if (sum === 0) return weights.map(() => 0);
  const exact = weights.map((weight) => (columns * weight) / sum);
  const shares = exact.map((share) => (share > 0 ? Math.max(1, Math.floor(share)) : 0));
  let left = columns - shares.reduce((taken, share) => taken + share, 0);
  while (left !== 0) {
    const step = Math.sign(left);
    const lag = shares.map((share, index) => step * ((exact[index] ?? 0) - share));
    const free = lag.map((each, index) =>
      (shares[index] ?? 0) + step < 1 ? Number.NEGATIVE_INFINITY : each,
    );
    const next = free.indexOf(Math.max(...free));
    shares[next] = (shares[next] ?? 0) + step;
    left -= step;
  }
  return shares;
}

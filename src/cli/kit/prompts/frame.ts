import { displayWidth } from '../../output/width.ts';

/** A line and a column, from 0. */
export interface Spot {
  line: number;
  column: number;
}

/** What a question shows: lines however long, and where the cursor stands; null where it is hidden. */
export interface Frame {
  lines: readonly string[];
  cursor: Spot | null;
}

const sequence = '\u001b';
/** A colour, or one character. */
const pieces = new RegExp(`${sequence}\\[[0-9;]*m|[^]`, 'gu');
const colour = new RegExp(`^${sequence}\\[[0-9;]*m$`);
const colours = new RegExp(`${sequence}\\[[0-9;]*m`, 'g');

/** The text without its colours. */
export function uncoloured(text: string): string {
  return text.replace(colours, '');
}

/** A frame as it stands on a screen so many columns wide: its rows end at spaces where they can. */
export function laidOut({ lines, cursor }: Frame, columns: number): { rows: string[]; cursor: Spot | null } {
  const rows: string[] = [];
  let spot: Spot | null = null;
  for (const [at, line] of lines.entries()) {
    const broken = brokenLine(line, columns);
    if (cursor?.line === at) spot = spotIn(broken, cursor.column, { first: rows.length, columns });
    rows.push(...broken.map(({ text }) => text));
  }
  // Behind a row that is full there is no room for the cursor.
  if (spot !== null && spot.line === rows.length) rows.push('');
  return { rows, cursor: spot };
}

/** A row of a line: its text, how much of that is the indent, and the column of the line that it begins with. */
interface Row {
  text: string;
  indent: number;
  begins: number;
}

function spotIn(broken: readonly Row[], column: number, at: { first: number; columns: number }): Spot {
  const found = broken.findLastIndex(({ begins }) => begins <= column);
  const { indent, begins } = broken[found] ?? { indent: 0, begins: 0 };
  const spot = indent + column - begins;
  const isPast = spot >= at.columns;
  return isPast
    ? { line: at.first + found + 1, column: 0 }
    : { line: at.first + Math.max(0, found), column: spot };
}

/** The rows of a line: each ends at the last space that has room, and in the midst of a word that has none. */
function brokenLine(line: string, columns: number): Row[] {
  if (displayWidth(line) <= columns) return [{ text: line, indent: 0, begins: 0 }];
  const indent = hangingIndent(line, columns);
  let row: Row = { text: '', indent: 0, begins: 0 };
  let [at, width] = [0, 0];
  const done: Row[] = [];
  for (const [piece] of line.matchAll(pieces)) {
    const room = colour.test(piece) ? 0 : displayWidth(piece);
    const isOver = room > 0 && width + room > columns;
    at += room;
    if (isOver) {
      // The space that a row ends at is not drawn.
      const { kept, rest } = piece === ' ' ? { kept: row.text, rest: '' } : splitAtSpace(row, piece);
      done.push({ ...row, text: kept });
      row = { text: ' '.repeat(indent) + rest, indent, begins: at - displayWidth(rest) };
      width = displayWidth(row.text);
    } else {
      row.text += piece;
      width += room;
    }
  }
  return [...done, row];
}

/** The text of a row up to its last space, and what goes to the next, the next piece with it. */
function splitAtSpace({ text, indent }: Row, next: string): { kept: string; rest: string } {
  const space = text.lastIndexOf(' ');
  return space < Math.max(2, indent)
    ? { kept: text, rest: next }
    : { kept: text.slice(0, space), rest: text.slice(space + 1) + next };
}

/** Of a choice in a list, what follows its first row stands deeper than the next choice. */
function hangingIndent(line: string, columns: number): number {
  return /^[ ❯][ ◯◉]\S/.test(uncoloured(line)) && columns > 16 ? 4 : 0;
}

/** Rows that a row takes, which was drawn when the screen may have been wider: the terminal has broken it since. */
export function heightOf(row: string, columns: number): number {
  return Math.max(1, Math.ceil(displayWidth(row) / columns));
}

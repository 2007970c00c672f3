import { displayWidth } from '../output/sanitize.ts';

const esc = '\u001b';
/** A style, or one character. */
const pieces = new RegExp(`${esc}\\[[0-9;]*m|[^]`, 'gu');
const style = new RegExp(`^${esc}\\[[0-9;]*m$`);

/**
 * Breaks a line into rows of a terminal: at spaces where possible, else within a word. Rows after the first are
 * indented. Styles take no room.
 */
export function wrapLine(line: string, columns: number, indent = 0): string[] {
  if (displayWidth(line) <= columns) return [line];
  const margin = ' '.repeat(columns > 4 * indent ? indent : 0);
  const rows: string[] = [];
  let row = '';
  let width = 0;
  for (const [piece] of line.matchAll(pieces)) {
    const room = style.test(piece) ? 0 : displayWidth(piece);
    if (room === 0 || width + room <= columns) {
      row += piece;
      width += room;
      continue;
    }
    // The space at which a row ends is not displayed.
    const [kept, rest] = piece === ' ' ? [row, ''] : splitAtSpace(row, piece, margin.length);
    rows.push(kept);
    row = margin + rest;
    width = displayWidth(row);
  }
  return [...rows, row];
}

/** Splits a full row at its last space; what follows it starts the next row, with the next piece. */
function splitAtSpace(row: string, next: string, margin: number): [kept: string, rest: string] {
  const space = row.lastIndexOf(' ');
  return space < Math.max(2, margin) ? [row, next] : [row.slice(0, space), row.slice(space + 1) + next];
}

/** The number of rows that a line takes on a terminal that breaks it at its edge. */
export function rowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(displayWidth(line) / columns));
}

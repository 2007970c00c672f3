import { type Frame, heightOf, laidOut, type Spot } from './frame.ts';

/** A terminal that is drawn on. */
export interface Paper {
  /** What is unknown is 0, or missing. */
  columns?: number | undefined;
  rows?: number | undefined;
  write(text: string): unknown;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
}

/**
 * What stands on the terminal since the first question: lines that are done, and below them one question that is
 * drawn anew as it changes, and as the terminal is resized.
 */
export interface Board {
  readonly columns: number;
  readonly rows: number;
  /** Draws the question, instead of what it showed before. */
  show(frame: Frame): void;
  /** The question of now, if any, as it was shown last. */
  readonly frame: Frame | null;
  /** Ends the question: as it is, it is one of the lines; or it is taken away. */
  leave(fate: 'kept' | 'taken'): void;
  /** Somebody else wrote these lines. */
  heard(text: string): void;
  /** The lines that are done. */
  lines(): readonly string[];
  /** Draws these instead of the lines that are done, as far as they are in sight. */
  redraw(lines: readonly string[]): void;
}

/** What a terminal takes that nobody has measured. */
const usual = { columns: 80, rows: 24 };
const sequence = '\u001b[';
const showCursor = `${sequence}?25h`;
const hideCursor = `${sequence}?25l`;

interface Drawn {
  rows: readonly string[];
  cursor: Spot | null;
}

export function openBoard(paper: Paper): Board {
  let done: string[] = [];
  let frame: Frame | null = null;
  let drawn: Drawn | null = null;
  const columns = () => paper.columns || usual.columns;
  const rows = () => paper.rows || usual.rows;
  const erasing = () => (drawn === null ? '' : erased(rowsAbove(drawn, columns())));
  const draw = (next: Frame) => {
    const before = erasing();
    drawn = clipped(laidOut(next, columns()), rows() - 1);
    paper.write(before + drawing(drawn));
  };
  const resized = () => frame !== null && draw(frame);
  return {
    get columns() {
      return columns();
    },
    get rows() {
      return rows();
    },
    show: (next) => {
      if (frame === null) paper.on('resize', resized);
      frame = next;
      draw(next);
    },
    get frame() {
      return frame;
    },
    leave: (fate) => {
      if (frame === null || drawn === null) return;
      const kept = fate === 'kept' ? laidOut(frame, columns()).rows : [];
      paper.write(erasing() + written(kept) + showCursor);
      paper.off('resize', resized);
      done.push(...kept);
      frame = null;
      drawn = null;
    },
    heard: (text) => {
      done.push(...text.replace(/\n$/, '').split('\n'));
    },
    lines: () => [...done],
    redraw: (next) => {
      const changed = next.findIndex((line, at) => line !== done[at]);
      const same = changed === -1 ? next.length : changed;
      const height = (lines: readonly string[]) =>
        lines.reduce((sum, line) => sum + heightOf(line, columns()), 0);
      const room = rows() - 1;
      const stale = height(done.slice(same));
      const first = stale <= room ? same : firstInSight(next, room, columns());
      paper.write(erased(Math.min(stale, room)) + written(next.slice(first)));
      done = [...next];
    },
  };
}

/** Of lines that have no room together, the first of the last that have. */
function firstInSight(lines: readonly string[], room: number, columns: number): number {
  let height = 0;
  const above = lines.findLastIndex((line) => {
    height += heightOf(line, columns);
    return height > room;
  });
  return above + 1;
}

function written(lines: readonly string[]): string {
  return lines.map((line) => `${line}\r\n`).join('');
}

/** From so many rows above the cursor on. */
function erased(rows: number): string {
  return `${rows > 0 ? `${sequence}${rows}A` : ''}\r${sequence}J`;
}

/** Rows from the first of a drawing to the cursor. A hidden cursor is below all: no terminal moves an empty row. */
function rowsAbove({ rows, cursor }: Drawn, columns: number): number {
  const above = cursor === null ? rows : rows.slice(0, cursor.line);
  const own = cursor === null ? 0 : Math.floor(cursor.column / columns);
  return above.reduce((sum, row) => sum + heightOf(row, columns), own);
}

/** What has no room is left out: above the cursor, and else at the end. */
function clipped({ rows, cursor }: Drawn, room: number): Drawn {
  if (rows.length <= room) return { rows, cursor };
  const first = cursor === null ? 0 : Math.max(0, cursor.line - room + 1);
  const spot = cursor === null ? null : { ...cursor, line: cursor.line - first };
  return { rows: rows.slice(first, first + room), cursor: spot };
}

function drawing({ rows, cursor }: Drawn): string {
  const text = rows.join('\r\n');
  if (cursor === null) return `${text}\r\n${hideCursor}`;
  const up = rows.length - 1 - cursor.line;
  const there = `${up > 0 ? `${sequence}${up}A` : ''}${sequence}${cursor.column + 1}G`;
  return `${text}${there}${showCursor}`;
}

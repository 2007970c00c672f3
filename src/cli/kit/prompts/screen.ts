import type { PrintedLines } from '../host/prompts.ts';
import { rowsOf, wrapLine } from './wrap-line.ts';

/** The terminal that prompts are displayed on. Its size is 0 or missing if unknown. */
export interface Terminal extends NodeJS.WritableStream {
  columns?: number | undefined;
  rows?: number | undefined;
}

/** The terminal below which the open question is displayed. It keeps the lines printed since the first question. */
export interface Screen {
  readonly terminal: Terminal;
  readonly columns: number;
  readonly rows: number;
  /** Prints a line, wrapped at its spaces. */
  print(line: string): void;
  /** Records text written by another writer of the process. */
  record(text: string): void;
  readonly printed: PrintedLines;
}

const default_columns = 80;
const default_rows = 24;
const csi = '\u001b[';

export function openScreen(terminal: Terminal): Screen {
  let lines: string[] = [];
  const columns = () => terminal.columns || default_columns;
  const rows = () => terminal.rows || default_rows;
  const write = (text: readonly string[]) => {
    if (text.length > 0) terminal.write(text.map((line) => `${line}\r\n`).join(''));
  };
  return {
    terminal,
    get columns() {
      return columns();
    },
    get rows() {
      return rows();
    },
    print: (line) => {
      const wrapped = wrapLine(line, columns());
      write(wrapped);
      lines.push(...wrapped);
    },
    record: (text) => {
      lines.push(...text.replace(/\n$/, '').split('\n'));
    },
    printed: {
      get: () => [...lines],
      replace: (next) => {
        const changed = next.findIndex((line, at) => line !== lines[at]);
        const same = changed === -1 ? next.length : changed;
        // The top row is out of reach once the cursor is below the last one.
        const room = rows() - 1;
        const stale = height(lines.slice(same), columns());
        const first = stale <= room ? same : firstVisible(next, room, columns());
        terminal.write(moveUpAndErase(Math.min(stale, room)));
        write(next.slice(first));
        lines = [...next];
      },
    },
  };
}

/** Erases everything from some rows above the cursor to the end of the screen. */
export function moveUpAndErase(rows: number): string {
  return `${rows > 0 ? `${csi}${rows}A` : ''}\r${csi}J`;
}

function height(lines: readonly string[], columns: number): number {
  return lines.reduce((sum, line) => sum + rowsOf(line, columns), 0);
}

/** The index of the first of the last lines that fit into a number of rows. */
function firstVisible(lines: readonly string[], room: number, columns: number): number {
  let used = 0;
  const above = lines.findLastIndex((line) => {
    used += rowsOf(line, columns);
    return used > room;
  });
  return above + 1;
}

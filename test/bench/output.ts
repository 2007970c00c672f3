import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

/** A function that prints a line of a table: the name on the left, the figures on the right. */
export function printer(name: number, figure: number): (...cells: string[]) => void {
  return (first = '', ...rest) =>
    console.log(first.padEnd(name) + rest.map((cell) => cell.padStart(figure)).join(''));
}

/** Runs a benchmark in a temporary folder. */
export async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-bench-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The statement that inserts a row of a table, by the columns of a given one. */
export function insertion(
  database: DatabaseSync,
  table: string,
  row: Readonly<Record<string, SQLInputValue>> = {},
): StatementSync {
  const columns = Object.keys(row);
  const places = columns.map(() => '?').join(', ');
  return database.prepare(`insert into ${table} (${columns.join(', ')}) values (${places})`);
}

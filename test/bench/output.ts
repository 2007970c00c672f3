import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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

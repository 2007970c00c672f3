import { once } from 'node:events';
import { createWriteStream, renameSync, rmSync, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { csvRows } from '../../../kit/output/delimited.ts';
import type { CellValue } from '../../../kit/result/result.ts';
import { escaped, escapedControls } from './escapes.ts';
import { unwritable } from './file-faults.ts';

/** A CSV file that stands in its place only once it is whole. */
export interface CsvFile {
  write(cells: readonly CellValue[]): Promise<void>;
  /** Puts it in its place. */
  keep(): Promise<void>;
}

/** Throws Failure where it cannot be written. */
export function createCsvFile(path: string, header: readonly string[]): CsvFile {
  const draft = `${path}.part`;
  // A file of its own: what lies there, a symbolic link too, is removed and never written to.
  removeFile(draft);
  const stream = createWriteStream(draft, { mode: 0o600, flags: 'wx' });
  let fault: Error | null = null;
  stream.on('error', (error) => {
    fault = error;
  });
  const write = async (cells: readonly CellValue[]) => {
    if (fault !== null) throw unwritable(path, fault);
    if (!stream.write(csvRows([{ data: null, cells }]))) await roomIn(stream);
  };
  void write(header).catch(() => {});
  return {
    write,
    keep: async () => {
      try {
        await finished(stream.end());
        renameSync(draft, path);
      } catch (error) {
        throw unwritable(path, error);
      }
    },
  };
}

/** Ends once a stream takes more, or takes nothing any more; what waited for the other is taken back. */
async function roomIn(stream: WriteStream): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]);
  } finally {
    waiting.abort();
  }
}

/** Takes away what an earlier import left in the place of a file. */
export function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** Headers of the file of what failed: the columns of the file itself, and what is added. */
export function failedHeader(columns: readonly string[]): string[] {
  return [...columns.filter((_, index) => !isAdded(columns, index)), 'line', 'error'];
}

/** A row that failed, under that header; read again as a file of what failed, it is the same row. */
export function failedCells(
  columns: readonly string[],
  { cells, line, error }: { cells: readonly string[]; line: number; error: string },
): CellValue[] {
  const isEscaped = columns.some((_, index) => isAdded(columns, index));
  const isJson = columns.length === 1 && columns[0] === 'order';
  const write = isJson || isEscaped ? escapedControls : escaped;
  const kept = columns
    .map((_, index) => write(cells[index] ?? ''))
    .filter((_, index) => !isAdded(columns, index));
  return [...kept, line, escapedControls(error)];
}

/** A column that an earlier import added. */
function isAdded(columns: readonly string[], index: number): boolean {
  return ['line', 'error'].includes((columns[index] ?? '').trim().toLowerCase());
}

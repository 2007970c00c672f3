/** Writing the files beside the source: the lock, the created orders, and the failed rows, which can be imported again. */
import { once } from 'node:events';
import { createWriteStream, renameSync, rmSync, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { Failure } from '../../../kit/errors/failure.ts';
import { csvRows } from '../../../kit/output/csv-output.ts';
import { escapeOf, sanitized } from '../../../kit/output/safe-text.ts';
import type { CellValue } from '../../../kit/result/result.ts';
import { type FileLock, takeLock } from '../../../kit/system/file-lock.ts';
import { explainFileError, readErrorCode } from '../../../kit/system/files.ts';

/** Removes a file that an earlier import left there. */
export function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw unwritable(path, error);
  }
}

export function moveFile(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    throw unwritable(to, error);
  }
}

/** Takes the lock of a file; exit 6 if another process has it. */
export function lockFile(path: string, name: string): FileLock {
  return takeLock(path, {
    busy: (holder) => busy(holder, name),
    unusable: (cause) => unwritable(path, cause),
  });
}

function busy(id: number | null, name: string): Failure {
  const who = id === null ? 'another process' : `process ${id}`;
  return new Failure(6, 'import_running', `${name} is being imported by ${who}.`, {
    hint: 'Wait until that has ended: nothing was sent by this one.',
  });
}

const closed: readonly string[] = ['EACCES', 'EPERM', 'EROFS'];
const full: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Explains why a file cannot be written. */
export function writeReason(error: unknown): string {
  const code = readErrorCode(error) ?? '';
  if (closed.includes(code)) return 'you may not write there';
  return code === 'EFBIG' ? 'it may not grow any larger' : explainFileError(error);
}

/** The error for a result file that cannot be written. */
export function unwritable(path: string, cause: unknown): Failure {
  const hint = full.includes(readErrorCode(cause) ?? '')
    ? 'Make room on the disk.'
    : 'The journal and the results stand beside the file: copy it to a folder that you may write to.';
  return new Failure(2, 'file_unwritable', `${path} cannot be written: ${writeReason(cause)}.`, {
    hint,
    cause,
  });
}

/** A CSV file that replaces its target only once it is complete. */
interface CsvFile {
  write(...rows: readonly (readonly CellValue[])[]): Promise<void>;
  /** Moves the file to its target. */
  keep(): Promise<void>;
}

/** Throws Failure if it cannot be written. */
export function createCsvFile(path: string, header: readonly string[]): CsvFile {
  const draft = `${path}.part`;
  // Creates a new file: an existing one, or a symbolic link, is removed and never written to.
  removeFile(draft);
  const stream = createWriteStream(draft, { mode: 0o600, flags: 'wx' });
  let fault: Error | null = null;
  stream.on('error', (error) => {
    fault = error;
  });
  const write: CsvFile['write'] = async (...rows) => {
    if (fault !== null) throw unwritable(path, fault);
    if (!stream.write(csvRows(rows.map((cells) => ({ cells }))))) await roomIn(stream);
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

/** Resolves when a stream accepts more or is closed; then removes its listeners. */
async function roomIn(stream: WriteStream): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]);
  } finally {
    waiting.abort();
  }
}

/**
 * The file of failed rows, which is created with the first one. Rows are reported even if it cannot be written: the
 * first fault is kept instead of being thrown. Without a path, as in a dry run, no file is created.
 */
export function createFailedRows(path: string | null, columns: readonly string[]) {
  let file: CsvFile | null = null;
  let fault: unknown = null;
  const attempt = async (write: () => Promise<void>) => {
    if (fault !== null) return;
    try {
      await write();
    } catch (error) {
      fault = error;
    }
  };
  return {
    add: (row: FailedRow) =>
      attempt(async () => {
        if (path !== null) file ??= createCsvFile(path, failedHeader(columns));
        await file?.write(...failedLines(columns, row));
      }),
    keep: () => attempt(async () => file?.keep()),
    /** Null if it can be written. */
    fault: () => fault,
  };
}

interface FailedRow {
  cells: readonly string[];
  /** The cells of the further rows of the order. */
  more?: readonly (readonly string[])[] | undefined;
  line: number;
  error: string;
}

/** The header of the file of failed rows: the columns of the source file and the added ones. */
export function failedHeader(columns: readonly string[]): string[] {
  return [...columns.filter((_, index) => !isAdded(columns, index)), 'line', 'error'];
}

/** The rows of a failed order: the error stands in the first one. */
export function failedLines(columns: readonly string[], row: FailedRow): CellValue[][] {
  const { more = [], line } = row;
  return [row, ...more.map((cells) => ({ cells, line, error: '' }))].map((each) =>
    failedCells(columns, each),
  );
}

/**
 * The cells of a failed row; if its file is imported, the row is read back unchanged. Values for which the header has no
 * column stand at the end, so that the row is refused until someone has looked at them.
 */
function failedCells(columns: readonly string[], { cells, line, error }: FailedRow): CellValue[] {
  const isEscaped = columns.some((_, index) => isAdded(columns, index));
  const isJson = columns.length === 1 && columns[0] === 'order';
  const write = isJson || isEscaped ? escapedControls : escaped;
  const kept = columns
    .map((_, index) => write(cells[index] ?? ''))
    .filter((_, index) => !isAdded(columns, index));
  const surplus = cells.slice(columns.length).map(write);
  const isSurplus = surplus.some((cell) => cell !== '');
  return [...kept, line, escapedControls(error), ...(isSurplus ? surplus : [])];
}

/** True for a column that an earlier import added. */
function isAdded(columns: readonly string[], index: number): boolean {
  return ['line', 'error'].includes((columns[index] ?? '').trim().toLowerCase());
}

/** Writes control characters, which our files never contain, as in JSON: `\u001b`. `unescaped` reverses it. */
function escaped(text: string): string {
  return escapedControls(text.replace(/\\(?=u[0-9a-f]{4})/g, escapeOf('\\')));
}

/** Escapes control characters in JSON, which keeps its meaning. */
function escapedControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (found) => (sanitized(found) === found ? found : escapeOf(found)));
}

export function unescaped(text: string): string {
  return text.replace(/\\u([0-9a-f]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

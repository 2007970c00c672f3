import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  type WriteStream,
} from 'node:fs';
import { extname, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { Failure, UsageError } from '../../../kit/errors/failure.ts';
import { csvRows } from '../../../kit/output/csv-output.ts';
import { escapeOf, sanitized } from '../../../kit/output/safe-text.ts';
import { type Invocation, type InvocationFlags, invocation } from '../../../kit/result/message.ts';
import type { CellValue } from '../../../kit/result/result.ts';
import { type FileLock, takeLock } from '../../../kit/system/file-lock.ts';
import { codeOf, notUtf8Error, reasonOf } from '../../../kit/system/files.ts';

/** The files of an import: the source, and beside it the journal, the lock and the results. */

export const sourceFormats = ['csv', 'ndjson', 'json'] as const;
export type SourceFormat = (typeof sourceFormats)[number];

/** Which column of a CSV file is read as which field of an order: the header as given, and the field. */
export type ColumnMap = readonly (readonly [header: string, field: string])[];

/** The systems whose exports can be read. */
export const presetNames = ['shopify', 'square', 'woocommerce'] as const;
export type PresetName = (typeof presetNames)[number];

/** How the columns of a file are read. */
export interface Layout {
  /** The system whose export the file is; null for columns that are named after the fields of an order. */
  preset: PresetName | null;
  map: ColumnMap;
  /** The store from which orders without a pickup of their own are picked up. */
  store: string | null;
}

/** The file to import. */
export interface Source {
  /** The path as given; used in messages and for the files beside it. */
  name: string;
  path: string;
  format: SourceFormat;
  layout: Layout;
  /** The typed flags of this command by their names in the code, for suggested commands. */
  typed: InvocationFlags;
  files: ImportFiles;
}

const formatOfEnding: Record<string, SourceFormat> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
};

/** Throws UsageError if `format` is not given and the extension does not determine it. */
export function sourceOf(
  name: string,
  folder: string,
  { format, layout, typed }: Pick<Source, 'layout' | 'typed'> & { format: SourceFormat | undefined },
): Source {
  if (name === '-')
    throw new UsageError('An import that can be resumed needs a file: stdin cannot be read again.');
  const found = format ?? formatOfEnding[extname(name).toLowerCase()];
  if (found !== undefined) {
    checkLayout(layout, found);
    const path = resolve(folder, name);
    return { name, path, format: found, layout, typed, files: filesOf(path) };
  }
  throw new UsageError(`Cannot tell the format of ${name} from its name.`, {
    hint: isSpreadsheet(name)
      ? 'Save the spreadsheet as CSV UTF-8, and import that file.'
      : 'Give a file that ends in .csv, .ndjson or .json, or pass --format.',
    choices: sourceFormats,
  });
}

function checkLayout({ preset, map }: Layout, format: SourceFormat): void {
  if (format !== 'csv' && map.length > 0)
    throw new UsageError('--map names columns: it applies to CSV only.');
  if (preset === null) return;
  if (map.length > 0) throw new UsageError('Use --preset or --map: a preset knows the columns of its file.');
  if (format !== 'csv' && preset !== 'woocommerce')
    throw new UsageError(`--preset ${preset} reads the CSV file that the system exports, not ${format}.`);
}

function isSpreadsheet(name: string): boolean {
  return /\.(xlsx?|xlsm|ods|numbers)$/i.test(name);
}

/** Reads each `--map`: `HEADER=FIELD`, or the path of a file with such lines. Throws UsageError. */
export function readColumnMap(given: readonly string[], folder: string): ColumnMap {
  return given.flatMap((text) =>
    text.includes('=') ? [pairOf(text, `--map "${text}"`)] : pairsInFile(text, folder),
  );
}

/** Empty lines and those that begin with `#` are skipped. */
function pairsInFile(name: string, folder: string): ColumnMap {
  let text: string;
  try {
    text = readFileSync(resolve(folder, name), 'utf8');
  } catch (error) {
    throw new UsageError(
      `--map must be HEADER=FIELD or a file, and ${name} cannot be read: ${reasonOf(error)}.`,
    );
  }
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  return lines.flatMap((line, index) =>
    /^\s*(#|$)/.test(line) ? [] : [pairOf(line, `${name}, line ${index + 1}`)],
  );
}

function pairOf(text: string, where: string): readonly [string, string] {
  const [, header = '', field = ''] = /^\s*(.*\S)\s*=\s*(\w+)\s*$/.exec(text) ?? [];
  if (header !== '') return [header, field.toLowerCase()];
  throw new UsageError(`${where} is not HEADER=FIELD.`, {
    hint: "For example: --map 'Shipping Name=dropoff_name'.",
  });
}

/** Totals of the part of a file that was read. */
export interface Tally {
  bytes: number;
  add(bytes: Buffer): void;
  /** The hash of the part that was read; can be called once. */
  sha256(): string;
}

export function createTally(): Tally {
  const hash = createHash('sha256');
  const tally: Tally = {
    bytes: 0,
    add: (bytes) => {
      hash.update(bytes);
      tally.bytes += bytes.length;
    },
    sha256: () => hash.digest('hex'),
  };
  return tally;
}

/** Yields the text of a file in pieces, without a byte order mark and with newlines normalized. Throws UsageError. */
export async function* textsOf(
  { name, path }: Pick<Source, 'name' | 'path'>,
  tally: Tally,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  // A CRLF may be split between two pieces.
  let held = '';
  try {
    for await (const bytes of createReadStream(path, { highWaterMark: 256 * 1024 })) {
      if (!Buffer.isBuffer(bytes)) continue;
      tally.add(bytes);
      const text = held + decoder.decode(bytes, { stream: true });
      held = text.endsWith('\r') ? '\r' : '';
      yield unixText(text.slice(0, text.length - held.length));
    }
    yield unixText(held + decoder.decode());
  } catch (error) {
    if (error instanceof TypeError) throw notUtf8Error(name);
    throw new UsageError(`The file ${name} cannot be read: ${reasonOf(error)}.`, { cause: error });
  }
}

function unixText(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** Reads a file to compute its totals only. Throws UsageError. */
export async function tallyOf(source: Source): Promise<Tally> {
  const tally = createTally();
  for await (const _ of textsOf(source, tally));
  return tally;
}

/** The command that imports a file, with the flags typed this time. */
export function importLine(
  { name, typed }: Pick<Source, 'name' | 'typed'>,
  flags: InvocationFlags = {},
): Invocation {
  return invocation('orders import', [name], { ...typed, ...flags });
}

/** The files beside the one that is imported. */
export interface ImportFiles {
  journal: string;
  ok: string;
  failed: string;
  /** Exists while a process imports the file. */
  lock: string;
}

export function filesOf(path: string): ImportFiles {
  return {
    journal: `${path}.waybill-journal`,
    ok: `${path}.ok.csv`,
    failed: `${path}.failed.csv`,
    lock: `${path}.waybill-lock`,
  };
}

/** Removes a file that an earlier import left there. */
export function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw unwritable(path, error);
  }
}

/**
 * Removes the faults file of an earlier check after a check without findings; if a journal exists, the file belongs to
 * its import and stays.
 */
export function removeOldFaults({ journal, failed }: ImportFiles): void {
  if (!existsSync(journal)) removeFile(failed);
}

/**
 * Renames the journal of an abandoned import, which records what was created. Returns a function that restores it, in
 * case the new import never starts.
 */
export function setAside(journal: string): () => void {
  const old = `${journal}.old`;
  const isThere = existsSync(journal);
  if (isThere) moveFile(journal, old);
  return () => {
    removeFile(journal);
    if (isThere) moveFile(old, journal);
  };
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
  const code = codeOf(error) ?? '';
  if (closed.includes(code)) return 'you may not write there';
  return code === 'EFBIG' ? 'it may not grow any larger' : reasonOf(error);
}

/** The error for a result file that cannot be written. */
export function unwritable(path: string, cause: unknown): Failure {
  const hint = full.includes(codeOf(cause) ?? '')
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
    if (!stream.write(csvRows(rows.map((cells) => ({ data: null, cells }))))) await roomIn(stream);
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
 * first fault is kept instead of being thrown.
 */
export function createFailedRows(path: string, columns: readonly string[]) {
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
        file ??= createCsvFile(path, failedHeader(columns));
        await file.write(failedCells(columns, row));
      }),
    keep: () => attempt(async () => file?.keep()),
    /** Null if it can be written. */
    fault: () => fault,
  };
}

interface FailedRow {
  cells: readonly string[];
  line: number;
  error: string;
}

/** The header of the file of failed rows: the columns of the source file and the added ones. */
export function failedHeader(columns: readonly string[]): string[] {
  return [...columns.filter((_, index) => !isAdded(columns, index)), 'line', 'error'];
}

/**
 * The cells of a failed row; if its file is imported, the row is read back unchanged. Values for which the header has no
 * column stand at the end, so that the row is refused until someone has looked at them.
 */
export function failedCells(columns: readonly string[], { cells, line, error }: FailedRow): CellValue[] {
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

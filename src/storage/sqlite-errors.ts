/** What the errors of SQLite and of the file system mean, and what an operator can do about them. */
import { accessSync, constants, existsSync, type Stats, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StorageUnavailable, type UnavailableReason } from './storage.ts';

/** The primary result codes of faults of the file, its lock or its disk: https://sqlite.org/rescode.html. */
const code = {
  busy: 5,
  locked: 6,
  read_only: 8,
  io_error: 10,
  corrupt: 11,
  full: 13,
  cannot_open: 14,
  protocol: 15,
  authorization: 23,
  not_a_database: 26,
};
const unavailableCodes = Object.values(code);
const reasonsByCode = new Map<number, UnavailableReason>([
  [code.busy, 'locked'],
  [code.locked, 'locked'],
  [code.read_only, 'read_only'],
  [code.full, 'disk_full'],
]);

/** Whether another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === code.busy;
}

/** Whether nobody, or not this process, may write to the file. */
export function isProtected(error: unknown): boolean {
  return primaryCode(error) === code.read_only;
}

/** Whether the file is damaged, or no database at all. */
function isDamaged(error: unknown): boolean {
  const found = primaryCode(error);
  return found === code.corrupt || found === code.not_a_database;
}

/** Converts SQLite errors about the file itself to `StorageUnavailable`, with advice; returns all others unchanged. */
export function sqliteError(error: unknown, location: string): unknown {
  const found = primaryCode(error);
  if (found === undefined || !unavailableCodes.includes(found) || !(error instanceof Error)) return error;
  const reason = reasonsByCode.get(found) ?? 'unreachable';
  return new StorageUnavailable(error.message, { cause: error, reason, advice: fileAdvice(location, error) });
}

/** With less than this a disk counts as full: a transaction may need more. */
const min_free_bytes = 1_000_000;

const tooManyFiles = 'This process may open no more files: raise its limit, ulimit -n, to 1024 or more.';

/** What an operator can do about a file that cannot be used, as far as the file system tells why; undefined otherwise. */
export function fileAdvice(location: string, error: Error): string | undefined {
  if (location === ':memory:' || isBusy(error)) return undefined;
  if ('code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE')) return tooManyFiles;
  const folder = dirname(location);
  const found = statOf(location);
  if (found !== undefined && !found.isFile()) return `${location} is not a file: name a file in a folder.`;
  if (isDamaged(error))
    return primaryCode(error) === code.not_a_database
      ? `${location} has something else in it: name another file.`
      : 'Restore a backup: waybill restore.';
  const right = (found === undefined ? null : accessAdvice(location)) ?? accessAdvice(folder, 'folder');
  if (right !== null) return right;
  const free_bytes = existsSync(folder) ? freeBytes(folder) : Number.POSITIVE_INFINITY;
  if (free_bytes < min_free_bytes)
    return `The disk of ${folder} is full: ${Math.floor(free_bytes / 1024)} KiB are free.`;
  if (primaryCode(error) === code.io_error)
    return `The disk of ${folder} failed, or a limit of file sizes (ulimit -f) was met.`;
  // SQLite does not say why it could open none of its files, which are several.
  return primaryCode(error) === code.cannot_open ? tooManyFiles : undefined;
}

/** Undefined also for what cannot be looked at, such as a link to itself. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Why this process may not write to a path; null if it may, or for another cause. */
function accessAdvice(path: string, kind: 'file' | 'folder' = 'file'): string | null {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return null;
  } catch (error) {
    const fault = error instanceof Error && 'code' in error ? error.code : null;
    if (fault === 'EROFS') return `The file system of ${path} is read-only.`;
    if (fault !== 'EACCES') return null;
    return kind === 'folder'
      ? `This user may not write in the folder ${path}, where SQLite keeps its log beside the file.`
      : `This user may not write to ${path}.`;
  }
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

// The primary code is the lowest byte of an extended result code: https://sqlite.org/rescode.html
function primaryCode(error: unknown): number | undefined {
  if (error instanceof Error && 'errcode' in error && typeof error.errcode === 'number') {
    return error.errcode & 0xff;
  }
  return undefined;
}

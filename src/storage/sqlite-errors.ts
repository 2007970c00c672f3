/** What the errors of SQLite and of the file system mean, and what an operator can do about them. */
import { accessSync, constants, existsSync, type Stats, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StorageUnavailable, type UnavailableReason } from './storage.ts';

const busyCode = 5;
const corruptCode = 11;
const notDatabaseCode = 26;
// Busy, locked, read-only, I/O, damaged, full, cannot open, locking protocol, authorization, not a database.
const unavailableCodes = [busyCode, 6, 8, 10, corruptCode, 13, 14, 15, 23, notDatabaseCode];
const reasonsByCode = new Map<number, UnavailableReason>([
  [busyCode, 'locked'],
  [6, 'locked'],
  [8, 'read_only'],
  [13, 'disk_full'],
]);

/** Another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === busyCode;
}

/** The file is damaged, or no database at all. */
export function isDamaged(error: unknown): boolean {
  const code = primaryCode(error);
  return code === corruptCode || code === notDatabaseCode;
}

/** Converts SQLite errors about the file itself to `StorageUnavailable`, with advice; returns all others unchanged. */
export function sqliteError(error: unknown, location: string): unknown {
  const code = primaryCode(error);
  if (code === undefined || !unavailableCodes.includes(code) || !(error instanceof Error)) {
    return error;
  }
  const reason = reasonsByCode.get(code) ?? 'unreachable';
  return new StorageUnavailable(error.message, { cause: error, reason, advice: fileAdvice(location, error) });
}

/** Less than this is too little for a transaction. */
const min_free_bytes = 1_000_000;

/** What keeps this process from using a database file, as far as the file system tells. */
export function fileAdvice(location: string, error: Error): string | undefined {
  if (location === ':memory:' || isBusy(error)) return undefined;
  if ('code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE')) return tooManyFiles;
  const folder = dirname(location);
  const found = statOf(location);
  if (found !== undefined && !found.isFile()) return `${location} is not a file: name a file in a folder.`;
  if (isDamaged(error))
    return primaryCode(error) === notDatabaseCode
      ? `${location} has something else in it: name another file.`
      : 'Restore a backup: waybill restore.';
  for (const path of found === undefined ? [folder] : [location, folder]) {
    const fault = accessFault(path);
    if (fault === 'EROFS') return `The file system of ${path} is read-only.`;
    if (fault === 'EACCES')
      return path === folder
        ? `This user may not write in the folder ${folder}, where SQLite keeps its log beside the file.`
        : `This user may not write to ${path}.`;
  }
  const free_bytes = existsSync(folder) ? freeBytes(folder) : Number.POSITIVE_INFINITY;
  if (free_bytes < min_free_bytes)
    return `The disk of ${folder} is full: ${Math.floor(free_bytes / 1024)} KiB are free.`;
  if (primaryCode(error) === 10)
    return `The disk of ${folder} failed, or a limit of file sizes (ulimit -f) was met.`;
  // SQLite does not say why it could open none of its files, which are several.
  return primaryCode(error) === 14 ? tooManyFiles : undefined;
}

const tooManyFiles = 'This process may open no more files: raise its limit, ulimit -n, to 1024 or more.';

/** Undefined also for what cannot be looked at, such as a link to itself. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function accessFault(path: string): string | null {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return null;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : null;
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

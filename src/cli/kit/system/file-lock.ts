/**
 * Locks among processes. A lock is a SQLite lock on a side file, which the system releases when its process ends in any way.
 * A process ID in a file would not tell: it may have been reused.
 */
import { closeSync, existsSync, lstatSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { readErrorCode } from './files.ts';

export interface FileLock {
  release(): void;
}

/** How long and how often competing processes try to take the lock; the wait blocks. */
const lock_timeout_ms = 150;
const max_rounds = 5;
/** Competing processes give up at different times. */
const spread_ms = (process.pid % 5) * 50;

interface LockErrors {
  /** Another process has it; its ID is null if it is unknown. */
  busy(holder: number | null): Error;
  /** Its file cannot be used. */
  unusable(cause: unknown): Error;
}

/** Takes the lock at a path, or throws `busy` if another process has it. */
export function takeLock(path: string, errors: LockErrors): FileLock {
  for (let round = 1; ; round += 1) {
    createLockFile(path, errors);
    const before = inodeOf(path);
    const database = tryLock(path, errors);
    if (database === null) {
      // The owner has written its ID; two competing processes try again.
      const holder = holderOf(path);
      if (round === max_rounds || holder !== null) throw errors.busy(holder);
      continue;
    }
    // The previous owner may have removed the file in the meantime, and others may have created a new one.
    if (before !== null && inodeOf(path) === before)
      return { release: () => removeAndUnlock(database, path) };
    database.close();
  }
}

/** How often `awaitLock` tries; each attempt waits for the lock for a short time. */
const max_attempts = 40;

/** Takes a lock that other processes keep for milliseconds: waits for it instead of throwing `busy`. */
export function awaitLock(path: string, unusable: (cause: unknown) => Error): FileLock {
  for (let attempt = 1; ; attempt += 1) {
    let isBusy = false;
    const busy = (holder: number | null) => {
      isBusy = true;
      return unusable(new Error(`process ${holder ?? 'of an unknown ID'} is changing it`));
    };
    try {
      return takeLock(path, { busy, unusable });
    } catch (error) {
      if (!isBusy || attempt === max_attempts) throw error;
    }
  }
}

/** Creates the file of a lock. It opens no existing file: closing that would release this process's locks on it. */
function createLockFile(path: string, { unusable }: LockErrors): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw unusable(new Error('it is a symbolic link'));
  if (existsSync(path)) return;
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (readErrorCode(error) !== 'EEXIST') throw unusable(error);
  }
}

function inodeOf(path: string): bigint | null {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null;
}

/** Writes the process ID where others can read it and keeps the lock; null if another process has it. */
function tryLock(path: string, { unusable }: LockErrors): DatabaseSync | null {
  // Loaded here: look-ups read settings and lock nothing.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(path, { timeout: lock_timeout_ms + spread_ms, open: false });
  try {
    database.open();
    database.exec('pragma journal_mode = memory; pragma synchronous = off; begin exclusive');
    // Only set now: two processes that both kept their read lock would block each other.
    database.exec(`pragma locking_mode = exclusive; pragma user_version = ${process.pid}; commit`);
    return database;
  } catch (error) {
    if (database.isOpen) database.close();
    if (isBusy(error)) return null;
    throw unusable(error);
  }
}

/** Whether another process has the lock: https://sqlite.org/rescode.html#busy */
function isBusy(error: unknown): boolean {
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    (error.errcode & 0xff) === 5
  );
}

/** The offset of `user_version` in a database: https://sqlite.org/fileformat.html#the_database_header */
const user_version_offset = 60;

/** The ID of the process that has a lock; null if it has not written it yet. */
function holderOf(path: string): number | null {
  const bytes = Buffer.alloc(4);
  try {
    const file = openSync(path, 'r');
    readSync(file, bytes, 0, bytes.length, user_version_offset);
    closeSync(file);
  } catch {}
  const id = bytes.readInt32BE();
  return id === 0 ? null : id;
}

/** Removes the file while it is locked, or afterwards if the system cannot remove an open file. */
function removeAndUnlock(database: DatabaseSync, path: string): void {
  const isRemoved = tryRemove(path);
  database.close();
  if (!isRemoved) tryRemove(path);
}

function tryRemove(path: string): boolean {
  try {
    rmSync(path);
    return true;
  } catch {
    return false;
  }
}

import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StorageUnavailable } from './errors.ts';

const busyCode = 5;
// Read-only, I/O, damaged, full, cannot open, locking protocol, not a database.
const unavailableCodes = [busyCode, 6, 8, 10, 11, 13, 14, 15, 23, 26];

/** Opens a database file, readable by its owner alone when it is new. `timeout` is in milliseconds. */
export function connect(location: string, timeout: number): DatabaseSync {
  try {
    if (location !== ':memory:' && !existsSync(location)) {
      createPrivately(location);
    }
    return new DatabaseSync(location, { timeout });
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown reason';
    throw new StorageUnavailable(`cannot open the database ${location}: ${reason}`, {
      cause: error,
    });
  }
}

// SQLite gives its side files the mode of the database. The file must not be opened when it exists:
// closing it again would drop the locks that this process has on it.
function createPrivately(location: string): void {
  mkdirSync(dirname(location), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(location, 'wx', 0o600));
  } catch (error) {
    if (!existsSync(location)) {
      throw error;
    }
  }
}

/**
 * A check that the file of a database is still the one that was opened: what is written to a file that was deleted or
 * replaced is lost. The check throws `StorageUnavailable`.
 */
export function requireSameFile(location: string): () => void {
  if (location === ':memory:') {
    return () => {};
  }
  const opened = identityOf(location);
  return () => {
    const found = identityOf(location);
    if (found !== opened) {
      const fate = found === null ? 'deleted' : 'replaced';
      throw new StorageUnavailable(`the database file ${location} was ${fate}: start the service again`);
    }
  };
}

/** The file at a path, as the file system knows it; null where there is none. */
function identityOf(location: string): string | null {
  const found = statSync(location, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}

/** Another connection has the lock that was needed. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === busyCode;
}

/** Turns SQLite's errors about the file itself into `StorageUnavailable`; hands on all others. */
export function sqliteError(error: unknown): unknown {
  const code = primaryCode(error);
  if (code === undefined || !unavailableCodes.includes(code) || !(error instanceof Error)) {
    return error;
  }
  return new StorageUnavailable(error.message, { cause: error });
}

// An extended result code has the primary one in its lowest byte: https://sqlite.org/rescode.html
function primaryCode(error: unknown): number | undefined {
  if (error instanceof Error && 'errcode' in error && typeof error.errcode === 'number') {
    return error.errcode & 0xff;
  }
  return undefined;
}

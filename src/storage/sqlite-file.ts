/** A SQLite database file: opening, watching and migrating it, and the process that owns its background work. */
import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';
import { elapsed_ms } from './ports/pause.ts';
import { fileAdvice, isBusy, isProtected, sqliteError } from './sqlite-errors.ts';
import { requireUsable, StorageUnavailable, schemaVersion } from './storage.ts';

export const traceAdvice = 'put the database back, or move that file away to begin with a new one';

/** Opens a database file, readable only by its owner if it is new. `timeout` is in milliseconds. */
export function connectSqlite(
  location: string,
  timeout: number,
  { readOnly = false }: Pick<DatabaseSyncOptions, 'readOnly'> = {},
): DatabaseSync {
  try {
    if (location !== ':memory:' && !readOnly && !existsSync(location)) {
      const trace = traceOfDatabase(location);
      if (trace !== null) throw new Error(`the file is missing, but ${trace} of it is there: ${traceAdvice}`);
      createPrivately(location);
    }
    return new DatabaseSync(location, { timeout, readOnly });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new StorageUnavailable(`cannot open the database ${location}: ${error.message}`, {
      cause: error,
      advice: fileAdvice(location, error),
    });
  }
}

/**
 * What a database has left beside a free path; null without a trace. A new database there would lose the old one its log
 * or its key, or hide that a restore was killed when it had moved the old one away.
 */
export function traceOfDatabase(location: string): string | null {
  return [`${location}-wal`, restoredFile(location), `${location}.secret-key`].find(hasContent) ?? null;
}

/** The copy that a restore puts in the place of a database at its end. It stays if the restore is killed before. */
export function restoredFile(location: string): string {
  return `${location}.new`;
}

/** Whether there is a file of that path that is not empty. */
export function hasContent(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

// Node's own recursive `mkdirSync` never returns where a file system refuses new folders with ENOENT, as /proc does.
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (path !== dirname(path)) makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(path)) throw error;
  }
}

// SQLite creates its side files with the mode of the database. An existing file must not be opened here: closing it
// would drop the locks that this process holds on it.
function createPrivately(location: string): void {
  makeFolder(dirname(location));
  try {
    closeSync(openSync(location, 'wx', 0o600));
  } catch (error) {
    if (!existsSync(location)) throw error;
  }
}

/**
 * Creates a check that the database file is still the one that was opened: writes to a deleted or replaced file are
 * lost. The check throws `StorageUnavailable`.
 */
export function requireSameFile(location: string): () => void {
  if (location === ':memory:') return () => {};
  const opened = identityOf(location);
  return () => {
    const found = identityOf(location);
    if (found !== opened) {
      const fate =
        found === null
          ? 'moved or deleted: put it back, the service then goes on; do not restart it before'
          : 'replaced: restart the service';
      throw new StorageUnavailable(`the database file ${location} was ${fate}`, { reason: 'moved' });
    }
  };
}

/** Whether this process may not write to a database file, or nobody to its file system. */
export function isFileReadOnly(location: string): boolean {
  if (location === ':memory:') return false;
  try {
    accessSync(location, constants.W_OK);
    return false;
  } catch {
    // A file that was moved or deleted is another fault.
    return existsSync(location);
  }
}

/** Creates a count of the changes of a database file by any process, as far as each call finds one. */
export function createChangeCount(location: string): () => number {
  let count = 0;
  let latest = '';
  return () => {
    // Each transaction writes to the log first.
    const log = statSync(`${location}-wal`, { bigint: true, throwIfNoEntry: false });
    const found = `${log?.mtimeNs} ${log?.size}`;
    if (found !== latest) count += 1;
    latest = found;
    return count;
  };
}

/** The identity of the file at a path; null if absent. */
function identityOf(location: string): string | null {
  const found = statSync(location, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}

/** How often the switch to a write-ahead log is tried, and the pause between two attempts: ten seconds in total. */
const wal_attempts = 500;
const wal_pause_ms = 20;

/** Identifies databases of waybill: `wayb` in ASCII (https://sqlite.org/pragma.html). */
const applicationId = 0x77_61_79_62;

/**
 * Migrates the database to the newest schema, with two reads if it is current. Databases of other programs are never
 * written to.
 */
export async function migrateSqlite(database: DatabaseSync): Promise<void> {
  // Read in this order: a new database gets both numbers together, possibly by another process in between.
  const version = readVersion(database);
  if (readNumber(database, 'application_id') !== applicationId) {
    // In one transaction, so that all reads see the same state.
    inTransaction(database, 'deferred', () => requireOwnOrEmpty(database));
  }
  requireUsable(version);
  if (version < schemaVersion) {
    useWriteAheadLog(database);
    await runMigrations(database);
  } else if (database.prepare('pragma journal_mode').get()?.journal_mode === 'delete') {
    turnLogOn(database);
  }
}

// Everything is read again under the write lock, because another process may have been first.
async function runMigrations(database: DatabaseSync): Promise<void> {
  const { migrations } = await import('./migrations.ts');
  const { sqliteTypes } = await import('./table-definitions.ts');
  inTransaction(database, 'immediate', () => {
    requireOwnOrEmpty(database);
    const version = readVersion(database);
    requireUsable(version);
    const statements = migrations.slice(version).flatMap((migration) => migration(sqliteTypes));
    for (const statement of statements) database.exec(statement);
    database.exec(`pragma application_id = ${applicationId}`);
    database.exec(`pragma user_version = ${migrations.length}`);
  });
}

export function readVersion(database: DatabaseSync): number {
  return readNumber(database, 'user_version');
}

/** Rejects a file that is not a database of waybill. */
export function requireOwn(database: DatabaseSync): void {
  if (readNumber(database, 'application_id') !== applicationId) throw notOwn();
}

function notOwn(): StorageUnavailable {
  return new StorageUnavailable('the file is not a waybill database');
}

function requireOwnOrEmpty(database: DatabaseSync): void {
  const id = readNumber(database, 'application_id');
  if (id === applicationId) return;
  const isUsed = database.prepare('select 1 from sqlite_schema limit 1').get() !== undefined;
  if (id !== 0 || isUsed || readNumber(database, 'user_version') !== 0) throw notOwn();
}

function inTransaction(database: DatabaseSync, kind: 'immediate' | 'deferred', work: () => void): void {
  database.exec(`begin ${kind}`);
  try {
    work();
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

// The switch needs exclusive access, and SQLite does not wait for it as for locks: retries when several processes open
// a new file. The mode is stored in the file.
function useWriteAheadLog(database: DatabaseSync): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let attempt = 1; ; attempt += 1) {
    try {
      database.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if (!isBusy(error) || attempt === wal_attempts) throw error;
      Atomics.wait(pause, 0, 0, wal_pause_ms);
    }
  }
}

// A restored database has no log. While others use it or nobody may write to it, it works without one: see `inspect`.
function turnLogOn(database: DatabaseSync): void {
  try {
    database.exec('pragma journal_mode = wal');
  } catch (error) {
    if (!isBusy(error) && !isProtected(error)) throw error;
  }
}

function readNumber(database: DatabaseSync, name: 'user_version' | 'application_id'): number {
  return Number(database.prepare(`pragma ${name}`).get()?.[name]);
}

/** After this the storage counts as unavailable: what waits behind the first statement must not wait as long again. */
const max_lock_wait_ms = 10_000;

/** The wait of a connection for the lock of another process, over all statements until one gets it. */
export class LockWait {
  /** How many waits there were. */
  count = 0;
  #since_ms: number | null = null;

  /** Whether a statement that has not got the lock may try again. */
  mayGoOn(): boolean {
    if (this.#since_ms === null) {
      this.#since_ms = elapsed_ms();
      this.count += 1;
    }
    return this.duration_ms() < max_lock_wait_ms;
  }

  end(): void {
    this.#since_ms = null;
  }

  /** How long the present wait has lasted; 0 without one. */
  duration_ms(): number {
    return this.#since_ms === null ? 0 : elapsed_ms() - this.#since_ms;
  }
}

export interface WorkerLock {
  release(): void;
}

/** The side file by which one process owns the background work of a database file. */
export function workerFile(file: string): string {
  return `${file}-worker`;
}

/**
 * Makes this process the owner of a database file's background work; null if another process owns it. The lock is an
 * exclusive transaction on the side file, so the operating system releases it when the process dies. Waiting
 * (`wait_ms`, default 0) blocks the process. @throws StorageUnavailable
 */
export function acquireWorkerLock(file: string, options: { wait_ms?: number } = {}): WorkerLock | null {
  const side = file === ':memory:' ? file : workerFile(file);
  const database = connectSqlite(side, options.wait_ms ?? 0);
  try {
    database.exec('begin exclusive');
    return { release: () => database.isOpen && database.close() };
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw sqliteError(error, side);
  }
}

/** Copies of a SQLite database file: made while others write to it, checked, and put in the place of another one. */
import { closeSync, existsSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { backup, type DatabaseSync } from 'node:sqlite';
import { sqliteError } from './sqlite-errors.ts';
import {
  acquireWorkerLock,
  connectSqlite,
  hasContent,
  readVersion,
  requireOwn,
  restoredFile,
  traceAdvice,
  type WorkerLock,
  workerFile,
} from './sqlite-file.ts';
import { requireUsable, StorageUnavailable } from './storage.ts';

/** How long a copy waits for a lock of another process. */
const lock_timeout_ms = 10_000;
/**
 * All pages in one step: SQLite starts a copy again when another process writes between two steps
 * (https://sqlite.org/backup.html). A reader of a write-ahead log delays no writer.
 */
const all_pages = 2_147_483_647;

export interface DatabaseCopy {
  bytes: number;
  schema_version: number;
  orders: number;
  deliveries: number;
}

/**
 * Copies a database file as it is at one moment, also while others write to it, to a new file that only its owner can
 * read. Throws `StorageUnavailable`; then there is no new file.
 */
export async function copyDatabase(file: string, target: string): Promise<DatabaseCopy> {
  const part = `${target}.part`;
  removeDatabase(part);
  await readSqliteVersion(requireFile(file));
  const source = connectSqlite(file, lock_timeout_ms, { readOnly: true });
  try {
    // Creates the file readable by its owner only: SQLite's backup would make it readable by everyone.
    connectSqlite(part, lock_timeout_ms).close();
    await backup(source, part, { rate: all_pages });
    const copied = inspect(part);
    renameSync(part, target);
    return copied;
  } catch (error) {
    removeDatabase(part);
    throw sqliteError(error, part);
  } finally {
    source.close();
  }
}

/**
 * Replaces a database by a copy; the one before is kept beside it, with its log, under another name, which is returned, or
 * null if there was none. Throws `StorageUnavailable` if a process uses the database, if the copy is damaged or made by a newer
 * version, or if a log lies beside either file that is not its own; then nothing is changed.
 */
export async function replaceDatabase(
  copy: string,
  file: string,
  suffix: string,
): Promise<DatabaseCopy & { replaced: string | null }> {
  const lock = lockUnused(file);
  const fresh = restoredFile(file);
  try {
    const log = `${file}-wal`;
    if (!existsSync(file) && hasContent(log))
      throw new StorageUnavailable(`the file is missing, but ${log} of it is there: ${traceAdvice}`);
    const copied = await copyUnused(copy, fresh).catch((error: unknown) => {
      throw unusableCopy(copy, error);
    });
    const replaced = existsSync(file) ? `${file}.${suffix}` : null;
    if (replaced !== null) {
      renameSync(file, replaced);
      // Opening a damaged file to write its log into it can delete the log, which has the newest changes. Without its
      // journal, a database keeps the half of a transaction that a crash has left.
      for (const end of ['-wal', '-journal'])
        if (existsSync(file + end)) renameSync(file + end, replaced + end);
    }
    removeDatabase(file);
    renameSync(fresh, file);
    return { ...copied, replaced };
  } finally {
    removeDatabase(fresh);
    lock.release();
    if (!existsSync(file)) rmSync(workerFile(file), { force: true });
  }
}

function unusableCopy(copy: string, cause: unknown): StorageUnavailable {
  const why = cause instanceof Error ? cause.message : String(cause);
  const subject = `the backup ${copy}`;
  return new StorageUnavailable(`${why}; the database is as before`, { cause, subject });
}

/** Copies a file that this process does not have open: closing it again would drop the locks of SQLite. */
async function copyUnused(file: string, target: string): Promise<DatabaseCopy> {
  if (hasContent(`${file}-wal`) && !usesLog(requireFile(file)))
    throw new StorageUnavailable(`${file}-wal beside it is the log of another database: move it away`);
  return copyDatabase(file, target);
}

/** The place in the header, and the value there, of a database with a write-ahead log (https://sqlite.org/fileformat.html). */
const read_version_at = 19;
const wal_version = 2;

/** Whether a database has a log: SQLite applies any log that lies beside a file, also to one without. */
function usesLog(file: string): boolean {
  const header = Buffer.alloc(read_version_at + 1);
  const opened = openSync(file, 'r');
  readSync(opened, header);
  closeSync(opened);
  return header[read_version_at] === wal_version;
}

/** Throws `StorageUnavailable` if a service uses the database file. */
export function requireUnused(file: string): void {
  lockUnused(file).release();
}

function lockUnused(file: string): WorkerLock {
  const lock = acquireWorkerLock(file);
  if (lock === null) throw new StorageUnavailable('a service is using the database: stop it first');
  return lock;
}

/**
 * Checks every page of a copy, and counts its main records. The copy gets no write-ahead log: reading it then creates no
 * side files. A service that opens it turns the log on again.
 */
function inspect(file: string): DatabaseCopy {
  const database = connectSqlite(file, lock_timeout_ms);
  try {
    database.exec('pragma journal_mode = delete');
    const problem = database.prepare('pragma quick_check(1)').get()?.quick_check;
    if (problem !== 'ok') throw new StorageUnavailable(`the database is damaged: ${problem}`);
    return {
      bytes: statSync(file).size,
      schema_version: readVersion(database),
      orders: countOf(database, 'orders'),
      deliveries: countOf(database, 'deliveries'),
    };
  } finally {
    database.close();
  }
}

function countOf(database: DatabaseSync, table: 'orders' | 'deliveries'): number {
  return Number(database.prepare(`select count(*) as count from ${table}`).get()?.count);
}

/** Throws `StorageUnavailable` without a file: opening it would create one. */
function requireFile(file: string): string {
  if (existsSync(file)) return file;
  throw new StorageUnavailable(`there is no file ${file}`);
}

/** Deletes a database file with its side files. */
function removeDatabase(file: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${end}`, { force: true });
}

/**
 * Reads the schema version of a database file; 0 if it does not exist. Throws `StorageUnavailable` if it cannot be
 * opened, or has a schema that this version cannot use.
 */
export async function readSqliteVersion(file: string): Promise<number> {
  if (!existsSync(file)) return 0;
  const database = connectSqlite(file, lock_timeout_ms, { readOnly: true });
  try {
    requireOwn(database);
    const version = readVersion(database);
    requireUsable(version);
    return version;
  } catch (error) {
    throw sqliteError(error, file);
  } finally {
    database.close();
  }
}

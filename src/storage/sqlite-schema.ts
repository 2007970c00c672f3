import type { DatabaseSync } from 'node:sqlite';
import { StorageUnavailable } from './errors.ts';
import { isBusy } from './sqlite-file.ts';
import { requireUsable, schemaVersion } from './version.ts';

const walAttempts = 500;
const walPauseMilliseconds = 20;

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
    const { migrations, sqliteTypes } = await import('./migrations.ts');
    useWriteAheadLog(database);
    runMigrations(
      database,
      migrations.map((migration) => migration(sqliteTypes)),
    );
  }
}

// Everything is read again under the write lock, because another process may have been first.
function runMigrations(database: DatabaseSync, migrations: readonly (readonly string[])[]): void {
  inTransaction(database, 'immediate', () => {
    requireOwnOrEmpty(database);
    const version = readVersion(database);
    requireUsable(version);
    for (const statement of migrations.slice(version).flat()) database.exec(statement);
    database.exec(`pragma application_id = ${applicationId}`);
    database.exec(`pragma user_version = ${migrations.length}`);
  });
}

/** The number of migrations that the database has. */
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
  if (id === applicationId) {
    return;
  }
  const isUsed = database.prepare('select 1 from sqlite_schema limit 1').get() !== undefined;
  if (id !== 0 || isUsed || readNumber(database, 'user_version') !== 0) {
    throw notOwn();
  }
}

function inTransaction(database: DatabaseSync, kind: 'immediate' | 'deferred', work: () => void): void {
  database.exec(`begin ${kind}`);
  try {
    work();
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) {
      database.exec('rollback');
    }
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
      if (!isBusy(error) || attempt === walAttempts) {
        throw error;
      }
      Atomics.wait(pause, 0, 0, walPauseMilliseconds);
    }
  }
}

function readNumber(database: DatabaseSync, name: 'user_version' | 'application_id'): number {
  return Number(database.prepare(`pragma ${name}`).get()?.[name]);
}

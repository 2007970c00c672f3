import type { DatabaseSync } from 'node:sqlite';
import { isBusy } from './sqlite-file.ts';
import { requireKnownVersion, schemaVersion } from './version.ts';

const walAttempts = 500;
const walPauseMilliseconds = 20;

/** Brings the database to the newest schema; costs one read when it is there already. */
export async function migrateSqlite(database: DatabaseSync): Promise<void> {
  const version = readVersion(database);
  requireKnownVersion(version);
  if (version < schemaVersion) {
    const { migrations } = await import('./migrations/index.ts');
    const { sqliteTypes } = await import('./migrations/first-schema.ts');
    useWriteAheadLog(database);
    runMigrations(
      database,
      migrations.map((migration) => migration(sqliteTypes)),
    );
  }
}

// The version is read again under the write lock: another process may have been first.
function runMigrations(database: DatabaseSync, migrations: string[][]): void {
  database.exec('begin immediate');
  try {
    for (const statement of migrations.slice(readVersion(database)).flat()) {
      database.exec(statement);
    }
    database.exec(`pragma user_version = ${migrations.length}`);
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) {
      database.exec('rollback');
    }
    throw error;
  }
}

// The switch needs the file for itself, and SQLite does not wait for that as it does for locks:
// with several processes at a new file, try again. The mode then stays with the file.
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

function readVersion(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.user_version);
}

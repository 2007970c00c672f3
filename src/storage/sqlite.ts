import { Kysely } from 'kysely';
import type { Database } from './database.ts';
import { translated } from './errors.ts';
import { sqliteDialect } from './sqlite-driver.ts';
import { connect, sqliteError } from './sqlite-file.ts';
import { migrateSqlite } from './sqlite-schema.ts';
import type { Storage } from './storage.ts';

/** How long a statement waits for other processes' locks before the storage counts as unavailable. */
const busyTimeoutMilliseconds = 10_000;

/**
 * Opens a file or `:memory:`; see `openStorage`. A process opens a file once: waiting for another
 * connection's lock stops the whole process, and so a transaction of its own that holds it.
 */
export async function openSqlite(location: string): Promise<Storage> {
  const database = connect(location, busyTimeoutMilliseconds);
  try {
    database.exec('pragma synchronous = normal');
    await migrateSqlite(database);
  } catch (error) {
    database.close();
    throw sqliteError(error);
  }
  const db = new Kysely<Database>({ dialect: sqliteDialect(database) });
  return {
    engine: 'sqlite',
    db,
    run: (work) => translated(() => work(db), sqliteError),
    transaction: (work) => translated(() => db.transaction().execute(work), sqliteError),
    close: async () => {
      await db.destroy();
      if (database.isOpen) {
        database.close();
      }
    },
  };
}

import { Kysely, PostgresDialect, sql } from 'kysely';
import type { Connection, Database } from './database.ts';
import { StorageUnavailable, translated } from './errors.ts';
import { isConflict, postgresError } from './postgres-errors.ts';
import { openPool, type PostgresPool } from './postgres-pool.ts';
import { isNewestSchema, migratePostgres } from './postgres-schema.ts';
import { type PostgresSettings, parsePostgresUrl, withoutTimeouts } from './postgres-settings.ts';
import type { Storage } from './storage.ts';

/** About eight seconds of back-off in total: enough for many concurrent transactions, without waiting forever. */
const transactionAttempts = 24;
const firstPauseSeconds = 0.01;
const longestPauseSeconds = 0.4;

/** Connects to the database at a `postgres://` URL; see `openStorage`. */
export async function openPostgres(location: string): Promise<Storage> {
  const { url, settings } = parsePostgresUrl(location);
  const { db, close } = connect(url, settings);
  try {
    if (!(await isNewestSchema(db))) await migrate(url, settings);
  } catch (error) {
    await close();
    throw postgresError(error);
  }
  return {
    engine: 'postgres',
    first: (lookup, ...parameters) =>
      translated(() => lookup.query(db, ...parameters).executeTakeFirst(), postgresError),
    read: (work) => translated(() => work(db), postgresError),
    all: (lookup, ...parameters) =>
      translated(() => lookup.query(db, ...parameters).execute(), postgresError),
    run: (work) => translated(() => work(db), postgresError),
    transaction: (work) => translated(() => serializable(db, work), postgresError),
    check: async () => {},
    close,
  };
}

/** Closing abandons running queries: an unresponsive server must not keep the process alive. */
function connect(url: string, settings: PostgresSettings) {
  const { pool, destroyConnections }: PostgresPool = openPool(url, settings);
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  const close = async () => {
    const ended = db.destroy();
    destroyConnections();
    await ended;
  };
  return { db, close };
}

async function migrate(url: string, settings: PostgresSettings): Promise<void> {
  const { db, close } = connect(url, withoutTimeouts(settings));
  try {
    await migratePostgres(db);
  } finally {
    await close();
  }
}

/** Runs `work` serializably and retries it on conflicts, as PostgreSQL's manual (13.2.3) asks. */
async function serializable<T>(db: Connection, work: (db: Connection) => Promise<T>): Promise<T> {
  for (let failures = 0; failures < transactionAttempts; failures += 1) {
    if (failures > 0) {
      await backOff(db, failures);
    }
    try {
      return await db.transaction().setIsolationLevel('serializable').execute(work);
    } catch (error) {
      if (!isConflict(error)) {
        throw error;
      }
    }
  }
  throw new StorageUnavailable('too many conflicts with other transactions');
}

// Waits on the server with a random back-off that doubles with each failure, so that conflicting transactions spread
// out. The transaction keeps its connection meanwhile, so the pauses are limited.
async function backOff(db: Connection, failures: number): Promise<void> {
  const longest = Math.min(longestPauseSeconds, firstPauseSeconds * 2 ** (failures - 1));
  await sql`select pg_sleep(random() * ${longest})`.execute(db);
}

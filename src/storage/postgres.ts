import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Connection, Database } from './database.ts';
import { StorageUnavailable, translated } from './errors.ts';
import { isConflict, postgresError } from './postgres-errors.ts';
import { migratePostgres } from './postgres-schema.ts';
import type { Storage } from './storage.ts';

const int8 = pg.types.builtins.INT8;

/** Together at most eight seconds of standing aside: a crowd must get through, a caller must not wait for ever. */
const transactionAttempts = 24;
const firstPauseSeconds = 0.01;
const longestPauseSeconds = 0.4;

/** Connects to the database at a `postgres://` URL; see `openStorage`. */
export async function openPostgres(url: string): Promise<Storage> {
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: connectionPool(url) }) });
  try {
    await migratePostgres(db);
  } catch (error) {
    await db.destroy();
    throw postgresError(error);
  }
  return {
    engine: 'postgres',
    first: (lookup, ...parameters) =>
      translated(() => lookup.query(db, ...parameters).executeTakeFirst(), postgresError),
    run: (work) => translated(() => work(db), postgresError),
    transaction: (work) => translated(() => serializable(db, work), postgresError),
    close: () => db.destroy(),
  };
}

function connectionPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max: 10,
    connectionTimeoutMillis: 5_000,
    types: {
      // 64-bit integers arrive as text; all of ours are safe integers.
      getTypeParser: (type, format) => (type === int8 ? Number : pg.types.getTypeParser(type, format)),
    },
  });
  // Without a listener a connection that breaks between two queries ends the process; the next
  // query tells what is wrong, or finds a new connection.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Runs `work` serializably, again when others were in the way, as PostgreSQL's manual (13.2.3) asks. */
async function serializable<T>(db: Connection, work: (db: Connection) => Promise<T>): Promise<T> {
  for (let failures = 0; failures < transactionAttempts; failures += 1) {
    if (failures > 0) {
      await standAside(db, failures);
    }
    try {
      return await db.transaction().setIsolationLevel('serializable').execute(work);
    } catch (error) {
      if (!isConflict(error)) {
        throw error;
      }
    }
  }
  throw new StorageUnavailable('other transactions were in the way too often');
}

// The server waits and draws the lots, so that those who met do not meet again; the more there are,
// the wider they must spread, so each pause may be twice the one before. One that waits keeps its
// connection: pauses that are too long would keep others of this process from theirs.
async function standAside(db: Connection, failures: number): Promise<void> {
  const longest = Math.min(longestPauseSeconds, firstPauseSeconds * 2 ** (failures - 1));
  await sql`select pg_sleep(random() * ${longest})`.execute(db);
}

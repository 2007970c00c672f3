import { type DatabaseConnection, Kysely, PostgresDialect } from 'kysely';
import type { Connection, Database } from './database.ts';
import { StorageUnavailable, translated } from './errors.ts';
import { randomPause } from './ports/pause.ts';
import { isConflict, postgresError } from './postgres-errors.ts';
import { createChangeListener } from './postgres-listener.ts';
import { openPool, type PostgresPool } from './postgres-pool.ts';
import { isMigrated, migratePostgres, readVersion, usableVersion } from './postgres-schema.ts';
import { type PostgresSettings, parsePostgresUrl, withoutTimeouts } from './postgres-settings.ts';
import { buildQueryText, type PreparedQuery, type QueryValue } from './prepared-queries.ts';
import type { Isolation, Storage } from './storage.ts';
import { watchQueries, withState } from './transaction-state.ts';

/** About eight seconds of back-off in total: enough for many concurrent transactions, without waiting forever. */
const transactionAttempts = 24;
const first_pause_ms = 10;
const max_pause_ms = 400;
/** PostgreSQL finds a deadlock after a second. */
const migrationAttempts = 30;

/** Connects to the database at a `postgres://` URL; see `openStorage`. */
export async function openPostgres(location: string): Promise<Storage> {
  const { url, settings } = parsePostgresUrl(location);
  const { db, pool, createClient, close } = connect(url, settings);
  try {
    if (!(await isMigrated(db))) await migrate(url, settings);
  } catch (error) {
    await close();
    throw postgresError(error);
  }
  const counts: Counts = { transactions: 0, retries: 0 };
  const texts = new Map<string, string>();
  const listener = createChangeListener({ pool, createClient });
  /** The number of writes of this process. */
  let writes = 0;
  let announced_writes = 0;
  const written = <T>(work: () => Promise<T>): Promise<T> =>
    translated(work, postgresError).finally(() => {
      writes += 1;
    });
  return {
    engine: 'postgres',
    first: (lookup, ...parameters) =>
      translated(() => firstRow({ db, pool, texts }, lookup, parameters), postgresError),
    read: (work) => translated(() => work(db), postgresError),
    all: (lookup, ...parameters) =>
      translated(() => lookup.query(db, ...parameters).execute(), postgresError),
    run: (work) => translated(() => work(db), postgresError),
    write: (work) => written(() => work(db)),
    transaction: (work, isolation = 'serializable') =>
      written(() => isolated(db, { work, isolation }, counts)),
    changes: () => {
      const received = listener.received();
      return received === null ? null : received + writes;
    },
    announce: async () => {
      if (announced_writes === writes) return;
      announced_writes = writes;
      await translated(listener.announce, postgresError);
    },
    check: async () => {},
    // The server removes old rows, and reuses its log, by itself.
    emptyLog: async () => true,
    statistics: () => ({
      ...{ transactions: counts.transactions, commits: counts.transactions, retries: counts.retries },
      connections: { total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount },
    }),
    version: () => translated(() => readVersion(db), postgresError),
    close: async () => {
      listener.close();
      await close();
    },
  };
}

/**
 * Reads the schema version of the database at a URL; 0 if it has none. Throws `StorageUnavailable` if it cannot be
 * reached, or has a schema that this version cannot use.
 */
export async function readPostgresVersion(location: string): Promise<number> {
  const { url, settings } = parsePostgresUrl(location);
  const { db, close } = connect(url, settings);
  try {
    return await usableVersion(db);
  } catch (error) {
    throw postgresError(error);
  } finally {
    await close();
  }
}

interface Lookups {
  db: Connection;
  pool: PostgresPool['pool'];
  /** The texts of prepared queries, by name. */
  texts: Map<string, string>;
}

/**
 * Sends the text of a prepared query without building it again. The server prepares it at each call: a statement with
 * a name would fail once another process has migrated the table.
 */
async function firstRow<Row, Parameters extends readonly QueryValue[]>(
  { db, pool, texts }: Lookups,
  lookup: PreparedQuery<Row, Parameters>,
  parameters: Parameters,
): Promise<Row | undefined>;
async function firstRow<Parameters extends readonly QueryValue[]>(
  { db, pool, texts }: Lookups,
  lookup: PreparedQuery<unknown, Parameters>,
  parameters: Parameters,
): Promise<unknown> {
  const text = texts.get(lookup.name) ?? buildQueryText(db, lookup);
  texts.set(lookup.name, text);
  const { rows } = await pool.query(text, [...parameters]);
  return rows[0];
}

/** Closing abandons running queries: an unresponsive server must not keep the process alive. */
function connect(url: string, settings: PostgresSettings) {
  const { pool, createClient, destroyConnections }: PostgresPool = openPool(url, settings);
  const onCreateConnection = async (connection: DatabaseConnection) => {
    watchQueries(connection);
  };
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool, onCreateConnection }) });
  const close = async () => {
    const ended = db.destroy();
    destroyConnections();
    await ended;
  };
  return { db, pool, createClient, close };
}

/** Repeats a migration that deadlocks with the transactions of a version before. */
async function migrate(url: string, settings: PostgresSettings): Promise<void> {
  const { db, close } = connect(url, withoutTimeouts(settings));
  try {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await migratePostgres(db);
      } catch (error) {
        if (!isConflict(error) || attempts === migrationAttempts) throw error;
      }
    }
  } finally {
    await close();
  }
}

interface Counts {
  transactions: number;
  /** Transactions that were repeated after a conflict. */
  retries: number;
}

/** Runs `work` in a transaction and retries it on conflicts, as PostgreSQL's manual (13.2.3) asks. */
async function isolated<T>(
  db: Connection,
  { work, isolation }: { work: (db: Connection) => Promise<T>; isolation: Isolation },
  counts: Counts,
): Promise<T> {
  for (let failures = 0; failures < transactionAttempts; failures += 1) {
    if (failures > 0) {
      counts.retries += 1;
      await backOff(failures);
    }
    try {
      const result = await db
        .transaction()
        .setIsolationLevel(isolation)
        .execute((transaction) => withState(transaction, work));
      counts.transactions += 1;
      return result;
    } catch (error) {
      if (!isConflict(error)) {
        throw error;
      }
    }
  }
  throw new StorageUnavailable('too many conflicts with other transactions', { reason: 'conflicts' });
}

// A random back-off that doubles with each failure spreads conflicting transactions out. The transaction has given its
// connection back, so that others can use it meanwhile.
function backOff(failures: number): Promise<void> {
  return randomPause(Math.min(max_pause_ms, first_pause_ms * 2 ** (failures - 1)));
}

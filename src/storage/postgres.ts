/** The storage on a PostgreSQL server: transactions that are repeated after conflicts, changes of others, migrations. */
import { sql } from 'kysely';
import type { Connection } from './database.ts';
import { readDatabaseTime } from './locks.ts';
import { randomPause } from './ports/pause.ts';
import { ChangeListener } from './postgres-changes.ts';
import { connectPostgres, isReadOnly } from './postgres-connection.ts';
import { isConflict, isMissingTable, unusableEncoding } from './postgres-errors.ts';
import { type PostgresSettings, parsePostgresUrl, withoutTimeouts } from './postgres-url.ts';
import { readSetting, writeSetting } from './settings.ts';
import {
  compatibleVersion,
  type Isolation,
  requireUsable,
  type Storage,
  StorageUnavailable,
  schemaVersion,
  translated,
} from './storage.ts';
import { withState } from './transactions.ts';

/** About eight seconds of back-off in total: enough for many concurrent transactions, without waiting forever. */
const transactionAttempts = 24;
const first_pause_ms = 10;
const max_pause_ms = 400;
/** About half a minute: PostgreSQL finds a deadlock after a second. */
const migrationAttempts = 30;

interface Counts {
  transactions: number;
  /** Transactions that were repeated after a conflict. */
  retries: number;
}

/** Connects to the database at a `postgres://` URL; see `openStorage`. */
export async function openPostgres(location: string): Promise<Storage> {
  const { urls, settings } = parsePostgresUrl(location);
  let connection = connectPostgres(urls, settings);
  try {
    await requireEncoding(connection);
    if ((await usableVersion(connection.db)) < schemaVersion) {
      // The server may grant no more than one connection.
      await connection.close();
      await migrate(urls, settings);
      connection = reconnect(urls, settings);
      await usableVersion(connection.db);
    }
  } catch (error) {
    await connection.close();
    throw connection.translate(error);
  }
  const { db, pool, translate, close } = connection;
  const counts: Counts = { transactions: 0, retries: 0 };
  const listener = new ChangeListener(pool);
  /** The number of writes of this process. */
  let writes = 0;
  let announced_writes = 0;
  const written = <T>(work: () => Promise<T>): Promise<T> =>
    translated(work, translate).finally(() => {
      writes += 1;
    });
  return {
    engine: 'postgres',
    first: (lookup, ...parameters) =>
      translated(() => lookup.query(db, ...parameters).executeTakeFirst(), translate),
    all: (lookup, ...parameters) => translated(() => lookup.query(db, ...parameters).execute(), translate),
    read: (work) => translated(() => work(db), translate),
    run: (work) => translated(() => work(db), translate),
    write: (work) => written(() => work(db)),
    transaction: (work, isolation = 'serializable') =>
      written(() => isolated(db, { work, isolation }, counts)),
    changes: () => {
      const received = listener.received();
      return received === null ? null : received + writes;
    },
    announce: async () => {
      if (announced_writes === writes) return;
      const before = announced_writes;
      announced_writes = writes;
      await translated(() => listener.announce(db), translate).catch((error: unknown) => {
        announced_writes = before;
        throw error;
      });
    },
    check: async () => {},
    // The server removes old rows, and reuses its log, by itself.
    emptyLog: async () => true,
    rewrite: async () => true,
    statistics: () => ({
      transactions: counts.transactions,
      commits: counts.transactions,
      retries: counts.retries,
      lock_waits: 0,
      lock_wait_ms: 0,
      connections: pool.statistics(),
      refused_connections: pool.refused(),
    }),
    version: () => translated(() => readVersion(db), translate),
    isReadOnly: () => translated(() => isReadOnly(pool), translate),
    serverTime: () => translated(() => readDatabaseTime(db), translate),
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
  const { urls, settings } = parsePostgresUrl(location);
  const { db, translate, close } = connectPostgres(urls, settings);
  try {
    return await usableVersion(db);
  } catch (error) {
    throw translate(error);
  } finally {
    await close();
  }
}

/** Names and addresses have every letter; a database without an encoding takes the bytes of all. */
async function requireEncoding({ db, pool }: ReturnType<typeof connectPostgres>): Promise<void> {
  const { rows } = await sql<{ encoding: string }>`
    select current_setting('server_encoding') as encoding`.execute(db);
  const [{ encoding } = { encoding: '' }] = rows;
  if (!['UTF8', 'SQL_ASCII'].includes(encoding)) throw unusableEncoding(encoding, pool.target);
}

/** Connects after a connection was closed, which the server may count for some time among those that it grants. */
function reconnect(urls: readonly string[], settings: PostgresSettings) {
  const connection = connectPostgres(urls, settings);
  connection.pool.onExhausted(() => true);
  return connection;
}

/** Repeats a migration that deadlocks with the transactions of a version before. */
async function migrate(urls: readonly string[], settings: PostgresSettings): Promise<void> {
  const { db, close } = reconnect(urls, withoutTimeouts(settings));
  try {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await migrateSchema(db);
      } catch (error) {
        if (!isConflict(error) || attempts === migrationAttempts) throw error;
      }
    }
  } finally {
    await close();
  }
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
      if (!isConflict(error)) throw error;
    }
  }
  throw new StorageUnavailable('too many conflicts with other transactions', { reason: 'conflicts' });
}

// A random back-off that doubles with each failure spreads conflicting transactions out. The transaction has given its
// connection back, so that others can use it meanwhile.
function backOff(failures: number): Promise<void> {
  return randomPause(Math.min(max_pause_ms, first_pause_ms * 2 ** (failures - 1)));
}

/** An arbitrary number that is the same in all processes. */
const migrationLock = 8_246_330_771;

/** The setting of a database with the `compatibleVersion` of the program that has migrated it. */
const compatibleSetting = 'compatible_schema_version';

/** The number of migrations that the database has; 0 before the first. Throws if this version cannot use it. */
async function usableVersion(db: Connection): Promise<number> {
  const version = await currentVersion(db);
  if (version > schemaVersion)
    requireUsable(version, Number((await readSetting(db, compatibleSetting)) ?? version));
  return version;
}

/** Migrates the database to the newest schema, one process at a time. */
async function migrateSchema(db: Connection): Promise<void> {
  const { migrations } = await import('./migrations.ts');
  const { postgresTypes } = await import('./table-definitions.ts');
  await db.transaction().execute(async (transaction) => {
    // The role or the database may have limits of their own.
    for (const limit of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])
      await sql.raw(`set local ${limit} = 0`).execute(transaction);
    await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(transaction);
    await sql`create table if not exists schema_version (version bigint not null)`.execute(transaction);
    // Another process may have migrated it before this one got the lock.
    const version = await readVersion(transaction);
    if (version >= migrations.length) return;
    const statements = migrations.slice(version).flatMap((migration) => migration(postgresTypes));
    for (const statement of statements) await sql.raw(statement).execute(transaction);
    await sql`delete from schema_version`.execute(transaction);
    await sql`insert into schema_version values (${migrations.length})`.execute(transaction);
    await writeSetting(transaction, compatibleSetting, String(compatibleVersion));
  });
}

/** The number of migrations that the database has; 0 before the first. */
async function currentVersion(db: Connection): Promise<number> {
  try {
    return await readVersion(db);
  } catch (error) {
    if (isMissingTable(error)) return 0;
    throw error;
  }
}

/** The number of migrations that the database has. */
async function readVersion(db: Connection): Promise<number> {
  const { rows } = await sql<{ version: number }>`select version from schema_version`.execute(db);
  return rows[0]?.version ?? 0;
}

/** The query builder on `node:sqlite`: one connection, which waits for locks of other processes without blocking this one. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
  sql,
} from 'kysely';
import type { Connection, Database } from './database.ts';
import { pauseFor } from './ports/pause.ts';
import { isBusy } from './sqlite-errors.ts';
import { LockWait } from './sqlite-file.ts';
import { watchQueries } from './transactions.ts';

const max_cached_statements = 300;

/** The pause between two attempts at a lock held by another process; each attempt blocks for SQLite's busy timeout. */
const lock_pause_ms = 20;

/** Creates the query builder for an open database. */
export function sqliteBuilder(database: DatabaseSync, wait = new LockWait()): Connection {
  return new Kysely<Database>({ dialect: sqliteDialect(database, wait) });
}

/**
 * A kysely dialect for `node:sqlite`. There is one connection, which kysely lends to one task at a time, for a
 * transaction or a single statement, so that statements never end up in another task's transaction.
 */
function sqliteDialect(database: DatabaseSync, wait: LockWait): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new ImmediateSqliteDriver(database, wait),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

class ImmediateSqliteDriver extends SqliteDriver {
  readonly #database: DatabaseSync;
  readonly #wait: LockWait;

  constructor(database: DatabaseSync, wait: LockWait) {
    super({ database: statementSource(database) });
    this.#database = database;
    this.#wait = wait;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return watchQueries(retryingConnection(await super.acquireConnection(), this.#database, this.#wait));
  }

  // A plain `begin` would take the write lock at the first write, and fail immediately if another process has written
  // since the first read.
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  // After some errors SQLite has already rolled back.
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isTransaction) await super.rollbackTransaction(connection);
  }
}

/**
 * A connection that retries while another process holds the lock that a statement needs, without blocking the
 * process. Within a transaction, which holds the lock, there is nothing to wait for.
 */
function retryingConnection(
  connection: DatabaseConnection,
  database: DatabaseSync,
  wait: LockWait,
): DatabaseConnection {
  return {
    executeQuery: async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
      for (let hasWaited = false; ; hasWaited = true) {
        try {
          const result = await connection.executeQuery<Row>(query);
          // A statement that only reads usually needs no lock.
          if (hasWaited || !query.sql.startsWith('select')) wait.end();
          return result;
        } catch (error) {
          if (!isBusy(error) || database.isTransaction || !wait.mayGoOn()) throw error;
        }
        await pauseFor(lock_pause_ms);
      }
    },
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  };
}

/** Prepares each text once; the least recently used statement is evicted. */
function statementSource(database: DatabaseSync): SqliteDatabase {
  const cache = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(sql) {
      const statement = cache.get(sql) ?? boundStatement(database.prepare(sql));
      cache.delete(sql);
      cache.set(sql, statement);
      const [oldest] = cache.keys();
      if (cache.size > max_cached_statements && oldest !== undefined) cache.delete(oldest);
      return statement;
    },
  };
}

function boundStatement(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...parameters.map(inputValue)),
    run: (parameters) => statement.run(...parameters.map(inputValue)),
    iterate: (parameters) => statement.iterate(...parameters.map(inputValue)),
  };
}

/** SQLite has no booleans: they are stored as 0 and 1. */
function inputValue(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
  if (isPlain || value === null || value instanceof Uint8Array) return value;
  throw new TypeError(`a ${typeof value} cannot be stored`);
}

/** How often the log is tried to be emptied, and the pause between two attempts: three seconds in total. */
const empty_attempts = 150;
const empty_pause_ms = 20;

/**
 * Writes the file anew and empties its log. `secure_delete` alone leaves copies of rows in pages between which SQLite
 * has moved them. False if others write or keep reading an old state for seconds.
 */
export async function rewriteFile(db: Connection): Promise<boolean> {
  try {
    await sql`vacuum`.execute(db);
  } catch (error) {
    if (!isBusy(error)) throw error;
    return false;
  }
  return emptyLog(db);
}

/** Moves the write-ahead log into the file and truncates it; false if others keep reading an old state for seconds. */
export async function emptyLog(db: Connection): Promise<boolean> {
  for (let attempt = 0; attempt < empty_attempts; attempt += 1) {
    const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
    if (rows[0]?.busy === 0) return true;
    await pauseFor(empty_pause_ms);
  }
  return false;
}

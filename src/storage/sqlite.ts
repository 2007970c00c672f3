import type { DatabaseSync } from 'node:sqlite';
import type { Connection } from './database.ts';
import { translated } from './errors.ts';
import { buildQueryText, type PreparedQuery, preparedText, type QueryValue } from './prepared-queries.ts';
import { connect, isBusy, requireSameFile, sqliteError } from './sqlite-file.ts';
import { migrateSqlite } from './sqlite-schema.ts';
import type { Storage } from './storage.ts';

/** How long opening waits for other processes' locks; it blocks the process. */
const openTimeoutMilliseconds = 10_000;
/** How long a statement blocks the process for a lock before it is retried later. */
const busyTimeoutMilliseconds = 10;

/**
 * Opens a file or `:memory:`; see `openStorage`. A process opens a file once. The query builder is loaded on first
 * use.
 */
export async function openSqlite(location: string): Promise<Storage> {
  const database = connect(location, openTimeoutMilliseconds);
  try {
    database.exec('pragma synchronous = normal');
    await migrateSqlite(database);
    database.exec(`pragma busy_timeout = ${busyTimeoutMilliseconds}`);
  } catch (error) {
    database.close();
    throw sqliteError(error);
  }
  const builder = builderOn(database);
  const requireIntact = requireSameFile(location);
  return {
    engine: 'sqlite',
    first: (lookup, ...parameters) =>
      translated(() => firstRow({ database, builder, lookup }, parameters), sqliteError),
    run: (work) => translated(async () => work(await builder.db()), sqliteError),
    transaction: (work) =>
      translated(async () => {
        requireIntact();
        return (await builder.db()).transaction().execute(work);
      }, sqliteError),
    check: async () => requireIntact(),
    close: async () => {
      await builder.close();
      if (database.isOpen) {
        database.close();
      }
    },
  };
}

interface Builder {
  db: () => Promise<Connection>;
  close: () => Promise<void>;
  /** The texts of prepared queries, by name. */
  texts: Map<string, string>;
}

function builderOn(database: DatabaseSync): Builder {
  let made: Promise<Connection> | undefined;
  return {
    db: () => {
      made ??= import('./sqlite-driver.ts').then(({ sqliteBuilder }) => sqliteBuilder(database));
      return made;
    },
    close: async () => {
      await (await made)?.destroy();
    },
    texts: new Map(),
  };
}

interface Looking<Row, Parameters extends readonly QueryValue[]> {
  database: DatabaseSync;
  builder: Builder;
  lookup: PreparedQuery<Row, Parameters>;
}

/** Runs immediately if no transaction is open; otherwise in turn, so as not to join another task's transaction. */
async function firstRow<Row, Parameters extends readonly QueryValue[]>(
  { database, builder, lookup }: Looking<Row, Parameters>,
  parameters: Parameters,
): Promise<Row | undefined> {
  const text = preparedText(lookup.name) ?? builder.texts.get(lookup.name);
  if (text !== undefined && !database.isTransaction) {
    try {
      return rowOf(database, text, parameters);
    } catch (error) {
      if (!isBusy(error)) {
        throw error;
      }
    }
  }
  const db = await builder.db();
  builder.texts.set(lookup.name, buildQueryText(db, lookup));
  return lookup.query(db, ...parameters).executeTakeFirst();
}

/** The result of a prepared query has the row type of the query. */
function rowOf<Row>(database: DatabaseSync, text: string, parameters: readonly QueryValue[]): Row | undefined;
function rowOf(database: DatabaseSync, text: string, parameters: readonly QueryValue[]): unknown {
  return database.prepare(text).get(...parameters);
}

/** The storage on a SQLite file: one connection that writes, a second one for reads, and transactions in groups. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Connection } from './database.ts';
import type { Transact } from './group-commit.ts';
import { isBusy, sqliteError } from './sqlite-errors.ts';
import {
  connectSqlite,
  createChangeCount,
  isFileReadOnly,
  LockWait,
  migrateSqlite,
  readVersion,
  requireSameFile,
} from './sqlite-file.ts';
import {
  buildQueryText,
  type PreparedQuery,
  preparedText,
  type QueryValue,
  requireUsable,
  type Storage,
  schemaVersion,
  translated,
} from './storage.ts';

/** How long opening waits for other processes' locks; it blocks the process. */
const open_timeout_ms = 10_000;
/** How long a statement blocks the process for a lock before it is retried later. */
const busy_timeout_ms = 10;

/**
 * Opens a file or `:memory:`; see `openStorage`. A process opens a file once. The query builder is loaded on first
 * use.
 */
export async function openSqlite(location: string, connect = connectSqlite): Promise<Storage> {
  const database = await openMigrated(location, connect);
  const { writer, connectionToRead, close } = connectionsTo(location, database);
  const { requireIntact, check } = createFileCheck(location, database);
  const translate = (error: unknown) => sqliteError(error, location);
  const writes = createWriteCount(location);
  const onWriter = async <T>(work: (db: Connection) => Promise<T>): Promise<T> => {
    requireIntact();
    return writes.count(async () => work(await writer.db()));
  };
  const { counts, inGroup } = createGroups(writer);
  const transaction: Transact = (work) =>
    translated(async () => {
      const together = await inGroup();
      return onWriter(() => together(work));
    }, translate);
  const all: Storage['all'] = (lookup, ...parameters) =>
    translated(() => rowsOf(connectionToRead(!database.isTransaction), lookup, parameters), translate);
  const maintain = (work: 'emptyLog' | 'rewriteFile') =>
    translated(async () => onWriter((await import('./sqlite-driver.ts'))[work]), translate);
  return {
    engine: 'sqlite',
    first: async (lookup, ...parameters) => (await all(lookup, ...parameters))[0],
    all,
    read: (work) => translated(async () => work(await connectionToRead(!writes.isRunning()).db()), translate),
    run: (work) => translated(() => onWriter(work), translate),
    write: transaction,
    transaction,
    changes: writes.changes,
    // Other processes see the log of the file grow.
    announce: async () => {},
    check: () => translated(async () => check(), translate),
    emptyLog: () => maintain('emptyLog'),
    rewrite: () => maintain('rewriteFile'),
    statistics: () => ({
      ...counts,
      lock_waits: writer.wait.count,
      refused_connections: 0,
      lock_wait_ms: writer.wait.duration_ms(),
    }),
    version: () => translated(async () => readVersion(database), translate),
    isReadOnly: async () => isFileReadOnly(location),
    serverTime: async () => null,
    close,
  };
}

interface WriteCount {
  /** Runs a write of this process, and counts it. */
  count: <T>(write: () => Promise<T>) => Promise<T>;
  isRunning: () => boolean;
  /** A number that differs after each write of any process. */
  changes: () => number;
}

/** The writes of this process are counted on their own: they may be less than a tick of the file system's clock apart. */
function createWriteCount(location: string): WriteCount {
  const countChanges = createChangeCount(location);
  let running = 0;
  let ended = 0;
  return {
    count: async (write) => {
      running += 1;
      try {
        return await write();
      } finally {
        running -= 1;
        ended += 1;
      }
    },
    isRunning: () => running > 0,
    changes: () => ended + countChanges(),
  };
}

/** A connection with its query builder and its prepared queries. */
interface SqliteConnection {
  database: DatabaseSync;
  /** Its wait for locks of other processes. */
  wait: LockWait;
  /** Loads the query builder, which lends the connection to one transaction or statement at a time. */
  db: () => Promise<Connection>;
  close: () => Promise<void>;
  /** The statements of prepared queries, by name. */
  statements: Map<string, StatementSync>;
}

/** Transactions that are committed together, and how many there were; their code is loaded with the first one. */
function createGroups(writer: SqliteConnection) {
  const counts = { transactions: 0, commits: 0, retries: 0, connections: {} };
  const count = (members: number) => {
    counts.transactions += members;
    counts.commits += members > 0 ? 1 : 0;
  };
  let transact: Promise<Transact> | undefined;
  const inGroup = () => {
    transact ??= import('./group-commit.ts').then(({ createGroupCommit }) =>
      createGroupCommit(writer.db, count),
    );
    return transact;
  };
  return { counts, inGroup };
}

/**
 * The connections to a database: one writes, and reads that would have to wait for it use a second one. Most commands
 * only read, so that the second one is opened when it is needed.
 */
function connectionsTo(location: string, database: DatabaseSync) {
  const writer = connectionOn(database);
  let reader: SqliteConnection | null = null;
  // Another connection to `:memory:` would be another database.
  const openReader = () =>
    location === ':memory:'
      ? writer
      : connectionOn(connectSqlite(location, busy_timeout_ms, { readOnly: true }));
  const connectionToRead = (isWriterFree: boolean): SqliteConnection => {
    if (reader === null && isWriterFree) return writer;
    reader ??= openReader();
    return reader;
  };
  const close = async () => {
    await reader?.close();
    await writer.close();
  };
  return { writer, connectionToRead, close };
}

interface FileCheck {
  /** Throws if the file is another one than was opened, or if a newer version is known to have migrated it. */
  requireIntact: () => void;
  /** Looks for a migration by a newer version if the file has changed, and throws in the same cases. */
  check: () => void;
}

function createFileCheck(location: string, database: DatabaseSync): FileCheck {
  const requireSame = requireSameFile(location);
  const countChanges = createChangeCount(location);
  let checked_changes = countChanges();
  let version = schemaVersion;
  const requireIntact = () => {
    requireSame();
    requireUsable(version);
  };
  return {
    requireIntact,
    check: () => {
      const changes = countChanges();
      if (changes !== checked_changes) version = readVersion(database);
      checked_changes = changes;
      requireIntact();
    },
  };
}

async function openMigrated(location: string, connect: typeof connectSqlite): Promise<DatabaseSync> {
  const database = connect(location, open_timeout_ms);
  try {
    // A commit returns once it is on disk: nothing is answered or sent before.
    database.exec('pragma synchronous = full');
    // Overwrites deleted and replaced content with zeros: otherwise it would stay until its room is used again.
    database.exec('pragma secure_delete = on');
    await migrateSqlite(database);
    database.exec(`pragma busy_timeout = ${busy_timeout_ms}`);
    return database;
  } catch (error) {
    database.close();
    throw sqliteError(error, location);
  }
}

function connectionOn(database: DatabaseSync): SqliteConnection {
  let made: Promise<Connection> | undefined;
  const wait = new LockWait();
  return {
    database,
    wait,
    db: () => {
      made ??= import('./sqlite-driver.ts').then(({ sqliteBuilder }) => sqliteBuilder(database, wait));
      return made;
    },
    close: async () => {
      await (await made)?.destroy();
      if (database.isOpen) database.close();
    },
    statements: new Map(),
  };
}

/** Runs immediately if no transaction is open; otherwise in turn, so as not to join another task's transaction. */
async function rowsOf<Row, Parameters extends readonly QueryValue[]>(
  connection: SqliteConnection,
  lookup: PreparedQuery<Row, Parameters>,
  parameters: Parameters,
): Promise<Row[]> {
  const { database, statements } = connection;
  const statement = statements.get(lookup.name) ?? prepare(connection, lookup, preparedText(lookup.name));
  if (statement !== undefined && !database.isTransaction) {
    try {
      return readRows(statement, parameters);
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
  }
  const db = await connection.db();
  if (!statements.has(lookup.name)) prepare(connection, lookup, buildQueryText(db, lookup));
  return lookup.query(db, ...parameters).execute();
}

/** Prepares a query once for a connection; undefined if its text is not known yet. */
function prepare(
  { database, statements }: SqliteConnection,
  { name }: { name: string },
  text: string | undefined,
): StatementSync | undefined {
  if (text === undefined) return undefined;
  const statement = database.prepare(text);
  statements.set(name, statement);
  return statement;
}

/** The results of a prepared query have the row type of the query. */
function readRows<Row>(statement: StatementSync, parameters: readonly QueryValue[]): Row[];
function readRows(statement: StatementSync, parameters: readonly QueryValue[]): unknown {
  return statement.all(...parameters);
}

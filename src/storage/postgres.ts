import { Socket } from 'node:net';
import { type DatabaseConnection, Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Connection, Database } from './database.ts';
import { later, randomPause } from './ports/pause.ts';
import { readSetting, writeSetting } from './settings.ts';
import {
  buildQueryText,
  compatibleVersion,
  type Isolation,
  type PreparedQuery,
  type QueryValue,
  requireUsable,
  type Storage,
  StorageUnavailable,
  schemaVersion,
  translated,
} from './storage.ts';
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
    rewrite: async () => true,
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

const int8 = pg.types.builtins.INT8;
/** The time before the system probes a silent peer. */
const keepalive_delay_ms = 10_000;

/** A pool whose connections can be closed immediately, whatever the network does. */
interface PostgresPool {
  pool: pg.Pool;
  /** Creates a connection outside of the pool. */
  createClient: () => pg.Client;
  destroyConnections: () => void;
}

/**
 * Creates a pool of connections that are closed if the server does not respond within the time-outs of the settings.
 */
function openPool(connectionString: string, settings: PostgresSettings): PostgresPool {
  const sockets = new Set<Socket>();
  const config: pg.ClientConfig = {
    connectionString,
    connectionTimeoutMillis: settings.connect_timeout_ms,
    statement_timeout: settings.statement_timeout_ms,
    lock_timeout: settings.lock_timeout_ms,
    idle_in_transaction_session_timeout: settings.idle_in_transaction_session_timeout_ms,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepalive_delay_ms,
    stream: () => {
      const socket = new Socket();
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return socket;
    },
    types: {
      // 64-bit integers arrive as text; all of them are safe integers.
      getTypeParser: (type, format) => (type === int8 ? Number : pg.types.getTypeParser(type, format)),
    },
  };
  const pool = new pg.Pool({ ...config, max: settings.pool_size });
  // Without a listener, a connection that breaks between two queries would end the process; the next query fails with
  // the cause, or gets a new connection.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    const { stream } = client.connection;
    if (stream instanceof Socket) stream.on('timeout', () => stream.destroy(new Error(silence)));
  });
  // The time-out applies only while a query is waiting.
  pool.on('acquire', (client) => limitSilence(client, settings.response_timeout_ms));
  pool.on('release', (_error, client) => limitSilence(client, 0));
  const destroyConnections = () => {
    for (const socket of sockets) socket.destroySoon();
  };
  return { pool, createClient: () => new pg.Client(config), destroyConnections };
}

const silence = 'connection terminated: the PostgreSQL server did not respond in time';

function limitSilence({ connection: { stream } }: pg.PoolClient, timeout_ms: number): void {
  if (stream instanceof Socket) stream.setTimeout(timeout_ms);
}

/** Connection settings for PostgreSQL and their time-outs; 0 sets no limit. */
interface PostgresSettings {
  /** Maximum connections per process. */
  pool_size: number;
  connect_timeout_ms: number;
  /** How long the server may take to respond; then the connection is closed. */
  response_timeout_ms: number;
  statement_timeout_ms: number;
  /** Shorter than a provider's time-out, so that a lock is not taken for an unresponsive provider. */
  lock_timeout_ms: number;
  idle_in_transaction_session_timeout_ms: number;
}

const defaults: PostgresSettings = {
  pool_size: 10,
  connect_timeout_ms: 5_000,
  response_timeout_ms: 20_000,
  statement_timeout_ms: 15_000,
  lock_timeout_ms: 4_000,
  idle_in_transaction_session_timeout_ms: 30_000,
};

/** The URL parameters that are settings, each with its unit; `connect_timeout` is that of libpq, in seconds. */
const parameters = {
  pool_size: { name: 'pool_size', factor: 1, unit: 'connections', minimum: 1 },
  connect_timeout_ms: { name: 'connect_timeout', factor: 1_000, unit: 'seconds', minimum: 0 },
  response_timeout_ms: { name: 'response_timeout', factor: 1, unit: 'milliseconds', minimum: 0 },
  statement_timeout_ms: { name: 'statement_timeout', factor: 1, unit: 'milliseconds', minimum: 0 },
  lock_timeout_ms: { name: 'lock_timeout', factor: 1, unit: 'milliseconds', minimum: 0 },
  idle_in_transaction_session_timeout_ms: {
    ...{ name: 'idle_in_transaction_session_timeout', factor: 1, unit: 'milliseconds', minimum: 0 },
  },
} as const;

/** Removes the settings from a URL and parses them. Throws `StorageUnavailable` for invalid values. */
function parsePostgresUrl(text: string): { url: string; settings: PostgresSettings } {
  const url = URL.parse(text);
  // A URL without a host is parsed by the driver.
  if (url === null) return { url: text, settings: defaults };
  const read = (key: keyof PostgresSettings) => {
    const { name, factor, unit, minimum } = parameters[key];
    const value = url.searchParams.get(name);
    url.searchParams.delete(name);
    if (value === null) return defaults[key];
    if (/^\d{1,9}$/.test(value) && Number(value) >= minimum) return Number(value) * factor;
    throw new StorageUnavailable(
      `the parameter ${name} of the database URL is ${value}: expected a number of ${unit}`,
    );
  };
  const settings: PostgresSettings = {
    pool_size: read('pool_size'),
    connect_timeout_ms: read('connect_timeout_ms'),
    response_timeout_ms: read('response_timeout_ms'),
    statement_timeout_ms: read('statement_timeout_ms'),
    lock_timeout_ms: read('lock_timeout_ms'),
    idle_in_transaction_session_timeout_ms: read('idle_in_transaction_session_timeout_ms'),
  };
  verifyServer(url);
  return { url: url.href, settings };
}

/** The driver takes these modes for `verify-full` as well, with a warning of several lines in the log. */
function verifyServer({ searchParams }: URL): void {
  const isLenient = searchParams.get('uselibpqcompat') === 'true';
  if (!isLenient && /^(prefer|require|verify-ca)$/.test(searchParams.get('sslmode') ?? ''))
    searchParams.set('sslmode', 'verify-full');
}

/** For migrations, which may take any time. */
function withoutTimeouts(settings: PostgresSettings): PostgresSettings {
  return {
    ...settings,
    response_timeout_ms: 0,
    statement_timeout_ms: 0,
    lock_timeout_ms: 0,
    idle_in_transaction_session_timeout_ms: 0,
  };
}

/** An arbitrary number that is the same in all processes. */
const migrationLock = 8_246_330_771;

/** The setting of a database with the `compatibleVersion` of the program that has migrated it. */
const compatibleSetting = 'compatible_schema_version';

/** Whether the database has all migrations, with one read. Throws if this version cannot use it. */
async function isMigrated(db: Connection): Promise<boolean> {
  return (await usableVersion(db)) >= schemaVersion;
}

/** The number of migrations that the database has; 0 before the first. Throws if this version cannot use it. */
async function usableVersion(db: Connection): Promise<number> {
  const version = await currentVersion(db);
  if (version > schemaVersion)
    requireUsable(version, Number((await readSetting(db, compatibleSetting)) ?? version));
  return version;
}

/** Migrates the database to the newest schema. */
async function migratePostgres(db: Connection): Promise<void> {
  const { migrations, postgresTypes } = await import('./migrations.ts');
  await runMigrations(
    db,
    migrations.map((migration) => migration(postgresTypes)),
  );
}

// One process at a time; the version is read again under the lock.
async function runMigrations(db: Connection, migrations: readonly (readonly string[])[]): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(transaction);
    await sql`create table if not exists schema_version (version bigint not null)`.execute(transaction);
    const version = await readVersion(transaction);
    if (version >= migrations.length) return;
    for (const statement of migrations.slice(version).flat()) await sql.raw(statement).execute(transaction);
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
    if (isMissingTable(error)) {
      return 0;
    }
    throw error;
  }
}

/** The number of migrations that the database has. */
async function readVersion(db: Connection): Promise<number> {
  const { rows } = await sql<{ version: number }>`select version from schema_version`.execute(db);
  return rows[0]?.version ?? 0;
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const conflictCodes = ['40001', '40P01'];
// Connection, authorization, invalid catalog, rollback, resources, object state, operator intervention (with
// time-outs), system, configuration file, internal.
const unavailableClasses = ['08', '28', '3D', '40', '53', '55', '57', '58', 'F0', 'XX'];
// A read-only transaction (a standby, or a server without disk space), an idle one, and one that took too long.
const unavailableCodes = ['25006', '25P03', '25P04'];
const diskFullCode = '53100';
const networkCode = /^(E[A-Z]{3,}|EAI_[A-Z]+)$/;
const networkMessage = /connection (terminated|ended)|connection error|not queryable|timeout exceeded/i;
// No TLS, a certificate that is not trusted, and a password that is missing.
const tlsMessage = /does not support SSL|establishing an SSL connection|^SASL: /;
const tlsCode = /^(ERR_SSL|ERR_TLS|CERT|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO)_/;

/** A conflict between transactions: a retry may succeed. */
function isConflict(error: unknown): boolean {
  return conflictCodes.includes(codeOf(error));
}

/** Converts server and connection errors to `StorageUnavailable`; returns all others unchanged. */
function postgresError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StorageUnavailable) {
    return error;
  }
  const code = codeOf(error);
  const unavailable =
    unavailableClasses.includes(code.slice(0, 2)) ||
    unavailableCodes.includes(code) ||
    networkCode.test(code) ||
    networkMessage.test(error.message) ||
    tlsCode.test(code) ||
    tlsMessage.test(error.message);
  if (!unavailable) return error;
  const reason = code === diskFullCode ? 'disk_full' : 'unreachable';
  return new StorageUnavailable(error.message || code, { cause: error, reason });
}

/** Whether a table does not exist. */
function isMissingTable(error: unknown): boolean {
  return codeOf(error) === '42P01';
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return error.code;
  }
  return '';
}

// Processes that share a database tell each other with NOTIFY that they have written something. They say it from time
// to time, not in each transaction: the server commits those that notify one after the other.

const channel = 'waybill_changes';
/** The wait before a broken connection is replaced. */
const reconnect_ms = 5_000;
/** How often the listening connection is checked, and how long its answer may take. */
const check_ms = 10_000;
const answer_ms = 5_000;

/** The connection on which a process hears of the writes of others. */
export interface ChangeListener {
  /** The number of notifications of other processes; null while they cannot be received. */
  received: () => number | null;
  /** Notifies the other processes. */
  announce: () => Promise<void>;
  close: () => void;
}

interface Parts {
  pool: pg.Pool;
  /** Creates a connection outside of the pool. */
  createClient: () => pg.Client;
}

/** The notification with which a process checks its own connection; others have written nothing then. */
function checkOf(token: string): string {
  return `check ${token}`;
}

function isCheck(payload = ''): boolean {
  return payload.startsWith(checkOf(''));
}

/** Connects on the first call of `received`. */
function createChangeListener({ pool, createClient }: Parts): ChangeListener {
  /** Marks the notifications of this process. */
  let token = '';
  let client: pg.Client | null = null;
  let mayConnect = true;
  let isHearing = false;
  /** Whether the latest check was heard. */
  let isChecked = false;
  let isClosed = false;
  let count = 0;
  const announce = async () => {
    await pool.query('select pg_notify($1, $2)', [channel, token]);
  };
  const drop = (broken: pg.Client) => {
    if (client !== broken) return;
    client = null;
    isHearing = false;
    mayConnect = false;
    later(reconnect_ms, () => {
      mayConnect = !isClosed;
    });
    broken.end().catch(() => {});
    // A silent server does not close the connection.
    broken.connection.stream.destroy();
  };
  /** A connection can fall silent without an end or an error, so it must receive a notification of its own again. */
  const check = (checked: pg.Client) => {
    if (client !== checked) return;
    isChecked = false;
    checked.query('select pg_notify($1, $2)', [channel, checkOf(token)]).catch(() => drop(checked));
    later(answer_ms, () => {
      if (client === checked && !isChecked) drop(checked);
    });
    later(check_ms, () => check(checked));
  };
  const connect = async () => {
    const opened = createClient();
    client = opened;
    opened.on('error', () => drop(opened));
    opened.on('end', () => drop(opened));
    opened.on('notification', ({ payload }) => {
      // A pooler between may accept LISTEN without effect: the own first check shows that it works.
      if (token !== '' && payload === checkOf(token)) isHearing = isChecked = true;
      else if (payload !== token && !isCheck(payload)) count += 1;
    });
    try {
      await opened.connect();
      await opened.query(`listen ${channel}`);
      const { rows } = await opened.query<{ token: string }>('select gen_random_uuid()::text as token');
      token = rows[0]?.token ?? '';
      check(opened);
    } catch {
      drop(opened);
    }
  };
  return {
    announce,
    received: () => {
      if (client === null && mayConnect) void connect();
      return isHearing ? count : null;
    },
    close: () => {
      isClosed = true;
      mayConnect = false;
      if (client !== null) drop(client);
    },
  };
}

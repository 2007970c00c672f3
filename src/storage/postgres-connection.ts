/**
 * The pool of connections to PostgreSQL. It gives up servers that fall silent, finds the one of several that can be
 * written, and makes do with fewer connections than it wants if the server grants no more.
 */
import { Socket } from 'node:net';
import { type DatabaseConnection, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Database } from './database.ts';
import { later, pauseFor } from './ports/pause.ts';
import { isOutOfConnections, type PostgresTarget, postgresError, readOnlyCode } from './postgres-errors.ts';
import { type PostgresSettings, targetOf } from './postgres-url.ts';
import { watchQueries } from './transactions.ts';

/** Connects to a database. Closing abandons running queries: an unresponsive server must not keep the process alive. */
export function connectPostgres(urls: readonly string[], settings: PostgresSettings) {
  const pool = openPool(urls, settings);
  const onCreateConnection = async (connection: DatabaseConnection) => {
    watchQueries(connection);
  };
  const { target, acquire } = pool;
  const dialect = new PostgresDialect({
    pool: { connect: acquire, end: pool.end, options: {} },
    onCreateConnection,
  });
  const db = new Kysely<Database>({ dialect });
  const close = async () => {
    const ended = db.destroy();
    pool.destroyConnections();
    await ended;
  };
  return { db, pool, translate: (error: unknown) => postgresError(error, target), close };
}

const int8 = pg.types.builtins.INT8;
/** The time before the system probes a silent peer. */
const keepalive_delay_ms = 10_000;

/** A pool whose connections can be closed immediately, whatever the network does. */
export interface PostgresPool {
  target: PostgresTarget;
  /**
   * Takes a connection. Where the server grants fewer than the settings want, the pool makes do with those it has for
   * some time; without any, it calls `onExhausted` first, so that others give theirs back.
   */
  acquire: () => Promise<pg.PoolClient>;
  createClient: () => pg.Client;
  statistics: () => { total: number; idle: number; waiting: number };
  /** How often the server has refused a connection because it has no more. */
  refused: () => number;
  onExhausted: (give_back: () => boolean) => void;
  end: () => Promise<void>;
  destroyConnections: () => void;
}

/** How long a pool does without the connections that the server has refused. */
export const shortage_ms = 30_000;
/** How often, and after which pauses, a connection that was given back is asked for. */
const max_returns = 20;
const return_ms = 50;

/** The message of a connection that was closed because the server did not respond. */
const silence = 'connection terminated: the PostgreSQL server did not respond in time';

/**
 * Creates a pool of connections that are closed if the server does not respond within the time-outs of the settings.
 * Of several servers it uses the one that can be written: the others are its standbys.
 */
function openPool(urls: readonly string[], settings: PostgresSettings): PostgresPool {
  const sockets = new Set<Socket>();
  const [connectionString = ''] = urls;
  const config: pg.ClientConfig = {
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
  /** The connections whose server or session has refused to write: it may refuse for as long as they are open. */
  const readOnly = new WeakSet<pg.ClientBase>();
  const pool = new pg.Pool({
    ...config,
    connectionString,
    max: settings.pool_size,
    ...(urls.length > 1 ? { verify: requireWritable } : {}),
  });
  // Without a listener, a connection that breaks between two queries would end the process; the next query fails with
  // the cause, or gets a new connection.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    const { stream } = client.connection;
    if (stream instanceof Socket) stream.on('timeout', () => stream.destroy(new Error(silence)));
    client.connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === readOnlyCode) readOnly.add(client);
    });
  });
  // The time-out applies only while a query is waiting.
  pool.on('acquire', (client) => limitSilence(client, settings.response_timeout_ms));
  pool.on('release', (_error, client) => {
    limitSilence(client, 0);
    // Ended before the pool takes it back: a new one finds out whether the server, or another one, can be written.
    if (readOnly.has(client)) client.end().catch(() => {});
  });
  return {
    target: targetOf(urls),
    ...createSupply(pool, { size: settings.pool_size, urls }),
    createClient: () => new pg.Client({ ...config, connectionString: pool.options.connectionString }),
    statistics: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    end: () => pool.end(),
    destroyConnections: () => {
      for (const socket of sockets) socket.destroySoon();
    },
  };
}

const readOnlyQuery =
  "select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as is_read_only";

async function isReadOnlySession(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ is_read_only: boolean }>(readOnlyQuery);
  return rows[0]?.is_read_only === true;
}

function requireWritable(client: pg.ClientBase, done: (error?: Error) => void): void {
  const refusal = () =>
    Object.assign(new Error('the server is a standby or read-only'), { code: readOnlyCode });
  isReadOnlySession(client).then((isRefusing) => done(isRefusing ? refusal() : undefined), done);
}

/** The message of the pool when all of its connections have been in use for too long. */
const allInUse = 'timeout exceeded when trying to connect';

/** Connects to a server of the list, beginning with the last one that took a connection. */
function createConnector(pool: pg.Pool, urls: readonly string[]): () => Promise<pg.PoolClient> {
  let current = 0;
  return async () => {
    for (let failures = 1; ; failures += 1) {
      const tried = current;
      try {
        return await pool.connect();
      } catch (error) {
        const isOfServer = error instanceof Error && error.message !== allInUse && !isOutOfConnections(error);
        if (!isOfServer || failures >= urls.length) throw error;
        // Another request may have moved on to the next one meanwhile.
        if (current === tried) current = (current + 1) % urls.length;
        pool.options.connectionString = urls[current];
      }
    }
  };
}

/** The connections that the server grants, which may be fewer than `size`. */
function createSupply(
  pool: pg.Pool,
  { size, urls }: { size: number; urls: readonly string[] },
): Pick<PostgresPool, 'acquire' | 'refused' | 'onExhausted'> {
  const connectToServer = createConnector(pool, urls);
  let refused = 0;
  let giveBack = () => false;
  const makeDo = () => {
    pool.options.max = pool.totalCount;
    later(shortage_ms, () => {
      pool.options.max = size;
    });
  };
  return {
    refused: () => refused,
    onExhausted: (give_back) => {
      giveBack = give_back;
    },
    acquire: async () => {
      for (let returned = 0; ; ) {
        try {
          return await connectToServer();
        } catch (error) {
          if (!isOutOfConnections(error) || returned === max_returns) throw error;
          refused += 1;
          if (pool.totalCount > 0) makeDo();
          else if (giveBack() || returned > 0) returned += 1;
          else throw error;
        }
        if (returned > 0) await pauseFor(return_ms);
      }
    },
  };
}

function limitSilence({ connection: { stream } }: pg.PoolClient, timeout_ms: number): void {
  if (stream instanceof Socket) stream.setTimeout(timeout_ms);
}

/** Whether the server is a standby, or refuses writes in new sessions. A session that was read-only is ended. */
export async function isReadOnly({ acquire }: PostgresPool): Promise<boolean> {
  const client = await acquire();
  let isRefusing: boolean | undefined;
  try {
    isRefusing = await isReadOnlySession(client);
    return isRefusing;
  } finally {
    client.release(isRefusing ?? true);
  }
}

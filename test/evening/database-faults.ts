import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import type { InstalledPostgres } from '../installed-postgres.ts';
import { executeOn } from '../postgres.ts';

/** The database of a service, of a role that is no superuser, on a disk of its own if the machine allows one. */
export interface FaultyDatabase {
  server: InstalledPostgres;
  name: string;
  role: string;
  /** The folder of its disk, which is small. */
  disk: string | null;
}

/** A fault of a database from its begin to its end; resolves with what it met, where that is to be counted. */
type DatabaseFault = (database: FaultyDatabase) => Promise<void>;

const hold_ms = 4_000;

/** What happens to databases in operation, in the order in which it happens here. */
export const databaseFaults: Readonly<Record<string, DatabaseFault>> = {
  'idle connections are killed every 300 ms': (database) =>
    repeat(300, () => endConnections(database, 'idle')),
  'statements of 2 ms are timed out': async (database) => {
    const { role } = database;
    await whileSet(
      database,
      `alter role ${role} set statement_timeout = '2ms'`,
      `alter role ${role} reset statement_timeout`,
    );
  },
  'statements are canceled every 30 ms': (database) =>
    repeat(30, () =>
      asRoot(
        database,
        `select pg_cancel_backend(pid) from pg_stat_activity where ${ofService(database)} and state = 'active'`,
      ),
    ),
  'tables are locked by hand': (database) =>
    lockTables(database, ['orders', 'events', 'tasks', 'webhook_messages']),
  'transactions of the service end in deadlocks': provokeDeadlocks,
  'the right to write deliveries is taken away': (database) =>
    whileRevoked(database, 'insert, update on deliveries'),
  'all rights to tasks are taken away': (database) => whileRevoked(database, 'all on tasks'),
  'the database is set to read-only': (database) =>
    whileSet(
      database,
      `alter database ${database.name} set default_transaction_read_only = on`,
      `alter database ${database.name} reset default_transaction_read_only`,
    ),
  'two connections are left for the role': (database) =>
    whileSet(
      database,
      `alter role ${database.role} connection limit 2`,
      `alter role ${database.role} connection limit -1`,
    ),
  'the role may not log in': (database) =>
    whileSet(database, `alter role ${database.role} nologin`, `alter role ${database.role} login`),
  'the disk is full': fillDisk,
};

function asRoot({ server, name }: FaultyDatabase, statement: string): Promise<void> {
  return executeOn(server.urlOf(name), statement);
}

function ofService({ name, role }: FaultyDatabase): string {
  return `datname = '${name}' and usename = '${role}'`;
}

function endConnections(database: FaultyDatabase, state?: string): Promise<void> {
  const which = state === undefined ? '' : ` and state = '${state}'`;
  return asRoot(
    database,
    `select pg_terminate_backend(pid) from pg_stat_activity where ${ofService(database)}${which}`,
  );
}

async function repeat(interval_ms: number, act: () => Promise<void>): Promise<void> {
  for (const ends_at = Date.now() + hold_ms; Date.now() < ends_at; await pause(interval_ms)) await act();
}

/** A setting is read by new connections only, so the old ones are ended. */
async function whileSet(database: FaultyDatabase, set: string, reset: string): Promise<void> {
  for (const statement of [set, reset]) {
    // Beside the database, which the setting may close to all.
    await executeOn(database.server.urlOf('postgres'), statement);
    await endConnections(database);
    if (statement === set) await pause(hold_ms);
  }
}

async function whileRevoked(database: FaultyDatabase, rights: string): Promise<void> {
  await asRoot(database, `revoke ${rights} from ${database.role}`);
  await pause(hold_ms);
  await asRoot(database, `grant ${rights} to ${database.role}`);
}

/** Somebody at a terminal. */
async function bySession<Result>(
  { server, name }: FaultyDatabase,
  act: (session: pg.Client) => Promise<Result>,
): Promise<Result> {
  const session = new pg.Client({ connectionString: server.urlOf(name) });
  await session.connect();
  try {
    return await act(session);
  } finally {
    await session.end();
  }
}

function lockTables(database: FaultyDatabase, tables: readonly string[]): Promise<void> {
  return bySession(database, async (session) => {
    for (const table of tables) {
      await session.query(`begin; lock table ${table} in access exclusive mode`);
      // Less and more than the time for which a statement of the service waits.
      await pause(table === 'orders' ? hold_ms : hold_ms / 2);
      await session.query('rollback');
    }
  });
}

/**
 * A session locks events, which the service writes after orders, and then wants the orders that the waiting
 * transactions of the service hold. The session does not look for a deadlock itself, so the service's ones end.
 */
function provokeDeadlocks(database: FaultyDatabase): Promise<void> {
  return bySession(database, async (session) => {
    await session.query("set deadlock_timeout = '1min'");
    for (let round = 0; round < 5; round += 1) {
      await session.query('begin; lock table events in share row exclusive mode');
      await pause(200);
      await session.query('lock table orders in access exclusive mode');
      await session.query('rollback');
      await pause(500);
    }
  });
}

/** How often PostgreSQL has ended a transaction because of a deadlock. */
export function deadlockCount(database: FaultyDatabase): Promise<number> {
  return bySession(database, async (session) => {
    const { rows } = await session.query(
      `select deadlocks from pg_stat_database where datname = '${database.name}'`,
    );
    return Number(rows[0]?.deadlocks);
  });
}

/** Mounts a small disk for a database of a server; null if the machine does not let this user. */
export function mountDisk(server: InstalledPostgres, megabytes: number): string | null {
  const folder = server.newFolder('disk');
  try {
    const { uid, gid } = statSync(folder);
    const options = `size=${megabytes}m,mode=700,uid=${uid},gid=${gid}`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return null;
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]));
  return folder;
}

async function fillDisk({ disk }: FaultyDatabase): Promise<void> {
  if (disk === null) return;
  const file = join(disk, 'filler');
  const filler = openSync(file, 'w');
  try {
    for (const block = Buffer.alloc(64 * 1024); ; ) writeSync(filler, block);
  } catch {
    // Full.
  }
  closeSync(filler);
  await pause(hold_ms);
  rmSync(file);
}

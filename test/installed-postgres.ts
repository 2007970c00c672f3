import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freePort } from './local-server.ts';
import { executeOn } from './postgres.ts';

/** The programs of a PostgreSQL server that is installed on the machine; empty without one. */
export const postgresTools =
  globSync('/usr/lib/postgresql/*/bin').find((folder) => existsSync(join(folder, 'pg_dump'))) ?? '';

/** A server with all of its tools, which the one of the package lacks. */
export interface InstalledPostgres {
  folder: string;
  port: number;
  /** Of a database, as its superuser or as a role without a password. */
  urlOf: (database: string, role?: string) => string;
  /** Runs a tool as the user of the server. */
  run: (program: string, ...args: string[]) => void;
  /** Ends the server and starts it again: `crash` without a checkpoint, so that it recovers from its log. */
  restart: (how: 'fast' | 'crash') => Promise<void>;
  end: (mode: 'fast' | 'immediate') => void;
  /** Makes a folder that the server may write to. */
  newFolder: (name: string) => string;
}

/** Starts the installed server in a temporary folder, with `settings` beside its defaults. */
export function startInstalled(settings: readonly string[] = ['fsync=off']): Promise<InstalledPostgres> {
  return startIn(newServerFolder(), settings, (run, data) =>
    run('initdb', '--pgdata', data, '--auth=trust', '--username=postgres', '--no-sync', '--encoding=UTF8'),
  );
}

/** Starts a standby that follows a primary from now on; `name` is what the primary calls it. */
export function startStandby(primary: InstalledPostgres, name: string): Promise<InstalledPostgres> {
  const source = `host=127.0.0.1 port=${primary.port} user=postgres application_name=${name}`;
  return startIn(newServerFolder(), ['fsync=off'], (run, data) =>
    run('pg_basebackup', '-D', data, '-d', source, '-R', '--no-sync', '--checkpoint=fast'),
  );
}

function newServerFolder(): string {
  return mkdtempSync(join(tmpdir(), 'waybill-installed-'));
}

async function startIn(
  folder: string,
  settings: readonly string[],
  fill: (run: InstalledPostgres['run'], data: string) => void,
): Promise<InstalledPostgres> {
  const port = await freePort();
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? userOf('postgres') : {};
  const own = (path: string) => {
    if (user.uid !== undefined) chownSync(path, user.uid, user.gid ?? 0);
  };
  own(folder);
  const run = (program: string, ...args: string[]) =>
    void execFileSync(join(postgresTools, program), args, { ...user, cwd: folder, stdio: 'ignore' });
  const data = join(folder, 'data');
  fill(run, data);
  const flags = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    ...settings,
  ];
  const options = [`-p ${port}`, ...flags.map((flag) => `-c ${flag}`)].join(' ');
  const start = () => run('pg_ctl', '-D', data, '-o', options, '-l', join(folder, 'log'), '-w', 'start');
  const end = (mode: 'fast' | 'immediate') => run('pg_ctl', '-D', data, '-m', mode, '-w', 'stop');
  start();
  onTestFinished(() => {
    if (existsSync(join(data, 'postmaster.pid'))) end('immediate');
    rmSync(folder, { recursive: true });
  });
  return {
    ...{ folder, port, run, end },
    urlOf: (database, role = 'postgres') => `postgres://${role}@127.0.0.1:${port}/${database}`,
    restart: async (how) => {
      end(how === 'fast' ? 'fast' : 'immediate');
      start();
    },
    newFolder: (name) => {
      const path = join(folder, name);
      mkdirSync(path);
      own(path);
      return path;
    },
  };
}

function userOf(name: string): { uid?: number; gid?: number } {
  const line = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(readFileSync('/etc/passwd', 'utf8'));
  return { uid: Number(line?.[1]), gid: Number(line?.[2]) };
}

/** Makes a database of a role that is no superuser, and gives its URL; in a folder of its own if one is named. */
export async function newOwnedDatabase(
  { urlOf }: InstalledPostgres,
  { name = 'shop', role = 'waybill', tablespace }: { name?: string; role?: string; tablespace?: string } = {},
): Promise<string> {
  const root = urlOf('postgres');
  await executeOn(root, `create role ${role} login`);
  if (tablespace !== undefined) await executeOn(root, `create tablespace ${name} location '${tablespace}'`);
  const where = tablespace === undefined ? '' : ` tablespace ${name}`;
  await executeOn(root, `create database ${name} owner ${role}${where}`);
  return urlOf(name, role);
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { freshHome, type Home, root } from '../program/run.ts';

/** The program that the build has made. */
export const builtProgram = join(root, 'bin', 'waybill.cjs');

/** The data that outlives a process. */
export interface ServerFiles {
  home: Home;
  /** A file or a URL. */
  database: string;
  /** The database file with the couriers' records. */
  books: string;
  /** The file with the stderr of all processes. */
  log: string;
}

/**
 * Makes the files of a service, with a new database unless one is given; `env` is added to the environment of its
 * processes.
 */
export function newServerFiles(database?: string, env: Record<string, string> = {}): ServerFiles {
  const home = freshHome(env);
  const { folder } = home;
  return {
    home,
    database: database ?? join(folder, 'served.db'),
    books: join(folder, 'couriers.db'),
    log: join(folder, 'serve.log'),
  };
}

export interface Ready {
  url: string;
  keys: { test: string; live: string } | null;
}

/** A `waybill serve` process from its start to its death. */
export interface ServerProcess {
  /** Null if it dies before it is ready. */
  ready: Promise<Ready | null>;
  /** Resolves with whether it was killed by the test; rejects if it ended in any other way. */
  death: Promise<{ isOurs: boolean }>;
  isOver: () => boolean;
  kill: () => Promise<void>;
}

/**
 * Starts a process that kills itself at a crash point (`point:count`), or not at all; on a free port unless the flags
 * name one. `program` is the path of another build.
 */
export function startServerProcess(
  place: ServerFiles,
  crash_at: string | null,
  flags: readonly string[] = ['--port', '0'],
  program = builtProgram,
): ServerProcess {
  const log = openSync(place.log, 'a');
  const args = ['serve', ...flags, '--sandbox', '--json', '--database', place.database];
  const child = spawn(process.execPath, [program, ...args], {
    cwd: place.home.folder,
    env: {
      ...place.home.env,
      WAYBILL_COURIER_BOOKS: place.books,
      ...(crash_at === null ? {} : { WAYBILL_CRASH_AT: crash_at }),
    },
    stdio: ['ignore', 'pipe', log],
  });
  closeSync(log);
  onTestFinished(() => void child.kill('SIGKILL'));
  let isOurs = false;
  let isOver = false;
  const death = once(child, 'exit').then(([code, signal]) => {
    isOver = true;
    if (signal === 'SIGKILL') return { isOurs };
    throw new Error(`waybill serve ended with ${code ?? signal}:\n${crashPrefix(place)}`);
  });
  // Checked later.
  death.catch(() => {});
  const kill = async () => {
    isOurs = !isOver;
    child.kill('SIGKILL');
    await death;
  };
  return {
    ready: readyLine(child.stdout),
    death,
    isOver: () => isOver,
    kill,
  };
}

async function readyLine(stdout: Readable | null): Promise<Ready | null> {
  if (stdout === null) throw new Error('the streams are not piped');
  for await (const line of createInterface({ input: stdout })) {
    return JSON.parse(line);
  }
  return null;
}

function crashPrefix({ log }: ServerFiles): string {
  const lines = readFileSync(log, 'utf8').split('\n');
  // Of the requests of all processes only the last ones, which would hide why this one ended.
  return [...lines.filter((line) => !line.includes('"type":"request"')).slice(-20), ...lines.slice(-5)].join(
    '\n',
  );
}

/** Failures that the couriers simulate. */
const simulated = /answers 503|answers 429|was lost before it responded/;

/** The errors in the log of the processes, each message once, without the failures that couriers simulate. */
export function faultsOf({ log }: ServerFiles): string[] {
  const lines = readFileSync(log, 'utf8').split('\n');
  const faults = lines.flatMap((line) => (line.includes('"type":"fault"') ? [faultIn(line)] : []));
  return [...new Set(faults.filter((fault) => !simulated.test(fault)))];
}

/** A line truncated by a kill is returned unchanged. */
function faultIn(line: string): string {
  try {
    const { fault }: { fault: string } = JSON.parse(line);
    return fault;
  } catch {
    return line;
  }
}

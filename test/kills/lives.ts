import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { freshHome, type Home, root } from '../program/run.ts';

const program = join(root, 'bin', 'waybill.cjs');

/** What lasts from one process to the next. */
export interface Place {
  home: Home;
  /** A file or a URL. */
  database: string;
  /** The file in which the couriers write down what they were asked. */
  books: string;
  /** The file of all that the processes wrote to stderr. */
  log: string;
}

/** A place on a new file, unless another database is given. */
export function freshPlace(database?: string): Place {
  const home = freshHome();
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

/** A `waybill serve` from its start to its death. */
export interface Life {
  /** By `performance.now()`. */
  started_at: number;
  /** Null where it dies before it is ready. */
  ready: Promise<Ready | null>;
  /** When it was ready, by the same; null before. */
  readyAt: () => number | null;
  /** Tells whether it was killed from here; rejects where it ended otherwise than by a kill. */
  death: Promise<{ isOurs: boolean }>;
  isOver: () => boolean;
  kill: () => Promise<void>;
}

/** Starts a process that ends itself at a passage (`point:count`), or at none. */
export function beginLife(place: Place, crash_at: string | null): Life {
  const log = openSync(place.log, 'a');
  const args = ['serve', '--port', '0', '--sandbox', '--json', '--database', place.database];
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
    throw new Error(`waybill serve ended with ${code ?? signal}:\n${lastWords(place)}`);
  });
  // It is looked at later, where it matters.
  death.catch(() => {});
  const kill = async () => {
    isOurs = !isOver;
    child.kill('SIGKILL');
    await death;
  };
  let ready_at: number | null = null;
  return {
    started_at: performance.now(),
    ready: readyLine(child.stdout, () => {
      ready_at = performance.now();
    }),
    readyAt: () => ready_at,
    death,
    isOver: () => isOver,
    kill,
  };
}

async function readyLine(stdout: Readable | null, hear: () => void): Promise<Ready | null> {
  if (stdout === null) throw new Error('the streams are not piped');
  for await (const line of createInterface({ input: stdout })) {
    hear();
    return JSON.parse(line);
  }
  return null;
}

function lastWords({ log }: Place): string {
  return readFileSync(log, 'utf8').split('\n').slice(-20).join('\n');
}

/** What couriers do on purpose. */
const simulated = /answers 503|answers 429|was lost before it answered/;

/** What went wrong inside the processes, each message once: nothing that the couriers' scenarios explain. */
export function faultsOf({ log }: Place): string[] {
  const lines = readFileSync(log, 'utf8').split('\n');
  const faults = lines.flatMap((line) => (line.includes('"type":"fault"') ? [faultIn(line)] : []));
  return [...new Set(faults.filter((fault) => !simulated.test(fault)))];
}

/** A line that a kill cut short is given as it is. */
function faultIn(line: string): string {
  try {
    const { fault }: { fault: string } = JSON.parse(line);
    return fault;
  } catch {
    return line;
  }
}

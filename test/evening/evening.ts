import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { certificate } from '../fakes/smtp/certificate.ts';
import { postgresReader, type Reader } from '../kills/database-reader.ts';
import { builtProgram, newServerFiles, type ServerFiles } from '../kills/server-process.ts';
import type { PostgresServer } from '../postgres.ts';
import { ended } from '../program/run.ts';
import { type Caller, createCaller, type Statuses } from './caller.ts';
import { type Merchant, sendOrders } from './merchants.ts';
import { startProxy } from './proxy.ts';
import { startWebhookLog, type WebhookLog } from './webhook-log.ts';
import { startWorkers, type Workers } from './workers.ts';

/** A PostgreSQL server that makes a database for the evening, and restarts. */
export type EveningDatabase = Pick<PostgresServer, 'newDatabase' | 'restart'>;

/** A service with its workers, proxy, database and accounts, and what receives their webhooks. */
export interface Evening {
  place: ServerFiles;
  database: Reader;
  postgres: EveningDatabase;
  workers: Workers;
  /** The address that merchants use: the proxy's, or without one those of the workers alternately. */
  url: () => string;
  /** Whether nginx is in front. */
  isProxied: boolean;
  log: WebhookLog;
  merchants: readonly Merchant[];
  /** Calls with an admin key. */
  admin: Caller;
  statuses: Statuses;
}

/**
 * Starts two workers on PostgreSQL and, if it is installed, nginx, and makes an account for each name. Time passes 60
 * times as fast. `books` is the database with the couriers' records, by default a file; `program` another build.
 */
export async function startEvening(
  postgres: EveningDatabase,
  names: readonly string[],
  { books, program = builtProgram }: { books?: string; program?: string } = {},
): Promise<Evening> {
  const files = newServerFiles(await postgres.newDatabase(), {
    NODE_EXTRA_CA_CERTS: certificateFile(),
    WAYBILL_SECRET_KEY: Buffer.alloc(32, 'evening').toString('base64'),
  });
  const accounts = new Map<string, { id: string; key: string }>();
  for (const name of names) accounts.set(name, await newAccount(files, name, program));
  // Several accounts share the clock: the first one moves it.
  const [owner] = accounts.values();
  const env = { ...files.home.env, WAYBILL_CLOCK_OWNER: owner?.id ?? '' };
  const place = { ...files, home: { ...files.home, env }, books: books ?? files.books };
  const database = postgresReader(place.database);
  const workers = await startWorkers(place, 2, program);
  const proxy = await startProxy(place.home.folder, workers.ports);
  let turn = 0;
  const url = () => proxy ?? `http://127.0.0.1:${workers.ports[turn++ % workers.ports.length]}`;
  const statuses: Statuses = new Map();
  const log = await startWebhookLog(names);
  const merchants: Merchant[] = [];
  for (const [name, { key }] of accounts) {
    const caller = createCaller(url, key, statuses);
    const endpoint = await caller.post('/v2/webhook_endpoints', { url: log.urlOf(name) }, `${name} endpoint`);
    if (endpoint.status !== 200) throw new Error(JSON.stringify(endpoint));
    merchants.push({ name, key, caller, sent: [], unexpected: [] });
  }
  const admin = merchants[0]?.caller;
  if (admin === undefined) throw new Error('there is no merchant');
  await admin.post('/v2/sandbox/clock', { mode: 'scaled', rate: 60 }, 'clock');
  const isProxied = proxy !== null;
  return { place, database, postgres, workers, url, isProxied, log, merchants, admin, statuses };
}

/** A file with the certificate of the proxy, which commands have to trust. */
function certificateFile(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'waybill-evening-')), 'cert.pem');
  onTestFinished(() => rmSync(dirname(file), { recursive: true }));
  writeFileSync(file, certificate.cert);
  return file;
}

/** Makes an account as its operator does, and returns its id and test key. */
export async function newAccount(
  { home, database }: ServerFiles,
  name: string,
  program = builtProgram,
): Promise<{ id: string; key: string }> {
  const file = join(home.folder, `${name}.json`);
  const line = ['admin', 'accounts', 'create', '--name', name, '--database', database, '--key-out', file];
  const { exit, stdout, stderr } = await ended(
    spawn(process.execPath, [program, ...line, '--json'], { env: home.env }),
  );
  if (exit !== 0) throw new Error(stderr);
  const { id }: { id: string } = JSON.parse(stdout);
  const keys: { key: string; mode: string }[] = JSON.parse(readFileSync(file, 'utf8'));
  return { id, key: keys.find(({ mode }) => mode === 'test')?.key ?? '' };
}

/** Starts to send orders of all merchants; `reached` resolves once a share of them is sent. */
export function startSending(
  merchants: readonly Merchant[],
  { orders_each, concurrency }: { orders_each: number; concurrency: number },
) {
  let sent = 0;
  let isOver = false;
  const onSent = (some: number) => {
    sent += some;
  };
  const send = (merchant: Merchant) => sendOrders(merchant, orders_each, { concurrency, onSent });
  const over = Promise.all(merchants.map(send)).finally(() => {
    isOver = true;
  });
  const reached = async (share: number) => {
    while (!isOver && sent < merchants.length * orders_each * share) await pause(50);
  };
  return { over, reached };
}

/**
 * Sends orders of all merchants. Meanwhile kills workers at even intervals, restarts PostgreSQL after a third of the
 * orders, and crashes it after two thirds.
 */
export async function sendUnderTrouble(
  { postgres, workers, merchants }: Evening,
  { orders, kills }: { orders: number; kills: number },
): Promise<void> {
  const orders_each = Math.ceil(orders / merchants.length);
  const { over, reached } = startSending(merchants, { orders_each, concurrency: 8 });
  const killing = (async () => {
    for (let kill = 1; kill <= kills; kill += 1) {
      await reached(kill / (kills + 1));
      await workers.killNext();
    }
  })();
  await reached(1 / 3);
  await postgres.restart('fast');
  await reached(2 / 3);
  await postgres.restart('crash');
  await Promise.all([over, killing]);
}

const remaining = `select
  (select count(*) from deliveries where ended_at is null) as deliveries,
  (select count(*) from tasks) as tasks,
  (select count(*) from webhook_messages) as webhooks`;

/** The number of steps without a change after which nothing more is expected: webhooks are retried in real time. */
const max_idle_steps = 200;

/** Advances the clock until no delivery, task or webhook is left, or their numbers do not change anymore. */
export async function finish({ admin, database }: Evening): Promise<void> {
  let before = '';
  for (let idle = 0; idle < max_idle_steps; ) {
    const [left] = await database.rows<Record<string, number>>(remaining);
    if (Object.values(left ?? {}).every((count) => count === 0)) return;
    const now = JSON.stringify(left);
    idle = now === before ? idle + 1 : 0;
    before = now;
    await admin.post('/v2/sandbox/clock/advance', { by: 600 }, `finish ${performance.now()}`);
    await pause(500);
  }
}

/** The sum of a metric with some labels over all workers. */
export async function metricOf(
  { workers }: Pick<Evening, 'workers'>,
  name: string,
  labels: readonly string[] = [],
): Promise<number> {
  const lines = (await workers.metrics()).flatMap((text) => text.split('\n'));
  const own = lines.filter(
    (line) =>
      line.startsWith(name) &&
      /[ {]/.test(line.charAt(name.length)) &&
      labels.every((each) => line.includes(each)),
  );
  return own.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

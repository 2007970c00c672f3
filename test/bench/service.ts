/**
 * Measures the service over HTTP on one core, with the load on another, beside a bare server in the same run (see
 * bare-server.ts): both in turn, so that only the ratios count. `SECONDS=5 ROUNDS=5 npm run bench -- service` measures
 * longer than the default 3 rounds of 3 seconds; `DATABASE=sqlite` or `DATABASE=postgres` takes only one of them.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '../postgres.ts';
import { batchBody } from './batch-orders.ts';
import { type Answers, type Load, load, memoryOf, pinned, service_core } from './load.ts';
import { inFolder, printer } from './output.ts';
import { median } from './pairs.ts';
import { environment, type Server, serve } from './program.ts';

const seconds = Number(process.env.SECONDS ?? 3);
const rounds = Number(process.env.ROUNDS ?? 3);
/** The load of the row on overload, as a multiple of the rate that was measured before. */
const overload = 5;

const print = printer(44, 12);

const start = (command: string, args: string[]) => pinned(service_core, command, args);

interface Bare {
  url: string;
  child: ChildProcess;
}

/** A bare server that knows one record. */
async function startBare(folder: string, id: string, record: string): Promise<Bare> {
  const file = join(folder, `bare-${id}.db`);
  const database = new DatabaseSync(file);
  database.exec('create table records (id text primary key, record text not null)');
  database.prepare('insert into records values (?, ?)').run(id, record);
  database.close();
  const [command, args] = start(process.execPath, [
    fileURLToPath(import.meta.resolve('./bare-server.ts')),
    file,
  ]);
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [port] = await once(child, 'message');
  return { url: `http://127.0.0.1:${port}`, child };
}

const order: object = JSON.parse(batchBody(1, 'bench')).orders[0];
const delivery = JSON.stringify({ ...order, initiate: true });

async function send({ url, key }: Server, path: string, body?: string): Promise<string> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const response = await fetch(
    `${url}${path}`,
    body === undefined ? { headers } : { headers, method: 'POST', body },
  );
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return text;
}

/** What is measured: the service's request and, where there is one, that of the bare server. */
interface Row {
  name: string;
  ours: Omit<Load, 'seconds'>;
  bare: Omit<Load, 'seconds'> | null;
  status: number;
}

/** Measures a row in turn and prints medians; returns the service's rate. */
async function measure({ name, ours, bare, status }: Row): Promise<number> {
  const own: Answers[] = [];
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const floor = bare === null ? null : await load({ ...bare, seconds });
    const answers = await load({ ...ours, seconds });
    own.push(answers);
    if (floor !== null) ratios.push(answers.rate / floor.rate);
    const wrong = Object.keys(answers.statuses).filter((each) => Number(each) !== status);
    if (wrong.length > 0 || answers.errors > 0)
      print('', JSON.stringify(answers.statuses), `${answers.errors} errors`);
  }
  const rate = median(own.map((each) => each.rate));
  const ratio = ratios.length === 0 ? '' : median(ratios).toFixed(2);
  print(
    name,
    rate.toFixed(0),
    ratio,
    median(own.map(({ p50 }) => p50)).toFixed(1),
    median(own.map(({ p99 }) => p99)).toFixed(1),
  );
  return rate;
}

/** Measures every row on one database. */
async function measureOn(folder: string, engine: string, database: string): Promise<void> {
  const flags = ['--wrong-keys', '99999999', '--sandbox', '--rate-limit', '0'];
  const { NODE_OPTIONS = '' } = process.env;
  const env = { ...environment(join(folder, engine)), NODE_OPTIONS };
  const server = await serve(env, database, { flags, start });
  const { url, key, child } = server;
  let bare: Bare | null = null;
  try {
    const { id }: { id: string } = JSON.parse(await send(server, '/v1/delivery_information', delivery));
    for (let count = 1; count < 40; count += 1) await send(server, '/v1/delivery_information', delivery);
    const path = `/v1/delivery/${id}`;
    bare = await startBare(folder, `${engine}-${id}`, await send(server, path));
    const headers = { 'x-api-key': key };
    const floor = { url: `${bare.url}/${engine}-${id}` };
    const one = batchBody(1, 'bench', 'manual');
    const get = (name: string, of: string): Row => ({
      name,
      ours: { url: `${url}${of}`, headers },
      bare: floor,
      status: 200,
    });
    const post = (name: string, of: string, body: string): Row => ({
      ...{
        name,
        ours: { url: `${url}${of}`, headers, body },
        bare: { url: bare?.url ?? '', body: one },
        status: 200,
      },
    });
    print(engine, 'a second', 'to bare', 'p50 ms', 'p99 ms');
    await measure(get('GET /v1/delivery/{id}', path));
    await measure({
      ...get('wrong key', path),
      ours: { url: `${url}${path}`, headers: { 'x-api-key': 'wrong' } },
      status: 401,
    });
    await measure(get('GET /v1/deliveries, 20', '/v1/deliveries'));
    const rate = await measure(post('POST /v2/orders/create, one manual order', '/v2/orders/create', one));
    await measure(get('GET /v1/deliveries, 20, after these writes', '/v1/deliveries'));
    // The clock stands still, so that no courier reports while the requests are measured.
    await send(server, '/v2/sandbox/clock', '{"mode":"manual"}');
    await measure(post('POST /v1/delivery_information, initiated', '/v1/delivery_information', delivery));
    await besideWrites(
      { url: `${url}${path}`, headers, connections: 4 },
      { url: `${url}/v2/orders/create`, headers, body: one },
    );
    await overloaded({ url: `${url}/v2/orders/create`, headers, body: one }, rate, child.pid);
  } finally {
    child.kill('SIGKILL');
    bare?.child.kill('SIGKILL');
  }
}

/** Prints the latency of reads, alone and while orders are created. */
async function besideWrites(reads: Omit<Load, 'seconds'>, writes: Omit<Load, 'seconds'>): Promise<void> {
  const idle = await load({ ...reads, seconds, rate: 200 });
  const [busy] = await Promise.all([
    load({ ...reads, seconds, rate: 200 }),
    load({ ...writes, seconds: seconds + 1 }),
  ]);
  print('200 reads a second, idle', '', '', idle.p50.toFixed(1), idle.p99.toFixed(1));
  print('  while orders are created', '', '', busy.p50.toFixed(1), busy.p99.toFixed(1));
}

/** Prints what becomes of more requests than can be answered. */
async function overloaded(
  writes: Omit<Load, 'seconds'>,
  rate: number,
  pid: number | undefined,
): Promise<void> {
  const answers = await load({
    ...writes,
    seconds: seconds * 3,
    connections: 1_000,
    rate: Math.round(rate * overload),
  });
  print(
    `${overload} times more orders than that`,
    answers.rate.toFixed(0),
    '',
    answers.p50.toFixed(1),
    answers.p99.toFixed(1),
  );
  print(`  ${JSON.stringify(answers.statuses)}, ${answers.errors} errors, worst ${answers.worst} ms`);
  const memory = memoryOf(pid);
  if (memory !== undefined)
    print('memory of serve, at the end and at most, MB', memory.now.toFixed(0), memory.most.toFixed(0));
}

/** Prints the tables. */
export async function service(): Promise<void> {
  const { DATABASE: only } = process.env;
  await inFolder(async (folder) => {
    console.log(`Node ${process.version}, ${rounds} rounds of ${seconds} s in turn`);
    if (only !== 'postgres') await measureOn(folder, 'sqlite', join(folder, 'served.db'));
    if (only === 'sqlite') return;
    const postgres = await startPostgres();
    try {
      await measureOn(folder, 'postgres', await postgres.newDatabase());
    } finally {
      await postgres.stop();
    }
  });
}

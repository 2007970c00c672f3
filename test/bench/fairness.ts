/**
 * What the work of one account costs another: the time from an order of mine to its dispatch on the idle service, and in
 * the same run while a neighbour has 18,000 orders waiting that no courier takes at his price, or 150 bookings at a courier
 * that takes 4.5 s for each. On SQLite, on PostgreSQL, and there with three processes. `REQUESTS=20 npm run bench --
 * fairness` sends fewer than 60 requests of 300 orders; `ORDERS=9` measures more than 5 orders of mine.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '../postgres.ts';
import { batchBody, sendBatch } from './batch-orders.ts';
import { inFolder, printer } from './output.ts';
import { median } from './pairs.ts';
import { begin, builtScript, type SlowService } from './slow-service.ts';

const requests = Number(process.env.REQUESTS ?? 60);
const orders = Number(process.env.ORDERS ?? 5);
const patience_ms = 120_000;

const print = printer(54, 14);

type Mode = 'test' | 'live';

interface Neighbour {
  name: string;
  /** The couriers of `two-accounts`. */
  speed: 'slow' | '';
  modes: readonly Mode[];
  bodies: () => string[];
}

const endless = { max_cost: 1, retry_window: 86_400, retry_interval: 10 };

const neighbours: readonly Neighbour[] = [
  {
    name: `${requests} requests of 300 orders`,
    speed: '',
    modes: ['live', 'test'],
    bodies: () => Array.from({ length: requests }, (_, at) => batchBody(300, `b${at}`, 'auto', endless)),
  },
  {
    name: 'a courier that takes 4.5 s for each of 150 bookings',
    speed: 'slow',
    modes: ['live'],
    bodies: () => [batchBody(150, 'b', 'auto', { providers: ['swiftly'] })],
  },
];

/** Prints the table. */
export async function fairness(): Promise<void> {
  const postgres = await startPostgres();
  print('', 'idle s', 'beside s', 'worst s', 'later s');
  await inFolder(async (folder) => {
    const script = await builtScript(folder, 'two-accounts');
    let files = 0;
    const places = [
      { name: 'SQLite', processes: 1, newDatabase: async () => join(folder, `${++files}.db`) },
      { name: 'PostgreSQL', processes: 1, newDatabase: postgres.newDatabase },
      { name: 'PostgreSQL, three processes', processes: 3, newDatabase: postgres.newDatabase },
    ];
    for (const neighbour of neighbours) {
      for (const mode of neighbour.modes) {
        console.log(`${neighbour.name}, ${mode}`);
        for (const { name, processes, newDatabase } of places) {
          const args = [script, await newDatabase(), await newDatabase(), neighbour.speed];
          const figures = await measure(args, processes, { neighbour, mode });
          print(`  ${name}`, ...figures.map((seconds) => seconds.toFixed(2)));
        }
      }
    }
  }).finally(postgres.stop);
}

/** The median alone, that beside the neighbour, the worst beside him, and the difference of the medians, in seconds. */
async function measure(
  args: readonly string[],
  processes: number,
  { neighbour, mode }: { neighbour: Neighbour; mode: Mode },
): Promise<number[]> {
  const running: SlowService[] = [];
  try {
    for (let count = 0; count < processes; count += 1)
      running.push(await begin(args[0] ?? '', ...args.slice(1)));
    const [first] = running;
    if (first === undefined) throw new Error('no process runs');
    const { url, keys, neighbour: other } = first;
    const key = keys?.[mode] ?? '';
    await timesToDispatch(url, key, 'warm');
    const alone = await timesToDispatch(url, key, 'alone');
    for (const [at, body] of neighbour.bodies().entries())
      await sendPatiently(url, other?.[mode] ?? '', body, `neighbour ${at}`);
    const beside = await timesToDispatch(url, key, 'beside');
    return [median(alone), median(beside), Math.max(...beside), median(beside) - median(alone)];
  } finally {
    for (const { child } of running) child.kill('SIGKILL');
  }
}

/** Sends a request until it is accepted: the service may have no room, or close an idle connection; returns the batch. */
async function sendPatiently(...request: Parameters<typeof sendBatch>): Promise<string> {
  const started = performance.now();
  for (;;) {
    try {
      return (await sendBatch(...request)).batch_id;
    } catch (fault) {
      if (performance.now() - started > patience_ms) throw fault;
      await pause(200);
    }
  }
}

/** The seconds from each of my orders to its dispatch, one order after the other. */
async function timesToDispatch(url: string, key: string, name: string): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < orders; count += 1) {
    const started = performance.now();
    const body = batchBody(1, `${name}-${count}`);
    const batch_id = await sendPatiently(url, key, body, `${name} ${count}`);
    while (!(await isDispatched(url, key, batch_id))) {
      if (performance.now() - started > patience_ms) throw new Error('the order is not dispatched');
      await pause(20);
    }
    times.push((performance.now() - started) / 1_000);
  }
  return times;
}

async function isDispatched(url: string, key: string, batch_id: string): Promise<boolean> {
  const request = fetch(`${url}/v2/batches/${batch_id}`, { headers: { 'x-api-key': key } });
  const response = await request.catch(() => null);
  if (response === null) return false;
  const { counts }: { counts?: { dispatched: number } } = JSON.parse(await response.text());
  return counts?.dispatched === 1;
}

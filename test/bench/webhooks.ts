/**
 * Measures webhooks: events per second compared to a bare loop of undici POSTs with the same bodies to the same
 * receiver, and the delay from a commit to its event while others are published and sent. `EVENTS=10000 npm run bench
 * -- webhooks` sends more than the default 4,000.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { createClient } from '../../src/client/client.ts';
import { createFirstAccount } from '../../src/service/accounts/create-account.ts';
import { fileOwnership } from '../../src/service/runtime/processes.ts';
import { createSealing, keysInMemory } from '../../src/service/runtime/sealing.ts';
import { systemConfig } from '../../src/service/runtime/system.ts';
import { wallClock } from '../../src/service/runtime/time.ts';
import { createService } from '../../src/service/service.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { percentile } from '../kills/totals.ts';
import { eventRows } from '../service/event-rows.ts';
import { idOf } from '../service/webhooks/received-events.ts';
import { inFolder, printer } from './output.ts';
import { median } from './pairs.ts';

const events = Math.max(1_000, Number(process.env.EVENTS ?? 4_000));
const rounds = 3;
/** The maximum number of concurrent attempts of the sender, used for the bare loop too. */
const width = 10;

interface Receiver {
  url: string;
  child: ChildProcess;
}

async function startReceiver(mode: 'telling' | 'silent'): Promise<Receiver> {
  const child = fork(join(import.meta.dirname, 'webhook-receiver.ts'), [mode]);
  const [{ port }] = await once(child, 'message');
  return { url: `http://127.0.0.1:${port}`, child };
}

/** A service with one test key on a file, with what is needed to load it. */
async function open(file: string, around: (storage: Storage) => Storage = (storage) => storage) {
  const storage = around(await openStorage(file));
  const config = {
    ...systemConfig(storage, { sealing: createSealing(keysInMemory()) }),
    ...{ sandbox: true, publicUrl: 'http://127.0.0.1:4010' },
    loopback_webhooks: 'allowed' as const,
    ownership: fileOwnership(file, { keeps: true }),
  };
  const keys = await createFirstAccount(config);
  const service = createService(config);
  let made = 0;
  const client = createClient({
    transport: service.fetch,
    apiKey: keys?.test ?? '',
    sleep: (ms) => pause(ms),
    wallNow: wallClock.now,
    chance: () => 0.5,
    newIdempotencyKey: () => `bench-${made++}`,
    userAgent: 'bench',
  });
  const close = async () => {
    await service.stop();
    config.ownership.release();
    await storage.close();
  };
  return { service, storage, client, close };
}

const delivery = {
  pickup_address: '43 E Ohio St, Chicago, IL 60611',
  pickup_name: 'Pizza & Friends',
  pickup_phone_number: '+13125550100',
  dropoff_address: '233 S Wacker Dr, Chicago, IL 60606',
  dropoff_name: 'Dana Whitfield',
  dropoff_phone_number: '+13125550142',
  items: [{ name: 'Brisket Classic', quantity: 4, size: 'small' as const }],
};

/** Events a second of the sender, and of the bare loop, at one endpoint or at several. */
async function throughput(folder: string, endpoints: number): Promise<number[][]> {
  const receiver = await startReceiver('silent');
  const rates: number[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { service, storage, client, close } = await open(join(folder, `${endpoints}-${round}.db`));
    for (let index = 0; index < endpoints; index += 1) {
      await client.webhooks.create({ body: { url: `${receiver.url}/${index}` } });
    }
    for (let index = 0; index < events / endpoints; index += 1)
      await client.deliveries.create({ body: delivery });
    const rows = await storage.run(eventRows);
    const started_at = performance.now();
    const sent = await service.send();
    const ours = (sent / (performance.now() - started_at)) * 1000;
    await close();
    const bare = await bareLoop(receiver.url, { bodies: rows.map(({ data }) => data), sent, endpoints });
    rates.push([ours, bare]);
  }
  receiver.child.disconnect();
  return rates;
}

async function bareLoop(
  url: string,
  { bodies, sent, endpoints }: { bodies: readonly string[]; sent: number; endpoints: number },
): Promise<number> {
  const at_once = width * endpoints;
  const pool = new Pool(url, { connections: at_once });
  let next = 0;
  const started_at = performance.now();
  const one = async () => {
    while (next < sent) {
      const body = bodies[next++ % bodies.length] ?? '';
      const response = await pool.request({
        ...{ method: 'POST', path: '/', body },
        headers: { 'content-type': 'application/json' },
      });
      await response.body.dump();
    }
  };
  await Promise.all(Array.from({ length: at_once }, one));
  const rate = (sent / (performance.now() - started_at)) * 1000;
  await pool.close();
  return rate;
}

/** Milliseconds from the commit of a delivery until its first event arrived, at a rate per second. */
async function latencies(folder: string, a_second: number): Promise<number[]> {
  const receiver = await startReceiver('telling');
  const commits = new AsyncLocalStorage<{ at: number }>();
  const { service, client, close } = await open(join(folder, 'latency.db'), (storage) => ({
    ...storage,
    transaction: async (work) => {
      const result = await storage.transaction(work);
      const seen = commits.getStore();
      if (seen !== undefined) seen.at = performance.timeOrigin + performance.now();
      return result;
    },
  }));
  await client.webhooks.create({ body: { url: receiver.url } });
  service.start();
  const committed: { id: string; at: number }[] = [];
  const create = async () => {
    const seen = { at: 0 };
    const { data } = await commits.run(seen, () => client.deliveries.create({ body: delivery }));
    committed.push({ id: data.id, at: seen.at });
  };
  const seconds = 10;
  const making: Promise<void>[] = [];
  const started_at = performance.now();
  for (let index = 0; index < a_second * seconds; index += 1) {
    const wait = started_at + (index * 1000) / a_second - performance.now();
    if (wait > 1) await pause(wait);
    making.push(create());
  }
  await Promise.all(making);
  await pause(2_000);
  receiver.child.send('tell');
  const [{ arrivals }]: [{ arrivals: [string, number][] }] = (await once(receiver.child, 'message')) as [
    { arrivals: [string, number][] },
  ];
  const came = new Map(arrivals);
  const { data } = await client.events.list({ query: { limit: 1 } });
  if (data.data.length === 0) throw new Error('nothing was arrivals');
  const pages = new Map<string, string>();
  for (let cursor: string | undefined; ; ) {
    const page = await client.events.list({ query: { type: 'delivery.created', limit: 100, cursor } });
    for (const event of page.data.data) pages.set(idOf(event.data), event.id);
    if (page.data.next_cursor === null) break;
    cursor = page.data.next_cursor;
  }
  await close();
  receiver.child.disconnect();
  return committed.map(({ id, at }) => (came.get(pages.get(id) ?? '') ?? Number.NaN) - at);
}

const print = printer(40, 12);

/** Prints the tables. */
export async function webhooks(): Promise<void> {
  await inFolder(async (folder) => {
    console.log(`Node ${process.version}, SQLite`);
    print(`${events} events, ${rounds} rounds`, 'a second', 'bare loop', 'ratio');
    for (const endpoints of [1, 10]) {
      const rates = await throughput(folder, endpoints);
      const [ours, bare] = [0, 1].map((at) => median(rates.map((pair) => pair[at] ?? Number.NaN)));
      const ratio = median(rates.map(([a = Number.NaN, b = Number.NaN]) => a / b));
      print(`  ${endpoints} endpoints`, String(ours?.toFixed(0)), String(bare?.toFixed(0)), ratio.toFixed(3));
    }
    print('from commit to arrival', 'p50 ms', 'p99 ms', 'worst ms', 'missing');
    for (const a_second of [20, 100]) {
      const all = await latencies(join(folder), a_second);
      const took = all.filter((ms) => !Number.isNaN(ms));
      const figures = [percentile(took, 50), percentile(took, 99), Math.max(...took)];
      print(
        `  ${a_second} deliveries a second`,
        ...figures.map((ms) => ms.toFixed(1)),
        String(all.length - took.length),
      );
      rmSync(join(folder, 'latency.db'), { force: true });
    }
  });
}

import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { type FakeRequest, fakeHttp } from '../fakes/fake-http.ts';
import { exampleKey, exampleSecret, startExample } from '../fakes/http-courier/example.ts';
import { shopOrder } from '../kills/batch-kinds.ts';
import { numbersFrom } from '../kills/crash-plan.ts';
import { postgresReader, type Reader } from '../kills/database-reader.ts';
import { newServerFiles, type ServerFiles } from '../kills/server-process.ts';
import type { PostgresServer } from '../postgres.ts';
import { type Caller, createCaller } from './caller.ts';
import { metricOf, newAccount } from './evening.ts';
import { startWebhookLog, type WebhookLog } from './webhook-log.ts';
import { startWorkers, type Workers } from './workers.ts';

/** Three workers on one PostgreSQL, with merchants whose orders the courier of the guide carries. */
export interface ReportLoad {
  place: ServerFiles;
  database: Reader;
  workers: Workers;
  log: WebhookLog;
  shops: readonly Shop[];
  posted: Posted;
}

/** An account with a courier of its own. */
interface Shop {
  name: string;
  caller: Caller;
  courier: ExampleCourier;
  batch_id: string;
}

type ExampleCourier = Awaited<ReturnType<typeof startExample>>;

/** What couriers have posted to the workers. */
interface Posted {
  url: string;
  /** The address of each account's courier at the workers. */
  paths: Map<string, string>;
  /** Answers by their status; 0: none. */
  statuses: Record<string, number>;
  durations_ms: number[];
}

/** Makes an account for each name, and dispatches so many orders of each to its courier. */
export async function startReportLoad(
  postgres: PostgresServer,
  { names, orders_each }: { names: readonly string[]; orders_each: number },
): Promise<ReportLoad> {
  const ports: number[] = [];
  let turn = 0;
  const url = () => `http://127.0.0.1:${ports[turn++ % ports.length]}`;
  const posted = await startGateway(url);
  const couriers = new Map<string, ExampleCourier>();
  for (const name of names) {
    const courier = await startExample(undefined, { CALLBACK_URL: `${posted.url}/${name}` });
    onTestFinished(courier.close);
    couriers.set(name, courier);
  }
  const hosts = Object.fromEntries([...couriers].map(([name, courier]) => [hostOf(name), courier.url]));
  const place = newServerFiles(await postgres.newDatabase(), {
    WAYBILL_SECRET_KEY: Buffer.alloc(32, 'reports').toString('base64'),
    WAYBILL_TEST_COURIER_HOSTS: JSON.stringify(hosts),
  });
  const log = await startWebhookLog(names);
  const workers = await startWorkers(place, 3);
  ports.push(...workers.ports);
  const shops: Shop[] = [];
  for (const [name, courier] of couriers) {
    const caller = createCaller(url, (await newAccount(place, name)).key, new Map());
    posted.paths.set(name, await connect(caller, name, log));
    const orders = Array.from({ length: orders_each }, (_, index) => shopOrder(name, index));
    const body = { orders, settings: { mechanism: 'auto', providers: ['http'] } };
    const batch_id = textOf(await caller.post('/v2/orders/create', body, `${name} batch`), 'batch_id');
    shops.push({ name, caller, courier, batch_id });
  }
  const database = postgresReader(place.database);
  await untilComplete(database, shops.length);
  return { place, database, workers, log, shops, posted };
}

function hostOf(name: string): string {
  return `${name}.courier.example`;
}

/** A server that passes what couriers post on to the workers in turn. */
async function startGateway(worker: () => string): Promise<Posted> {
  const paths: Posted['paths'] = new Map();
  const statuses: Posted['statuses'] = {};
  const durations_ms: number[] = [];
  const { url, close } = await fakeHttp(async (request) => {
    const began = performance.now();
    const status = await passOn(request, `${worker()}${paths.get(request.path.slice(1))}`).catch(() => 0);
    durations_ms.push(performance.now() - began);
    statuses[status] = (statuses[status] ?? 0) + 1;
    return status === 0 ? null : { status };
  });
  onTestFinished(close);
  return { url, paths, statuses, durations_ms };
}

async function passOn({ headers, body }: FakeRequest, url: string): Promise<number> {
  const signed = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
    name,
    String(headers[name]),
  ]);
  const response = await fetch(url, {
    ...{ method: 'POST', body },
    headers: { ...Object.fromEntries(signed), 'content-type': 'application/json' },
  });
  await response.text();
  return response.status;
}

/** Connects the courier of an account and subscribes its webhooks; returns the path for the courier's reports. */
async function connect(caller: Caller, name: string, log: WebhookLog): Promise<string> {
  textOf(await caller.post('/v2/webhook_endpoints', { url: log.urlOf(name) }, `${name} endpoint`), 'id');
  const settings = { url: `https://${hostOf(name)}`, api_key: exampleKey, webhook_secret: exampleSecret };
  return new URL(textOf(await caller.put('/v2/couriers/http', { settings }), 'push_url')).pathname;
}

function textOf(answer: { status: number; body: Record<string, unknown> }, field: string): string {
  if (answer.body[field] === undefined) throw new Error(JSON.stringify(answer));
  return String(answer.body[field]);
}

const dispatching_ms = 3_600_000;

async function untilComplete({ rows }: Reader, batches: number): Promise<void> {
  const ends_at = performance.now() + dispatching_ms;
  for (;;) {
    const complete = await rows("select id from batches where status = 'complete'");
    if (complete.length === batches) return;
    if (performance.now() > ends_at) throw new Error(`${complete.length} of ${batches} batches are complete`);
    await pause(200);
  }
}

/** What a courier reports of a delivery without trouble. */
export const life = [
  ...['PICKUP_ONGOING', 'ARRIVED_AT_MERCHANT', 'ORDER_PICKED', 'DELIVERY_ONGOING'],
  ...['ARRIVED_AT_CUSTOMER', 'ORDER_DELIVERED', 'DELIVERY_FINISHED'],
];

export interface Reported extends Pick<Posted, 'statuses' | 'durations_ms'> {
  /** The transactions of all workers meanwhile. */
  commits: number;
  conflicts: number;
}

/** Lets the next event of a random delivery happen, so many times a second, until all are delivered. */
export async function report(load: ReportLoad, reports_per_second: number): Promise<Reported> {
  const { database, shops, posted } = load;
  const chance = numbersFrom(7);
  const bookings = await database.rows<{ key: string; name: string }>(
    'select key, accounts.name from courier_bookings join accounts on accounts.id = account_id order by key',
  );
  const left = bookings.map(({ key, name }) => ({
    url: `${shops.find((shop) => shop.name === name)?.courier.url}/deliveries/${key}/simulate`,
    events: [...life],
  }));
  const commits = await metricOf(load, 'waybill_transactions_total');
  const conflicts = await metricOf(load, 'waybill_transaction_retries_total');
  const began = performance.now();
  let count = 0;
  while (left.length > 0) {
    const index = Math.floor(chance() * left.length);
    const delivery = left[index];
    const event = delivery?.events.shift();
    if (delivery === undefined || event === undefined) {
      left.splice(index, 1);
      continue;
    }
    await simulate(delivery.url, event);
    count += 1;
    await pause(Math.max(0, began + (count * 1_000) / reports_per_second - performance.now()));
  }
  const { statuses, durations_ms } = posted;
  // What a slow machine refuses, or does not answer, couriers send again.
  const answered = () => durations_ms.length - (statuses[503] ?? 0) - (statuses[0] ?? 0);
  while (answered() < count) await pause(100);
  return {
    ...{ statuses, durations_ms },
    commits: (await metricOf(load, 'waybill_transactions_total')) - commits,
    conflicts: (await metricOf(load, 'waybill_transaction_retries_total')) - conflicts,
  };
}

async function simulate(url: string, event: string): Promise<void> {
  // The courier ends idle connections, also as the next request is on its way.
  const headers = { authorization: `Bearer ${exampleKey}`, connection: 'close' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ event }) });
  if (!response.ok) throw new Error(await response.text());
}

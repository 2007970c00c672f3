import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { OrderRequest, OrderSettings } from '../../src/contract/orders.ts';
import type { Outcome } from '../../src/contract/vocabulary.ts';
import { type BatchRecords, readBatchRecords } from './batch-records.ts';
import { type CourierBooks, courierFaults } from './courier-audit.ts';
import { type CourierProcess, startCourierProcess } from './courier-process.ts';
import {
  type Crash,
  crashText,
  creation_points,
  nextCrash,
  numbersFrom,
  order_points,
} from './crash-plan.ts';
import { type Reader, sqliteReader } from './database-reader.ts';
import { type DriverTotals, drive } from './driver-taps.ts';
import { mustRepeat, sendRequest } from './requests.ts';
import { faultsOf, newServerFiles, type ServerFiles, startServerProcess } from './server-process.ts';

export interface CourierKillsPlan {
  kills: number;
  orders: number;
  seed: number;
}

export interface CourierKillsTotals {
  kills: number;
  /** How often the service killed itself, by crash point; `moment`: how often it was killed from outside. */
  deaths: Record<string, number>;
  outcomes: Record<string, number>;
  /** The deliveries that have not failed, by their provider. */
  carried: Record<string, number>;
  /** The sums of what the couriers ask for, with tips, in cents. */
  courier_cents: Record<string, number>;
  drivers: DriverTotals[];
}

interface Batch {
  orders: OrderRequest[];
  settings: OrderSettings;
  key: string;
  /** Null until it is accepted. */
  id: string | null;
}

interface Run extends CourierKillsPlan {
  place: ServerFiles;
  key: string;
  couriers: CourierProcess[];
  /** The paths for the couriers' reports, by courier. */
  push_paths: Record<string, string>;
  database: Reader;
  batches: Batch[];
  /** The service that answers now. */
  url: string | null;
  isOver: boolean;
  chance: () => number;
  totals: CourierKillsTotals;
}

/** A process is killed this long after it was ready if it has not killed itself. */
const life_ms = 1_600;
/** All work must be done this long after the last kill. */
const settling_ms = 120_000;

/** The own drivers first; each courier is the second in every other batch. */
const preferences = [
  ['fleet', 'uber-direct', 'doordash-drive'],
  ['fleet', 'doordash-drive', 'uber-direct'],
];
const retries = { mechanism: 'auto', retry_window: 3_600, retry_interval: 10 } as const;

/** Failures that the couriers play; the pictures of their proofs are at no address. */
const disturbances =
  /doordash-static\.example |(openapi\.doordash\.com|api\.uber\.com) (has failed repeatedly|did not answer: other side closed|answered 50[02])/;

/** A shop's evening: orders come in while the service is killed again and again, and must all be carried once. */
export async function runCourierKills(plan: CourierKillsPlan): Promise<CourierKillsTotals> {
  const run = await startRun(plan);
  const { totals, couriers } = run;
  const driving = run.drivers.map((path, index) =>
    drive(path, { name: `driver-${index}`, url: () => run.url, isOver: () => run.isOver }),
  );
  for (const courier of couriers) courier.disturb(true);
  while (totals.kills < plan.kills) await runLife(run);
  for (const courier of couriers) courier.disturb(false);
  await settle(run);
  run.isOver = true;
  totals.drivers = await Promise.all(driving);
  await check(run);
  return totals;
}

async function startRun(plan: CourierKillsPlan): Promise<Run & { drivers: string[] }> {
  const couriers = [await startCourierProcess('uber-direct'), await startCourierProcess('doordash-drive')];
  const hosts = Object.assign({}, ...couriers.map(({ service }) => service.hosts));
  const place = newServerFiles(undefined, { WAYBILL_TEST_COURIER_HOSTS: JSON.stringify(hosts) });
  const server = startServerProcess(place, null);
  const ready = await server.ready;
  if (ready?.keys == null) throw new Error('the first process printed no keys');
  const key = ready.keys.test;
  const call = async (method: string, path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const response = await fetch(ready.url + path, { method, headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    return JSON.parse(text);
  };
  const push_paths: Record<string, string> = {};
  for (const { name, service } of couriers) {
    const { push_url } = await call('PUT', `/v2/couriers/${name}`, { settings: service.settings });
    push_paths[name] = new URL(String(push_url)).pathname;
  }
  await call('PATCH', '/v2/account', { fleet: { per_delivery: 450, per_mile: 35, ask_pin: false } });
  const drivers: string[] = [];
  for (const [index, name] of ['Sam Lee', 'Kim Roe', 'Pat Yu'].entries()) {
    const driver = await call('POST', '/v2/drivers', { name, phone_number: `+1312222000${index}` });
    drivers.push(new URL(String(driver.link)).pathname);
  }
  await server.kill();
  return {
    ...plan,
    ...{ place, key, couriers, push_paths, drivers, url: null, isOver: false },
    database: sqliteReader(place.database),
    batches: batchesOf(plan),
    chance: numbersFrom(plan.seed),
    totals: { kills: 0, deaths: {}, outcomes: {}, carried: {}, courier_cents: {}, drivers: [] },
  };
}

/** As many batches as lives, so that each life brings new orders. */
function batchesOf({ kills, orders }: CourierKillsPlan): Batch[] {
  const size = Math.ceil(orders / kills);
  return Array.from({ length: Math.ceil(orders / size) }, (_, number) => ({
    orders: Array.from({ length: Math.min(size, orders - number * size) }, (__, place) =>
      orderOf(number * size + place),
    ),
    settings: {
      ...retries,
      quote_preference: 'preferred' as const,
      providers: preferences[number % preferences.length] ?? [],
    },
    key: randomUUID(),
    id: null,
  }));
}

/** Each recipient has a phone number of their own, by which couriers' bookings are counted. */
function orderOf(number: number): OrderRequest {
  return {
    pickup_address: `${40 + (number % 60)} E Ohio St, Chicago, IL 60611`,
    pickup_name: 'Pizza & Friends',
    pickup_phone_number: '+13122220199',
    dropoff_address: `${200 + number} S Wacker Dr, Chicago, IL 60606`,
    dropoff_unit: 'A'.repeat(1 + (number % 17)),
    dropoff_name: `Recipient ${number}`,
    dropoff_phone_number: `+1312223${String(1000 + number)}`,
    items: [{ name: 'Brisket Classic', quantity: 2, size: 'small' }],
    external_order_ref: `evening-${number}`,
    ...(number % 3 === 0 ? { tip: 100 + number } : {}),
  };
}

/** One process from its start to its death by a crash point or from outside. */
async function runLife(run: Run): Promise<void> {
  const { totals, chance } = run;
  const points = [...order_points, ...creation_points];
  const death: Crash = nextCrash(totals.kills, { points, most: 8 }, chance);
  const server = await begin(run, crashText(death));
  if (server !== null) {
    const after_ms = 'at' in death ? life_ms : death.after_ms * 2;
    await Promise.race([
      server.death,
      pause(after_ms),
      sendBatches(run, server.isOver).then(() => server.death),
    ]);
    run.url = null;
    await server.kill();
  }
  totals.kills += 1;
  const isOurs = server === null ? false : (await server.death).isOurs;
  const how = 'at' in death && !isOurs ? death.at : 'moment';
  totals.deaths[how] = (totals.deaths[how] ?? 0) + 1;
}

/** Starts the service, to which couriers and drivers turn at once; null if it dies before it is ready. */
async function begin(run: Run, crash_at: string | null) {
  const server = startServerProcess(run.place, crash_at);
  const ready = await server.ready;
  if (ready === null) {
    await server.death;
    return null;
  }
  for (const courier of run.couriers) courier.reportTo(`${ready.url}${run.push_paths[courier.name]}`);
  run.url = ready.url;
  return server;
}

/** Sends the batches that are due: one more in each life. */
async function sendBatches(run: Run, isOver: () => boolean): Promise<void> {
  const due = run.batches.slice(0, run.totals.kills + 1).filter(({ id }) => id === null);
  for (const batch of due) {
    while (batch.id === null && !isOver() && run.url !== null) {
      const { orders, settings } = batch;
      const body = { orders, settings };
      const request = {
        method: 'POST',
        path: '/v2/orders/create',
        body,
        idempotency_key: batch.key,
      } as const;
      const answered = await sendRequest(run.url, run.key, request);
      if (mustRepeat(answered)) await pause(20);
      else if (answered?.status === 202) batch.id = idOf(answered.body);
      else throw new Error(`a batch was answered ${JSON.stringify(answered)}`);
    }
  }
}

function idOf(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('batch_id' in body)) throw new Error('no batch_id');
  return String(body.batch_id);
}

/** A process without a kill finishes everything. */
async function settle(run: Run): Promise<void> {
  const server = await begin(run, null);
  if (server === null) throw new Error('the last process died');
  await sendBatches(run, server.isOver);
  const ends_at = performance.now() + settling_ms;
  for (;;) {
    const left = await remainingWork(run);
    if (left === null) break;
    if (performance.now() > ends_at) throw new Error(`not complete in time: ${JSON.stringify(left)}`);
    await pause(200);
  }
  run.url = null;
  await server.kill();
}

/** Batches without an outcome, deliveries on their way, and reports that are not accepted; null if there are none. */
async function remainingWork({ database, couriers }: Run) {
  const batches = await database.rows<{ id: string }>("select id from batches where status <> 'complete'");
  const deliveries = await database.rows<{ service: string; status: string; count: number }>(
    `select service, status, count(*) as count from deliveries
     where status not in ('delivered', 'returned', 'failed') group by service, status`,
  );
  const reports: Record<string, number> = {};
  for (const courier of couriers) reports[courier.name] = (await courier.bookings()).open_reports;
  const isDone = Object.values(reports).every((count) => count === 0);
  if (batches.length === 0 && deliveries.length === 0 && isDone) return null;
  const tasks = await database.rows(
    'select kind, count(*) as count, min(due_at) as due_at, max(attempts) as attempts from tasks group by kind',
  );
  const failed = await database.rows('select kind, subject, error from failed_tasks');
  return { batches: batches.length, deliveries, reports, tasks, failed, now: Date.now() };
}

/** The service is stopped while the records are read, so that nothing changes. */
async function check(run: Run): Promise<void> {
  const { database, place, totals } = run;
  const couriers: CourierBooks[] = [];
  for (const { name, bookings } of run.couriers) couriers.push({ name, ...(await bookings()) });
  const known = await database.rows<{ id: string }>('select id from batches');
  expect(known.map(({ id }) => id).sort()).toEqual(run.batches.map(({ id }) => id).sort());
  const all: BatchRecords[] = [];
  for (const { id } of known) all.push(await readBatchRecords(database, sqliteReader(place.books), id));
  expect(await database.rows('select kind, subject from failed_tasks')).toEqual([]);
  expect(all.flatMap(({ orders }) => orders)).toHaveLength(run.orders);
  expect(all.flatMap((records) => courierFaults(records, couriers))).toEqual([]);
  for (const { entries, deliveries } of all) {
    for (const { status } of entries) count(totals.outcomes, status);
    for (const { service, status } of deliveries)
      if (status !== 'failed') count(totals.carried, service ?? '');
  }
  for (const { name, bookings } of couriers) {
    const carried = bookings.filter(({ state }) => state !== 'canceled');
    totals.courier_cents[name] = carried.reduce((sum, { cost, tip }) => sum + cost + tip, 0);
  }
  expect(faultsOf(place).filter((fault) => !disturbances.test(fault))).toEqual([]);
}

function count(counts: Record<string, number>, name: Outcome | string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

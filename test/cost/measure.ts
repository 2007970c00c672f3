import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { realTimers, type Timers, wallClock } from '../../src/service/runtime/time.ts';
import { batchMade, type Fixture, orderMade, orderRequest, startFixture } from '../service/fixture.ts';
import { couriers } from '../service/remote-couriers.ts';
import { type Cost, countStatements } from './count-statements.ts';

const orders_in_batch = 100;

/** The statements and transactions of one order or call, and the bytes of a delivered delivery. */
export interface Counted {
  statements: number;
  transactions: number;
}

const minute_ms = 60_000;
const longest_minutes = 180;

/**
 * How the orders are executed: minute by minute by a worker, the same with couriers that are reached over the network and
 * answer at once (`remote`) or after 20 to 120 ms (`slow`), or within one advance of the sandbox clock.
 */
type Passing = 'minutes' | 'remote' | 'slow' | 'advance';

/** Sends a batch and passes time until every order of it is delivered; counts from the first task. */
export async function batchCost(
  location: string,
  passing: Passing,
  orders = orders_in_batch,
): Promise<Counted & { cost: Cost }> {
  const isRemote = passing === 'remote' || passing === 'slow';
  let calls = 0;
  const answer = async () => {
    calls += 1;
    if (passing === 'slow') await pause(20 + ((calls * 37) % 100));
  };
  const providersOf = () => couriers(() => isRemote, answer);
  const fixture = await startFixture({ location, ...(isRemote ? { providersOf } : {}) });
  try {
    await warm(fixture);
    const batch_id = await newBatch(fixture, 'counted', orders);
    const advance = () => fixture.client().clock.advance({ body: { drain: true } });
    const cost = await countStatements(async () => {
      await (passing === 'advance' ? advance() : deliverAll(fixture, batch_id));
    });
    const share = (number: number) => number / orders;
    return { statements: share(cost.statements), transactions: share(cost.transactions), cost };
  } finally {
    await fixture.storage.close();
  }
}

/** Delivers a small batch before the count, so that work done once per process is not counted. */
async function warm(fixture: Fixture): Promise<void> {
  await deliverAll(fixture, await newBatch(fixture, 'warm', 2));
}

async function newBatch(fixture: Fixture, prefix: string, count = orders_in_batch): Promise<string> {
  const orders = Array.from({ length: count }, (_, index) =>
    orderRequest({
      external_order_ref: `${prefix}-${index}`,
      dropoff_address: `${100 + index} S Wacker Dr, Chicago, IL 60606`,
    }),
  );
  const body = { orders, settings: { mechanism: 'auto' as const } };
  return (await batchMade(fixture.client().orders.create({ body }))).batch_id;
}

async function deliverAll(fixture: Fixture, batch_id: string): Promise<void> {
  for (let minute = 0; minute < longest_minutes; minute += 1) {
    await fixture.pass(minute_ms);
    if ((await activeIn(fixture, batch_id)) === 0) return;
  }
  throw new Error(`the batch is not delivered after ${longest_minutes} minutes`);
}

/** The number of orders of a batch that are not delivered. */
async function activeIn({ storage }: Fixture, batch_id: string): Promise<number> {
  const row = await storage.run((db) =>
    db
      .selectFrom('orders')
      .leftJoin('deliveries', 'deliveries.id', 'orders.delivery_id')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('orders.batch_id', '=', batch_id)
      .where(({ or, eb }) =>
        or([eb('deliveries.status', 'is', null), eb('deliveries.status', '<>', 'delivered')]),
      )
      .executeTakeFirstOrThrow(),
  );
  return row.count;
}

/** One call that creates a delivery and dispatches it. */
export async function initiateCost(location: string): Promise<Counted & { cost: Cost }> {
  const fixture = await startFixture({ location, isSeeded: false });
  try {
    await warm(fixture);
    const create = async () => {
      await fixture.client().deliveries.create({ body: { ...orderRequest(), initiate: true } });
    };
    await create();
    const cost = await countStatements(create);
    return { statements: cost.statements, transactions: cost.transactions, cost };
  } finally {
    await fixture.storage.close();
  }
}

/** Requests sent at once that each create a manual order, with an idempotency key each; counts all of them. */
export async function orderCost(location: string, requests: number): Promise<Counted & { cost: Cost }> {
  const fixture = await startFixture({ location, isSeeded: false });
  try {
    await warm(fixture);
    const create = async (key: string) => {
      const body = { orders: [orderRequest()] };
      const headers = { 'idempotency-key': key };
      const { status } = await fixture.send('POST', '/v2/orders/create', { body, headers });
      if (status !== 200) throw new Error(`an order was answered with ${status}`);
    };
    await create('warm');
    const keys = Array.from({ length: requests }, (_, index) => `counted-${index}`);
    const cost = await countStatements(async () => {
      await Promise.all(keys.map(create));
    });
    return { statements: cost.statements, transactions: cost.transactions, cost };
  } finally {
    await fixture.storage.close();
  }
}

/** The statements a second of a service whose loops run and that has nothing to do. */
export async function idleCost(location: string, seconds: number): Promise<Counted & { cost: Cost }> {
  const fixture = await startFixture({
    location,
    isSeeded: false,
    parts: { clock: wallClock, wall: wallClock, timers: realTimers },
  });
  try {
    await orderMade(fixture.client().orders.create({ body: { orders: [orderRequest()] } }));
    fixture.service.start();
    await pause(2_500);
    const cost = await countStatements(() => pause(seconds * 1_000));
    await fixture.service.stop();
    return {
      statements: cost.statements / seconds,
      transactions: cost.transactions / seconds,
      cost,
    };
  } finally {
    await fixture.storage.close();
  }
}

/** The loops of the background work. */
const loops = 4;

/** The cost of an idle service on a clock and timers that the test advances, counted after the first ten seconds. */
export async function passIdle(location: string, seconds: number): Promise<Cost> {
  const step_ms = 100;
  let now = wallClock.now();
  const waiting = new Map<() => void, number>();
  const clock = { now: () => now };
  const timers: Timers = {
    ...realTimers,
    after: (delay_ms, wake) => {
      waiting.set(wake, now + delay_ms);
      return () => waiting.delete(wake);
    },
  };
  const pass = async (ms: number) => {
    for (const end = now + ms; now < end; ) {
      now += step_ms;
      for (const [wake, due_at] of waiting) {
        if (due_at > now) continue;
        waiting.delete(wake);
        wake();
      }
      // A loop that is not waiting still works, for as long as the machine takes; other work takes a few turns.
      for (let turns = 0; turns < 5 || waiting.size < loops; turns += 1) await realTimers.turn();
    }
  };
  const parts = { clock, wall: clock, monotonic: clock, timers };
  const fixture = await startFixture({ location, parts, isSeeded: false });
  try {
    await orderMade(fixture.client().orders.create({ body: { orders: [orderRequest()] } }));
    fixture.service.start();
    // Its code is loaded first, which takes real time.
    while (waiting.size < loops) await realTimers.turn();
    await pass(10_000);
    const cost = await countStatements(() => pass(seconds * 1_000));
    await fixture.service.stop();
    return cost;
  } finally {
    await fixture.storage.close();
  }
}

/** The bytes of the database that one delivered order of a batch adds, with indexes. */
export async function bytesOfDelivery(
  location: string,
): Promise<{ bytes: number; tables: [string, number][] }> {
  const fixture = await startFixture({ location, isSeeded: false });
  try {
    await warm(fixture);
    const before = await sizeOf(location);
    await deliverAll(fixture, await newBatch(fixture, 'counted'));
    const after = await sizeOf(location);
    const tables = [...after].map(([name, bytes]): [string, number] => [
      name,
      Math.round((bytes - (before.get(name) ?? 0)) / orders_in_batch),
    ]);
    tables.sort(([, a], [, b]) => b - a);
    return { bytes: tables.reduce((sum, [, bytes]) => sum + bytes, 0), tables };
  } finally {
    await fixture.storage.close();
  }
}

async function sizeOf(location: string): Promise<Map<string, number>> {
  return location.startsWith('postgres') ? postgresSize(location) : sqliteSize(location);
}

async function postgresSize(connectionString: string): Promise<Map<string, number>> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query('vacuum full');
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `select relname as name, pg_total_relation_size(oid) as bytes from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  await client.end();
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

/** The size of a vacuumed copy; a file does not know the sizes of its tables without an extension. */
async function sqliteSize(file: string): Promise<Map<string, number>> {
  const copy = `${file}-${process.hrtime.bigint()}`;
  const database = new DatabaseSync(file);
  database.exec(`vacuum into '${copy}'`);
  database.close();
  return new Map([['file', statSync(copy).size]]);
}

import { sql } from 'kysely';
import type { Answer } from '../../src/client/answers.ts';
import { type Client, createClient } from '../../src/client/client.ts';
import type { AcceptedBatch } from '../../src/contract/batches.ts';
import type { Transport, WireResponse } from '../../src/contract/operation.ts';
import type { Order, OrderRequest } from '../../src/contract/orders.ts';
import { createFirstAccount } from '../../src/service/accounts/create-account.ts';
import type { ServiceConfig } from '../../src/service/runtime/context.ts';
import { createSealing } from '../../src/service/runtime/sealing.ts';
import { keysInMemory } from '../../src/service/runtime/secret-keys.ts';
import { systemConfig } from '../../src/service/runtime/system.ts';
import { realTimers } from '../../src/service/runtime/time.ts';
import { createService, type Service } from '../../src/service/service.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { newDatabase, openInMemory } from '../databases.ts';

/** A time in the past, independent of the real clock. */
export const start = Date.parse('2026-03-02T12:00:00.000Z');

export interface Fixture {
  service: Service;
  storage: Storage;
  keys: { test: string; live: string };
  /** A client with the given key, by default the test key. */
  client: (key?: string) => Client;
  /** Sends one raw request, with the test key unless the headers set another. */
  send: (method: string, path: string, options?: SendOptions) => Promise<WireResponse>;
  now: () => number;
  /** Passes service time and runs what became due, with this service or another one's `tick`. */
  pass: (ms: number, tick?: () => Promise<unknown>) => Promise<void>;
  /** Lets wall time pass. */
  passWall: (ms: number) => void;
  /** The errors that the service hid from its callers. */
  faults: unknown[];
  /** The parts of the service: another service with them acts as another process on the same database. */
  config: ServiceConfig;
}

export interface SendOptions {
  /** Text is sent unchanged, anything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** What a request waits at most for due work, as the service sets it. */
const request_wait_ms = 2_000;

/** Real timers, but a request waits for due work until it is done, for which a busy machine needs longer. */
export const patientTimers: ServiceConfig['timers'] = {
  ...realTimers,
  after: (ms, wake) => realTimers.after(ms === request_wait_ms ? 100 * ms : ms, wake),
};

/** A service on a new database with clocks that stand still until they are advanced. */
export async function startFixture(
  options: {
    location?: string;
    parts?: Partial<ServiceConfig>;
    providersOf?: (config: ServiceConfig) => ServiceConfig['providers'];
    sandbox?: boolean;
    /** Whether PostgreSQL has the clock of its server instead of the wall clock of the test. */
    hasServerClock?: boolean;
    /** Whether random decisions repeat from run to run, which costs a statement for each order. */
    isSeeded?: boolean;
  } = {},
): Promise<Fixture> {
  let now = start;
  let wall = start;
  const location = options.location ?? (await usualLocation());
  const storage = await (location === ':memory:' ? openInMemory() : openStorage(location));
  // A server whose clock is that of the test, which tests of several workers set.
  if (storage.engine === 'postgres' && options.hasServerClock !== true) {
    const clock = options.parts?.wall ?? { now: () => wall };
    storage.serverTime = async () => clock.now();
  }
  const faults: unknown[] = [];
  const config: ServiceConfig = {
    ...systemConfig(storage, { sealing: createSealing(keysInMemory()) }),
    clock: { now: () => now },
    wall: { now: () => wall },
    monotonic: options.parts?.wall ?? { now: () => wall },
    ...((options.isSeeded ?? true) && { seed: 'fixture' }),
    sandbox: options.sandbox ?? true,
    loopback_webhooks: (options.sandbox ?? true) ? 'allowed' : 'refused',
    publicUrl: 'https://shop.example',
    onFault: (fault) => faults.push(fault),
    ...options.parts,
  };
  if (options.providersOf !== undefined) config.providers = options.providersOf(config);
  const keys = await createFirstAccount(config);
  if (keys === null) throw new Error('the storage of a fixture must be new');
  const service = createService(config);
  return {
    service,
    storage,
    keys,
    faults,
    config,
    client: (key = keys.test) => clientOf(service, key),
    send: sendTo(service, keys.test),
    now: () => now,
    pass: async (ms, tick = service.tick) => {
      now += ms;
      await tick();
    },
    passWall: (ms) => {
      wall += ms;
    },
  };
}

/** A service on a new database, and a client with its test key. */
export async function startClient(options: Parameters<typeof startFixture>[0] = {}) {
  const fixture = await startFixture(options);
  return { fixture, client: fixture.client() };
}

/** With `--mode postgres` all fixtures are on PostgreSQL. */
async function usualLocation(): Promise<string> {
  return process.env.FIXTURE_ENGINE === 'postgres' ? newDatabase() : ':memory:';
}

/** Sends raw requests to one of several services. */
export function sendTo(service: { fetch: Transport }, key: string): Fixture['send'] {
  return (method, path, { body, headers } = {}) =>
    service.fetch({
      method,
      path,
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      body: body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body),
    });
}

let keyCount = 0;

/** A client of one of several services. */
export function clientOf(service: { fetch: Transport }, apiKey: string | null): Client {
  return createClient({
    transport: service.fetch,
    apiKey,
    sleep: async () => {},
    wallNow: () => start,
    chance: () => 0.5,
    newIdempotencyKey: () => `key-${++keyCount}`,
    userAgent: 'test',
  });
}

/** The default order. */
export function orderRequest(changes: Partial<OrderRequest> = {}): OrderRequest {
  return {
    pickup_address: '43 E Ohio St, Chicago, IL 60611',
    pickup_name: 'Pizza & Friends',
    pickup_phone_number: '+13125550100',
    dropoff_address: '233 S Wacker Dr, Chicago, IL 60606',
    dropoff_name: 'Dana Whitfield',
    dropoff_phone_number: '+13125550142',
    items: [{ name: 'Brisket Classic', quantity: 4, size: 'small' }],
    ...changes,
  };
}

/** A draft route of new orders, one per request. */
export async function draftRoute(client: Client, requests: readonly OrderRequest[] = [orderRequest()]) {
  const order_ids: string[] = [];
  for (const request of requests) {
    const { data } = await orderMade(client.orders.create({ body: { orders: [request] } }));
    order_ids.push(data.id);
  }
  const { data } = await client.routes.create({ body: { order_ids } });
  return data;
}

/** The quotes of a route, once every courier has responded. */
export async function quotesOf(fixture: Fixture, route_id: string, client: Client = fixture.client()) {
  await client.quotes.request({ params: { route_id } });
  await fixture.pass(5_000);
  const { data } = await client.quotes.list({ params: { route_id } });
  return data.data ?? [];
}

/** Dispatches a new route of these orders with the quote of a provider, by default the first. */
export async function dispatchRoute(
  fixture: Fixture,
  {
    requests = [orderRequest()],
    provider,
    client = fixture.client(),
    driver_id,
  }: {
    requests?: readonly OrderRequest[];
    provider?: string | undefined;
    client?: Client;
    driver_id?: string;
  } = {},
) {
  const params = { route_id: (await draftRoute(client, requests)).id };
  const quotes = await quotesOf(fixture, params.route_id, client);
  const quote = quotes.find((each) => provider === undefined || each.provider === provider);
  if (quote === undefined) throw new Error(`no quote of ${provider}: ${JSON.stringify(quotes)}`);
  const body = { quote_id: quote.id, ...(driver_id !== undefined && { driver_id }) };
  const { data: route } = await client.dispatches.create({ params, body });
  return { route, quote, deliveries: route.deliveries };
}

/** All rows of the database as JSON, with the names of their tables. */
export async function everythingStored({ storage }: Pick<Fixture, 'storage'>): Promise<string> {
  return storage.run(async (db) => {
    const rows: unknown[] = [];
    for (const { name } of await db.introspection.getTables())
      rows.push(name, (await sql`select * from ${sql.table(name)}`.execute(db)).rows);
    return JSON.stringify(rows);
  });
}

/** The result of manual dispatch: an order. */
export async function orderMade(making: Promise<Answer<Order | AcceptedBatch>>): Promise<Answer<Order>> {
  const { data, ...rest } = await making;
  if (data.object !== 'order') throw new Error('a batch was made instead of an order');
  return { ...rest, data };
}

/** The result of auto dispatch: a batch. */
export async function batchMade(making: Promise<Answer<Order | AcceptedBatch>>): Promise<AcceptedBatch> {
  const { data } = await making;
  if (data.object !== 'batch') throw new Error('an order was made instead of a batch');
  return data;
}

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Client, createClient } from '../../../src/client/client.ts';
import { httpTransport } from '../../../src/client/http.ts';
import type { Transport } from '../../../src/contract/operation.ts';
import { isScenario, scenarioNames } from '../../../src/domain/scenarios.ts';
import { openEmbedded } from '../../../src/service/embedded.ts';
import { realTimers } from '../../../src/service/runtime/time.ts';
import { startServer } from '../../../src/service/server.ts';
import type { EventRow } from '../../../src/storage/database.ts';
import { openStorage } from '../../../src/storage/open-storage.ts';
import { newDatabase } from '../../databases.ts';
import { oneOf } from '../../in-part.ts';
import { temporaryFolder } from '../../storage/folder.ts';
import { auto, withScenario } from '../auto-dispatch/batches.ts';
import { eventRows } from '../event-rows.ts';
import { batchMade, orderMade, orderRequest, start } from '../fixture.ts';

/** A stopped clock: no advance exceeds the time limit of a response, even on a slow machine. */
const parts = { clock: { now: () => start }, monotonic: { now: () => 0 } };

/** A client whose writes have idempotency keys by their position in the scenario. */
function clientOn(transport: Transport, apiKey: string | null): Client {
  let count = 0;
  return createClient({
    transport,
    apiKey,
    sleep: async () => {},
    wallNow: () => start,
    chance: () => 0.5,
    newIdempotencyKey: () => `runScenario-${++count}`,
    userAgent: 'test',
  });
}

/** Both flows, a route of three, and scenarios in auto dispatch: the same writes and clock advances each time. */
async function runScenario(client: Client): Promise<string> {
  const results: unknown[] = [];
  const advance = async (body: { by: number } | { drain: true }) => {
    for (;;) {
      const { data } = await client.clock.advance({ body });
      results.push(data.events);
      if (!data.more) return;
    }
  };
  await client.clock.set({ body: { mode: 'manual' } });
  const order_ids: string[] = [];
  for (const dropoff_phone_number of ['+13125550142', '+13125550136', '+13125550113']) {
    const body = { orders: [orderRequest({ dropoff_phone_number })] };
    order_ids.push((await orderMade(client.orders.create({ body }))).data.id);
  }
  const params = { route_id: (await client.routes.create({ body: { order_ids } })).data.id };
  await client.quotes.request({ params });
  await advance({ by: 10 });
  const [quote] = (await client.quotes.list({ params })).data.data ?? [];
  await client.dispatches.create({ params, body: { quote_id: quote?.id ?? '' } });
  for (const scenario of ['happy_path', 'customer_refused', 'payment_declined']) {
    const headers = { 'x-simulation': scenario };
    await client.deliveries.create({ body: { ...orderRequest(), initiate: true }, headers });
  }
  const scenarios = scenarioNames.filter(isScenario).filter(oneOf(3));
  const orders = scenarios.map((scenario) => orderRequest(withScenario(scenario)));
  const settings = auto({ retry_window: 600, retry_interval: 300 });
  results.push(await batchMade(client.orders.create({ body: { orders, settings } })));
  await advance({ by: 1800 });
  await advance({ drain: true });
  return JSON.stringify(results);
}

/** The whole stored log; the account's id differs between databases and is removed. */
async function logOf(location: string): Promise<string> {
  const storage = await openStorage(location);
  const rows = await storage.run(eventRows);
  await storage.close();
  const shown = ({ id, type, delivery_id, sequence, data, created_at }: EventRow) => ({
    ...{ id, type, delivery_id, sequence, data, created_at },
  });
  return JSON.stringify(rows.map(shown), null, 1);
}

async function embedded(seed: string, file: string) {
  const keys: string[] = [];
  const keep = async (key: string) => void keys.push(key);
  const opened = await openEmbedded({
    file,
    key: null,
    ownKey: { read: () => keys.at(-1) ?? null, keep },
    parts: { ...parts, seed },
  });
  const results = await runScenario(clientOn(opened.transport, null));
  await opened.close();
  return { results, log: await logOf(file) };
}

async function served(seed: string, database: string) {
  const place = { host: '127.0.0.1', port: 0, database, publicUrl: null, sandbox: true };
  const server = await startServer({ ...place, seed, log: () => {}, parts: { ...parts, seed } });
  const http = httpTransport({
    baseUrl: server.url,
    requestTimeout_ms: 60_000,
    timer: realTimers.after,
    environment: {},
  });
  const results = await runScenario(clientOn(http, server.keys?.test ?? ''));
  await http.close();
  await server.stop();
  return { results, log: await logOf(database) };
}

test('one seed gives the same event log: embedded on SQLite, and over HTTP on PostgreSQL', async () => {
  const first = await embedded('7', join(temporaryFolder(), 'first.db'));
  expect(first.log.length).toBeGreaterThan(100_000);
  expect(first.log).toContain('"delivery.updated"');
  expect(first.log).toContain('"batch.completed"');
  const other = await served('7', await newDatabase());
  expect(other.results).toBe(first.results);
  expect(other.log).toBe(first.log);
});

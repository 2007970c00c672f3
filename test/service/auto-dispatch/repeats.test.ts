import { expect, test } from 'vitest';
import type { OrderRequest, OrderSettings } from '../../../src/contract/orders.ts';
import { type Fixture, startClient } from '../fixture.ts';
import { attemptsOf, batchNow, eventsOf, farAway, newBatch } from './batches.ts';

const interval_ms = 60_000;
const settings = { retry_interval: 60, retry_window: 7200 };

/** What auto dispatch writes for each attempt. */
const tables = ['tries', 'jobs', 'quotes', 'quote_declines', 'events', 'tasks'] as const;

async function rowsIn({ storage }: Fixture) {
  const counts = await storage.run((db) =>
    Promise.all(
      tables.map(async (table) => {
        const rows = await db.selectFrom(table).selectAll().execute();
        return [table, rows.length] as const;
      }),
    ),
  );
  return Object.fromEntries(counts);
}

/** Lets a number of attempts start and end. */
async function passAttempts(fixture: Fixture, count: number) {
  for (let made = 0; made < count; made += 1) await fixture.pass(interval_ms);
}

/** The attempts of the only order of a batch in short: the number, its repetitions, and the minute of the last. */
async function shownAttempts({ client }: Awaited<ReturnType<typeof startClient>>, batch_id: string) {
  const batch = await batchNow(client, batch_id);
  const tries = await attemptsOf(client, batch.orders[0]?.order_id ?? '');
  const minuteOf = (at: string | null) =>
    at === null ? null : (Date.parse(at) - Date.parse(batch.created_at)) / 60_000;
  return tries.map(({ number, repeats, created_at, last_at }) => [
    ...[number, minuteOf(created_at), repeats, minuteOf(last_at)],
  ]);
}

/** Orders that no courier takes, with what tells one answer from another. */
const hopeless: Readonly<Record<string, { order: Partial<OrderRequest>; more?: Partial<OrderSettings> }>> = {
  'declined by every courier': { order: farAway },
  'quoted above the limit': { order: {}, more: { max_cost: 1 } },
  'for no courier that is asked': { order: {}, more: { providers: ['metrobike'], max_cost: 1 } },
};

test.each(Object.entries(hopeless))(
  'twenty attempts of an order %s leave the rows of one, and are counted',
  async (_, { order, more = {} }) => {
    const started = await startClient();
    const { fixture, client } = started;
    const id = await newBatch(client, [order], { ...settings, ...more });
    await fixture.pass(10_000);
    const before = await rowsIn(fixture);
    const reason = (await batchNow(client, id)).orders[0]?.reason;
    await passAttempts(fixture, 19);
    expect(await rowsIn(fixture)).toEqual(before);
    expect(await shownAttempts(started, id)).toEqual([[1, 0, 19, 19]]);
    const batch = await batchNow(client, id);
    expect(batch.orders[0]).toMatchObject({ attempts: 20, status: 'pending', reason });
    const next = new Date(Date.parse(batch.created_at) + 20 * interval_ms).toISOString();
    expect(batch.orders[0]?.next_attempt_at).toBe(next);
    expect(await eventsOf(fixture, 'route_quotes.completed')).toHaveLength(1);
  },
);

test('an attempt with another answer has a record and an event of its own, also where the first answer returns', async () => {
  const started = await startClient();
  const { fixture, client } = started;
  const id = await newBatch(client, [farAway], settings);
  await fixture.pass(10_000);
  await passAttempts(fixture, 2);
  const params = { name: 'swiftly' };
  await client.sandbox.updateProvider({ params, body: { state: 'down' } });
  await passAttempts(fixture, 2);
  await client.sandbox.updateProvider({ params, body: { state: 'up' } });
  await passAttempts(fixture, 3);
  expect(await shownAttempts(started, id)).toEqual([
    [1, 0, 2, 2],
    [4, 3, 1, 4],
    [6, 5, 2, 7],
  ]);
  expect(await eventsOf(fixture, 'route_quotes.completed')).toHaveLength(3);
  expect((await batchNow(client, id)).orders[0]?.attempts).toBe(8);
});

test('the quotes of a route are those of the last attempt', async () => {
  const { fixture, client } = await startClient();
  const id = await newBatch(client, [{}], { ...settings, max_cost: 1 });
  await fixture.pass(10_000);
  const { order_id = '' } = (await batchNow(client, id)).orders[0] ?? {};
  const { route_id } = (await client.orders.get({ params: { order_id } })).data;
  const quotes = async () =>
    (await client.quotes.list({ params: { route_id: route_id ?? '' } })).data.data ?? [];
  const first = await quotes();
  await passAttempts(fixture, 3);
  const last = await quotes();
  expect(last).toHaveLength(first.length);
  expect(last.filter(({ id: quote_id }) => first.some((each) => each.id === quote_id))).toEqual([]);
});

test('a quote that has initiated a delivery stays when its attempt is only counted', async () => {
  const { fixture, client } = await startClient();
  const id = await newBatch(client, [{}], { ...settings, max_cost: 1 });
  await fixture.pass(10_000);
  await fixture.storage.run((db) => db.updateTable('quotes').set({ used_at: fixture.now() }).execute());
  const used = (await rowsIn(fixture)).quotes ?? 0;
  await passAttempts(fixture, 3);
  expect(await rowsIn(fixture)).toMatchObject({ tries: 1, quotes: 2 * used });
  expect((await batchNow(client, id)).orders[0]?.attempts).toBe(4);
});

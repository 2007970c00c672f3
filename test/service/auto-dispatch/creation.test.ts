import { describe, expect, test } from 'vitest';
import { insertBatchOrders } from '../../../src/storage/batches.ts';
import { type Fixture, orderRequest, startClient, startFixture } from '../fixture.ts';
import { auto, batchNow, farAway, newBatch } from './batches.ts';

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => orderRequest({ external_order_ref: `R-${index}` }));

const tables = [
  ...(['orders', 'batches', 'batch_orders', 'tasks', 'idempotency_keys', 'events', 'routes'] as const),
];

async function rowCount(fixture: Fixture): Promise<number> {
  let count = 0;
  for (const table of tables) {
    count += (await fixture.storage.run((db) => db.selectFrom(table).selectAll().execute())).length;
  }
  return count;
}

test('at most 20,000 orders of an account and mode wait: more are refused as a whole, and the limit is named', async () => {
  const fixture = await startFixture();
  const settings = auto({ retry_interval: 3_600 });
  const id = await newBatch(fixture.client(), [farAway], { retry_interval: 3_600 });
  const first = await fixture.storage.run((db) =>
    db.selectFrom('batch_orders').selectAll().where('batch_id', '=', id).executeTakeFirstOrThrow(),
  );
  const entries = Array.from({ length: 19_998 }, (_, index) => ({
    ...first,
    ...{ order_id: `ord_${index}`, position: index + 1 },
  }));
  for (let at = 0; at < entries.length; at += 1_000)
    await fixture.storage.run((db) => insertBatchOrders(db, entries.slice(at, at + 1_000)));
  const create = async (count: number, key = fixture.keys.test) => {
    const options = { body: { orders: many(count), settings }, headers: { 'x-api-key': key } };
    const { status, body } = await fixture.send('POST', '/v2/orders/create', options);
    return { status, ...JSON.parse(body) };
  };
  const before = await rowCount(fixture);
  expect(await create(2)).toMatchObject({
    ...{ status: 429, code: 'limit_reached' },
    message: expect.stringMatching(/At most 20,000 orders .*: 19,999 wait now, and this request has 2\./),
  });
  expect(await rowCount(fixture)).toBe(before);
  expect(await create(1)).toMatchObject({ status: 'processing' });
  expect(await create(1)).toMatchObject({ status: 429 });
  expect(await create(1, fixture.keys.live)).toMatchObject({ status: 'processing' });
});

test('300 orders are accepted in one request, with default settings', async () => {
  const fixture = await startFixture();
  const body = { orders: many(300), settings: auto() };
  const answer = await fixture.send('POST', '/v2/orders/create', { body });
  expect(answer.status).toBe(202);
  const accepted = JSON.parse(answer.body);
  expect(accepted).toEqual({
    object: 'batch',
    batch_id: expect.stringMatching(/^bat_[0-9A-Z]{26}$/),
    status: 'processing',
    order_count: 300,
    test_mode: true,
  });
  const client = fixture.client();
  const batch = await batchNow(client, accepted.batch_id);
  expect(batch.settings).toEqual({
    mechanism: 'auto',
    quote_preference: 'cheapest',
    providers: null,
    max_cost: null,
    retry_window: 1800,
    retry_interval: 300,
  });
  expect(batch.counts).toEqual({ pending: 300, dispatched: 0, unfulfilled: 0, failed: 0, canceled: 0 });
  expect(batch.orders.map(({ external_order_ref }) => external_order_ref)).toEqual(
    many(300).map(({ external_order_ref }) => external_order_ref),
  );
  const page = await client.orders.list({ query: { batch_id: accepted.batch_id, limit: 100 } });
  expect(page.data.has_more).toBe(true);
  // Newest first: the last order of the request comes first.
  expect(page.data.data[0]?.external_order_ref).toBe('R-299');
});

describe('an invalid request is refused with the paths of its errors, and writes nothing', () => {
  const expectRefused = async (body: unknown, paths: readonly string[]) => {
    const fixture = await startFixture();
    const before = await rowCount(fixture);
    const headers = { 'idempotency-key': 'refused' };
    const answer = await fixture.send('POST', '/v2/orders/create', { body, headers });
    expect([400, 422]).toContain(answer.status);
    const { code, details } = JSON.parse(answer.body);
    expect(['invalid_request', 'address_not_geocodable']).toContain(code);
    expect(details.map(({ path }: { path: string }) => path)).toEqual(paths);
    expect(await rowCount(fixture)).toBe(before);
  };

  test.each([0, 301])('%i orders', (count) =>
    expectRefused({ orders: many(count), settings: auto() }, ['orders']),
  );

  test('an unknown store and all other errors of 300 orders, in order', () => {
    const orders = many(300).map((order, at) => ({
      ...order,
      ...(at === 100 && { dropoff_address: 'Nowhere' }),
      ...(at === 200 && { pickup_store_id: 'str_nope', dropoff_phone_number: '+1' }),
    }));
    return expectRefused({ orders, settings: auto({ providers: ['nobody'] }) }, [
      'settings.providers[0]',
      'orders[200].pickup_store_id',
      'orders[100].dropoff_address',
      'orders[200].dropoff_phone_number',
      'orders[200].pickup_address',
      'orders[200].pickup_name',
      'orders[200].pickup_phone_number',
    ]);
  });

  test.each<[string, object, string]>([
    ['a negative window', auto({ retry_window: -1 }), 'retry_window'],
    ['a window of more than a day', auto({ retry_window: 86_401 }), 'retry_window'],
    ['an interval of 9 s', auto({ retry_interval: 9 }), 'retry_interval'],
    ['an interval of more than an hour', auto({ retry_interval: 3601 }), 'retry_interval'],
    ['an unknown preference', { ...auto(), quote_preference: 'best' }, 'quote_preference'],
    ['an unknown provider', auto({ providers: ['swiftly', 'swiftley'] }), 'providers[1]'],
    ['a provider named twice', auto({ providers: ['swiftly', 'swiftly'] }), 'providers'],
    ['preferred without names', auto({ quote_preference: 'preferred' }), 'providers'],
    ['settings of auto dispatch without a mechanism', { providers: ['swiftly'] }, 'providers'],
  ])('%s', (_, settings, path) => expectRefused({ orders: many(1), settings }, [`settings.${path}`]));
});

test('values at the limits are valid', async () => {
  const { client } = await startClient();
  await newBatch(client, [{}], { retry_window: 0, retry_interval: 10 });
  await newBatch(client, [{}], { retry_window: 86_400, retry_interval: 3600, max_cost: 0 });
});

test('batches are listed newest first, in pages, filtered by status', async () => {
  const { fixture, client } = await startClient();
  const ids: string[] = [];
  for (let index = 0; index < 5; index += 1) {
    ids.push(await newBatch(client, index === 0 ? [{}] : [farAway]));
    await fixture.pass(10_000);
  }
  const first = (await client.batches.list({ query: { limit: 3 } })).data;
  expect(first.data.map(({ batch_id }) => batch_id)).toEqual(ids.toReversed().slice(0, 3));
  const cursor = first.next_cursor ?? '';
  const rest = (await client.batches.list({ query: { limit: 3, cursor } })).data;
  expect(rest.data.map(({ batch_id }) => batch_id)).toEqual(ids.toReversed().slice(3));
  const done = (await client.batches.list({ query: { status: 'complete' } })).data;
  expect(done.data.map(({ batch_id, counts }) => [batch_id, counts.dispatched])).toEqual([[ids[0], 1]]);
  expect(first.data[0]).not.toHaveProperty('orders');
});

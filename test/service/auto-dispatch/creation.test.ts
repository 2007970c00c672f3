import { describe, expect, test } from 'vitest';
import type { OrderRequest } from '../../../src/contract/orders.ts';
import { orderRequest, startFixture } from '../fixture.ts';
import { auto, batchNow, farAway, newBatch } from './batches.ts';

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => orderRequest({ external_order_ref: `R-${index}` }));

const tables = [
  'orders',
  'batches',
  'batch_orders',
  'tasks',
  'idempotency_keys',
  'events',
  'routes',
] as const;

async function rowCount(fixture: Awaited<ReturnType<typeof startFixture>>): Promise<number> {
  let count = 0;
  for (const table of tables) {
    count += (await fixture.storage.run((db) => db.selectFrom(table).selectAll().execute())).length;
  }
  return count;
}

test('300 orders are accepted in one request, with default settings', async () => {
  const fixture = await startFixture();
  const answer = await fixture.send('POST', '/v2/orders/create', {
    body: { orders: many(300), settings: { mechanism: 'auto' } },
  });
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
  const bad = (index: number, change: Partial<OrderRequest>) =>
    many(300).map((order, at) => (at === index ? { ...order, ...change } : order));
  const cases: [string, unknown, string[]][] = [
    ['no order', { orders: [], settings: auto() }, ['orders']],
    ['301 orders', { orders: many(301), settings: auto() }, ['orders']],
    [
      'one bad phone of 300',
      { orders: bad(217, { dropoff_phone_number: '+1' }), settings: auto() },
      ['orders[217].dropoff_phone_number'],
    ],
    [
      'an unknown store and all other errors, in order',
      {
        orders: bad(200, { pickup_store_id: 'str_nope', dropoff_phone_number: '+1' }).map((order, at) =>
          at === 100 ? { ...order, dropoff_address: 'Nowhere' } : order,
        ),
        settings: auto({ providers: ['nobody'] }),
      },
      [
        'settings.providers[0]',
        'orders[200].pickup_store_id',
        'orders[100].dropoff_address',
        'orders[200].dropoff_phone_number',
        'orders[200].pickup_address',
        'orders[200].pickup_name',
        'orders[200].pickup_phone_number',
      ],
    ],
    [
      'a negative window',
      { orders: many(1), settings: auto({ retry_window: -1 }) },
      ['settings.retry_window'],
    ],
    [
      'a window of more than a day',
      { orders: many(1), settings: auto({ retry_window: 86_401 }) },
      ['settings.retry_window'],
    ],
    [
      'an interval of 9 s',
      { orders: many(1), settings: auto({ retry_interval: 9 }) },
      ['settings.retry_interval'],
    ],
    [
      'an interval of more than an hour',
      { orders: many(1), settings: auto({ retry_interval: 3601 }) },
      ['settings.retry_interval'],
    ],
    [
      'an unknown preference',
      { orders: many(1), settings: { mechanism: 'auto', quote_preference: 'best' } },
      ['settings.quote_preference'],
    ],
    [
      'an unknown provider',
      { orders: many(1), settings: auto({ providers: ['swiftly', 'swiftley'] }) },
      ['settings.providers[1]'],
    ],
    [
      'a provider named twice',
      { orders: many(1), settings: auto({ providers: ['swiftly', 'swiftly'] }) },
      ['settings.providers[1]'],
    ],
    [
      'preferred without names',
      { orders: many(1), settings: auto({ quote_preference: 'preferred' }) },
      ['settings.providers'],
    ],
    [
      'settings of auto dispatch without a mechanism',
      { orders: many(1), settings: { providers: ['swiftly'] } },
      ['settings.providers'],
    ],
  ];
  test.each(cases)('%s', async (_, body, paths) => {
    const fixture = await startFixture();
    const before = await rowCount(fixture);
    const answer = await fixture.send('POST', '/v2/orders/create', {
      body,
      headers: { 'idempotency-key': 'refused' },
    });
    expect([400, 422]).toContain(answer.status);
    const { code, details } = JSON.parse(answer.body);
    expect(['invalid_request', 'address_not_geocodable']).toContain(code);
    expect(details.map(({ path }: { path: string }) => path)).toEqual(paths);
    expect(await rowCount(fixture)).toBe(before);
  });
});

test('values at the limits are valid', async () => {
  const client = (await startFixture()).client();
  await newBatch(client, [{}], { retry_window: 0, retry_interval: 10 });
  await newBatch(client, [{}], { retry_window: 86_400, retry_interval: 3600, max_cost: 0 });
});

test('batches are listed newest first, in pages, filtered by status', async () => {
  const fixture = await startFixture();
  const client = fixture.client();
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

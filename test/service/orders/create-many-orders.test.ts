import { expect, test } from 'vitest';
import type { OrderRequest } from '../../../src/contract/orders.ts';
import { orderRequest, startClient, startFixture } from '../fixture.ts';

const path = '/v2/orders/bulk';
const many = (count: number, change: (index: number) => Partial<OrderRequest> = () => ({})) =>
  Array.from({ length: count }, (_, index) =>
    orderRequest({ external_order_ref: `R-${index}`, ...change(index) }),
  );

test('300 orders are created in one transaction, with their IDs in the order of the request', async () => {
  const { client } = await startClient();
  const { data } = await client.orders.createMany({ body: { orders: many(300) } });
  expect(data).toMatchObject({ object: 'created_orders', test_mode: true });
  expect(new Set(data.order_ids).size).toBe(300);
  for (const index of [0, 299]) {
    const { data: order } = await client.orders.get({ params: { order_id: data.order_ids[index] ?? '' } });
    expect(order).toMatchObject({ status: 'open', batch_id: null, external_order_ref: `R-${index}` });
  }
  const { data: found } = await client.orders.list({ query: { q: 'R-217' } });
  // The search also finds orders whose random ID contains the number.
  const named = found.data.filter(({ external_order_ref }) => external_order_ref === 'R-217');
  expect(named.map(({ id }) => id)).toEqual([data.order_ids[217]]);
  // Newest first: the last order of the request comes first.
  const { data: page } = await client.orders.list({ query: { limit: 1 } });
  expect(page.data[0]?.id).toBe(data.order_ids[299]);
});

test('the orders are the same as if they were created one by one', async () => {
  const { client } = await startClient();
  const request = orderRequest({ tip: 250, dropoff_at: '2026-03-03T18:00:00.000Z' });
  const { data: alone } = await client.orders.create({ body: { orders: [request] } });
  const { data } = await client.orders.createMany({ body: { orders: [request] } });
  const [order_id = ''] = data.order_ids;
  const { data: order } = await client.orders.get({ params: { order_id } });
  const same = { id: '', created_at: '', updated_at: '' };
  expect({ ...order, ...same }).toEqual({ ...alone, ...same });
});

test.each([
  ['no order', [], ['orders']],
  ['301 orders', many(301), ['orders']],
  [
    'bad phones',
    many(300, (index) => (index === 217 || index === 4 ? { dropoff_phone_number: '+1' } : {})),
    ['orders[4].dropoff_phone_number', 'orders[217].dropoff_phone_number'],
  ],
  [
    'an unknown ZIP code',
    many(3, (index) => (index === 1 ? { dropoff_address: '1 A St, Chicago, IL 00000' } : {})),
    ['orders[1].dropoff_address'],
  ],
  [
    'an unknown store',
    many(2).map(({ pickup_address: _, pickup_name: __, pickup_phone_number: ___, ...order }) => ({
      ...order,
      pickup_store_id: 'str_nope',
    })),
    ['orders[0].pickup_store_id', 'orders[1].pickup_store_id'],
  ],
])('%s: refused with the orders at fault, and none is created', async (_, orders, paths) => {
  const fixture = await startFixture();
  const { status, body } = await fixture.send('POST', path, { body: { orders } });
  expect([status >= 400, JSON.parse(body).details.map((each: { path: string }) => each.path)]).toEqual([
    true,
    paths,
  ]);
  expect((await fixture.client().orders.list()).data.data).toEqual([]);
});

import { expect, test } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { startedDelivery } from '../delivery-runs.ts';
import {
  draftRoute,
  orderMade,
  orderRequest,
  quotesOf,
  start,
  startClient,
  startFixture,
} from '../fixture.ts';
import { couriers } from '../remote-couriers.ts';
import { after, batchNow, newBatch } from './batches.ts';

const evening = new Date(start + 6 * 3_600_000).toISOString();

test('the time of an order in a draft route is changed, and its quotes go', async () => {
  const { fixture, client } = await startClient();
  const route = await draftRoute(client);
  const [order_id = ''] = route.order_ids;
  expect((await quotesOf(fixture, route.id)).length).toBeGreaterThan(0);
  const params = { order_id };
  const { data } = await client.orders.update({ params, body: { dropoff_at: evening } });
  expect(data).toMatchObject({ status: 'routed', route_id: route.id, dropoff_at: evening, pickup_at: null });
  const listed = await client.quotes.list({ params: { route_id: route.id } });
  expect(listed.data).toMatchObject({ status: 'PENDING', data: null });
  const [quote] = await quotesOf(fixture, route.id);
  await client.dispatches.create({ params: { route_id: route.id }, body: { quote_id: quote?.id ?? '' } });
  const [delivery] = (await client.deliveries.list({ query: {} })).data.data;
  expect(delivery).toMatchObject({ status: 'scheduled', dropoffs: [{ dropoff_at: evening }] });
  await expect(client.orders.update({ params, body: { pickup_at: evening } })).rejects.toMatchObject({
    code: 'order_not_open',
  });
});

test('one time replaces the other, and two, a past one and an order among others are refused', async () => {
  const { client } = await startClient();
  const made = await orderMade(
    client.orders.create({ body: { orders: [orderRequest({ pickup_at: evening })] } }),
  );
  const params = { order_id: made.data.id };
  const { data } = await client.orders.update({ params, body: { dropoff_at: evening } });
  expect(data).toMatchObject({ status: 'open', pickup_at: null, dropoff_at: evening });
  const past = new Date(start - 60_000).toISOString();
  for (const body of [{ pickup_at: evening, dropoff_at: evening }, { dropoff_at: past }])
    await expect(client.orders.update({ params, body })).rejects.toMatchObject({ code: 'invalid_request' });
  const { order_ids } = await draftRoute(client, [orderRequest(), orderRequest({ dropoff_name: 'Ann' })]);
  const other = { order_id: order_ids[0] ?? '' };
  await expect(client.orders.update({ params: other, body: { dropoff_at: evening } })).rejects.toMatchObject({
    code: 'order_not_open',
  });
});

test('a stored delivery is initiated with a quote for its new time', async () => {
  const { client } = await startClient();
  const stored = (await client.deliveries.create({ body: orderRequest() })).data;
  await client.orders.update({ params: { order_id: stored.order_id }, body: { dropoff_at: evening } });
  const params = { deliveryid: stored.id };
  expect((await client.deliveries.get({ params })).data).toMatchObject({
    status: 'request',
    delivery_type: 'scheduled',
    dropoffs: [{ dropoff_at: evening }],
  });
  const { data } = await client.deliveries.initiate({ params, body: {} });
  expect(data.status).toBe('scheduled');
  expect(data.quote_id).not.toBe(stored.quote_id);
});

test('an attempt of auto dispatch that is under way begins again with the new time', async () => {
  const { fixture, client } = await startClient();
  const id = await newBatch(client, [{}], { retry_window: 0 });
  await fixture.pass(1000);
  const [entry] = (await batchNow(client, id)).orders;
  await client.orders.update({ params: { order_id: entry?.order_id ?? '' }, body: { dropoff_at: evening } });
  const { orders } = await after(fixture, id, 20);
  expect(orders[0]).toMatchObject({ status: 'dispatched', attempts: 2 });
  const deliveries = (await client.deliveries.list({ query: {} })).data.data;
  expect(deliveries).toMatchObject([{ status: 'scheduled', dropoffs: [{ dropoff_at: evening }] }]);
});

const endings: [why: string, end: (client: Client) => Promise<string>, code: string | null][] = [
  ['whose delivery failed', async (client) => (await startedDelivery(client, 'no_capacity')).order_id, null],
  [
    'whose delivery was canceled',
    async (client) => {
      const { id, order_id } = await startedDelivery(client, 'happy_path');
      await client.deliveries.cancel({ params: { deliveryid: id }, body: {} });
      return order_id;
    },
    null,
  ],
  [
    'that is in a draft route after its delivery failed, and not canceled there',
    async (client) => {
      const { order_id } = await startedDelivery(client, 'no_capacity');
      await client.routes.create({ body: { order_ids: [order_id] } });
      const cancellation = client.orders.cancel({ params: { order_id } });
      await expect(cancellation).rejects.toMatchObject({ code: 'order_not_open' });
      return order_id;
    },
    null,
  ],
  [
    'that was canceled after its delivery had failed',
    async (client) => {
      const { order_id } = await startedDelivery(client, 'no_capacity');
      await client.orders.cancel({ params: { order_id } });
      return order_id;
    },
    'order_not_open',
  ],
  [
    'that was canceled before it had a delivery',
    async (client) => {
      const { data } = await orderMade(client.orders.create({ body: { orders: [orderRequest()] } }));
      await client.orders.cancel({ params: { order_id: data.id } });
      return data.id;
    },
    'order_not_open',
  ],
];

test.each(endings)('the time of an order %s is changed unless it is closed', async (_why, end, code) => {
  const { client } = await startClient();
  const params = { order_id: await end(client) };
  const update = client.orders.update({ params, body: { dropoff_at: evening } });
  if (code !== null) return expect(update).rejects.toMatchObject({ code });
  expect((await update).data.dropoff_at).toBe(evening);
});

test.each(['initiate', 'retry'] as const)(
  'an order whose time is changed while couriers are asked is not dispatched with their quotes (%s)',
  async (how) => {
    let asked = async () => {};
    const providers = couriers(
      () => false,
      async () => asked(),
    );
    const fixture = await startFixture({ parts: { providers } });
    const client = fixture.client();
    const stored = (await client.deliveries.create({ body: orderRequest({ pickup_at: evening }) })).data;
    const params = { deliveryid: stored.id };
    if (how === 'initiate') await fixture.pass(2 * 3_600_000);
    else await client.deliveries.cancel({ params, body: {} });
    await fixture.pass(1000);
    asked = async () => {
      asked = async () => {};
      const body = { pickup_at: new Date(start + 9 * 3_600_000).toISOString() };
      await client.orders.update({ params: { order_id: stored.order_id }, body });
    };
    await expect(client.deliveries[how]({ params, body: {} })).rejects.toMatchObject({
      ...{ code: 'delivery_not_initiable', message: expect.stringContaining('was changed') },
    });
    const { data } = await client.deliveries[how]({ params, body: {} });
    expect(data).toMatchObject({ status: 'scheduled', pickup_at: '2026-03-02T21:00:00.000Z' });
  },
);

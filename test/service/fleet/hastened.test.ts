import { expect, test } from 'vitest';
import { after, attemptsOf, auto, batchNow, newBatch } from '../auto-dispatch/batches.ts';
import { type Fixture, orderRequest, startFixture } from '../fixture.ts';
import { phone } from './fleet.ts';

const interval = 600;

/** Orders in auto dispatch, whose next attempt is in minutes. Their references are their numbers. */
async function waiting(fixture: Fixture, count: number, providers: string[], from = 0): Promise<string> {
  const orders = Array.from({ length: count }, (_, index) => ({ external_order_ref: `${from + index}` }));
  const settings = { providers, retry_interval: interval, retry_window: 6 * interval };
  const batch = await newBatch(fixture.client(), orders, settings);
  await after(fixture, batch, 20);
  return batch;
}

/** How many attempts there were for each order, by its reference. */
async function attemptsNow(fixture: Fixture, batch: string): Promise<Record<string, number>> {
  const { orders = [] } = await batchNow(fixture.client(), batch);
  const counts = orders.map(async ({ order_id, external_order_ref }) => {
    const attempts = await attemptsOf(fixture.client(), order_id);
    return [external_order_ref, attempts.reduce((sum, { repeats }) => sum + 1 + repeats, 0)] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}

async function noCourier(fixture: Fixture): Promise<void> {
  const body = { state: 'down' } as const;
  await fixture.client().sandbox.updateProvider({ params: { name: 'swiftly' }, body });
}

const grill = {
  ...{ name: 'Grill', address: '43 E Ohio St, Chicago, IL 60611', phone_number: '+13125550100' },
};
const one = [1, 1, 1];
const two = [2, 2, 2];

test.each([
  { comes: 'a driver on duty', orders: 3, providers: ['fleet'], attempts: two },
  { comes: 'a driver on duty', orders: 3, providers: ['fleet', 'swiftly'], attempts: two },
  { comes: 'a driver on duty', orders: 3, providers: ['swiftly'], attempts: one },
  { comes: 'a driver off duty', orders: 3, providers: ['fleet'], attempts: one, on: false },
  { comes: 'a driver of the other mode', orders: 3, providers: ['fleet'], attempts: one, isLive: true },
  // The oldest, as many as one driver has room for.
  { comes: 'a driver on duty', orders: 10, providers: ['fleet'], attempts: [2, 2, 2, 2, 2, 2, 2, 2, 1, 1] },
])('once $comes, $orders orders of $providers were tried $attempts times', async (given) => {
  const { orders, providers, attempts, on = true, isLive = false } = given;
  const fixture = await startFixture();
  await phone(fixture, 'Ana', { duty: false });
  const key = isLive ? fixture.keys.live : fixture.keys.test;
  const sam = await phone(fixture, 'Sam', { duty: false, key });
  await noCourier(fixture);
  const batch = await waiting(fixture, orders, providers);
  expect(Object.values(await attemptsNow(fixture, batch))).toEqual(attempts.map(() => 1));
  await sam.tap({ kind: 'duty', on });
  await after(fixture, batch, 5);
  expect(Object.values(await attemptsNow(fixture, batch))).toEqual(attempts);
});

test('drivers are asked at once about an order that one has declined, once another comes', async () => {
  const fixture = await startFixture();
  const sam = await phone(fixture, 'Sam');
  const ana = await phone(fixture, 'Ana', { duty: false });
  await noCourier(fixture);
  const batch = await waiting(fixture, 1, ['fleet', 'swiftly']);
  await sam.tap({ kind: 'decline', offer_id: (await sam.offer()) ?? '' });
  await sam.tap({ kind: 'duty', on: false });
  await after(fixture, batch, 20);
  expect(await attemptsNow(fixture, batch)).toEqual({ 0: 1 });
  await ana.tap({ kind: 'duty', on: true });
  await after(fixture, batch, 5);
  expect(await ana.offer()).not.toBeNull();
});

test('orders of a paused store take no room from others, and wait no longer', async () => {
  const fixture = await startFixture();
  const client = fixture.client();
  const sam = await phone(fixture, 'Sam', { duty: false });
  await noCourier(fixture);
  const paused_until = new Date(fixture.now() + 3 * 60 * 60_000).toISOString();
  const { data: store } = await client.stores.create({ body: { ...grill, paused_until } });
  const settings = { providers: ['fleet'], retry_interval: interval, retry_window: 6 * interval };
  const { pickup_address: _, pickup_name: __, pickup_phone_number: ___, ...dropoff } = orderRequest();
  const orders = Array.from({ length: 8 }, () => ({ ...dropoff, pickup_store_id: store.id }));
  await client.orders.create({ body: { orders, settings: auto(settings) } });
  const batch = await waiting(fixture, 1, ['fleet']);
  const endsOf = async () =>
    (await client.waitingOrders.list({ query: {} })).data.data.map((each) => each.retry_until);
  const before = await endsOf();
  await sam.tap({ kind: 'duty', on: true });
  await after(fixture, batch, 5);
  expect(await attemptsNow(fixture, batch)).toEqual({ 0: 2 });
  expect((await endsOf()).slice(1)).toEqual(before.slice(1));
});

test('an attempt that is made earlier replaces the one that was planned', async () => {
  const fixture = await startFixture();
  const sam = await phone(fixture, 'Sam', { duty: false });
  const batch = await waiting(fixture, 1, ['fleet']);
  const { orders: [order] = [] } = await batchNow(fixture.client(), batch);
  await fixture.pass(Date.parse(order?.next_attempt_at ?? '') - fixture.now() - 500);
  expect(await attemptsNow(fixture, batch)).toEqual({ 0: 1 });
  await sam.tap({ kind: 'duty', on: true });
  // The planned attempt would be due while Sam is asked, and fail.
  await after(fixture, batch, 2);
  expect(await attemptsNow(fixture, batch)).toEqual({ 0: 2 });
  expect(fixture.faults).toEqual([]);
});

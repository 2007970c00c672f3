import { expect, test } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import type { OrderRequest } from '../../../src/contract/orders.ts';
import { after, attemptsOf, auto, batchNow, farAway, withScenario } from '../auto-dispatch/batches.ts';
import { batchMade, draftRoute, orderRequest, quotesOf, start, startClient } from '../fixture.ts';

// What a store says about dispatch: nothing while it is paused, and to which providers.

const place = { name: 'Grill', address: '43 E Ohio St, Chicago, IL 60611', phone_number: '+13125550101' };
const hour = 3_600_000;
const later = new Date(start + hour).toISOString();

/** A service with a store, and the request of an order from it. */
async function withStore(body: object = {}) {
  const { fixture, client } = await startClient();
  const { data } = await client.stores.create({ body: { ...place, ...body } });
  const { pickup_address: _, pickup_name: __, pickup_phone_number: ___, ...dropoff } = orderRequest();
  const request: OrderRequest = { ...dropoff, pickup_store_id: data.id };
  const pause = (paused_until: string) =>
    client.stores.update({ params: { store_id: data.id }, body: { paused_until } });
  const resume = () => pause(new Date(start).toISOString());
  const batch = async (changes: Partial<OrderRequest>, settings: Parameters<typeof auto>[0]) => {
    const body = { orders: [{ ...request, ...changes }], settings: auto(settings) };
    return (await batchMade(client.orders.create({ body }))).batch_id;
  };
  return { fixture, client, request, store: data, pause, resume, batch };
}

const refusal = (why: string) => ({
  code: 'store_paused',
  status: 409,
  message: expect.stringContaining(why),
});
const deliveriesOf = async (client: Client) => (await client.deliveries.list({ query: {} })).data.data;

test('a pause is shown until it ends, and a past time ends it', async () => {
  const { fixture, client, store, pause, resume } = await withStore();
  const { id: store_id } = store;
  expect((await pause(later)).data.paused_until).toBe(later);
  await fixture.pass(hour);
  expect((await client.stores.get({ params: { store_id } })).data.paused_until).toBeNull();
  expect((await pause('9999-12-31T00:00:00.000Z')).data.paused_until).toBe('9999-12-31T00:00:00.000Z');
  const other = await client.stores.update({ params: { store_id }, body: { notes: 'Back door' } });
  expect(other.data.paused_until).toBe('9999-12-31T00:00:00.000Z');
  expect((await resume()).data.paused_until).toBeNull();
});

test('no way to dispatch leads from a paused store, and nothing is left behind', async () => {
  const { fixture, client, request, store, pause, resume } = await withStore();
  const refused = refusal('the store "Grill" is paused until Mar 2, 7:00 AM CST');
  const stored = (await client.deliveries.create({ body: request })).data;
  const failed = await client.deliveries.create({
    body: { ...request, ...withScenario('no_capacity'), initiate: true },
  });
  expect(failed.data.status).toBe('failed');
  await pause(later);
  const { id: route_id } = await draftRoute(client, [request]);
  const [quote] = await quotesOf(fixture, route_id);
  const before = await deliveriesOf(client);
  const params = { deliveryid: stored.id };
  await expect(
    client.dispatches.create({ params: { route_id }, body: { quote_id: quote?.id ?? '' } }),
  ).rejects.toMatchObject({ ...refused, related_ids: [store.id] });
  await expect(client.deliveries.initiate({ params, body: {} })).rejects.toMatchObject(refused);
  await expect(client.deliveries.create({ body: { ...request, initiate: true } })).rejects.toMatchObject(
    refused,
  );
  const again = { deliveryid: failed.data.id };
  await expect(client.deliveries.retry({ params: again, body: {} })).rejects.toMatchObject(refused);
  expect((await client.deliveries.retryTerms({ params: again, query: {} })).data).toMatchObject({
    retryable: false,
    code: 'store_paused',
  });
  expect(await deliveriesOf(client)).toEqual(before);
  await resume();
  expect((await client.deliveries.initiate({ params, body: {} })).data.status).toBe('delivery_created');
  await client.dispatches.create({ params: { route_id }, body: { quote_id: quote?.id ?? '' } });
});

test('auto dispatch waits for the store, and its retry window with it', async () => {
  const { fixture, client, pause, batch } = await withStore();
  await pause(new Date(start + 100_000).toISOString());
  const far = await batch(farAway, { retry_window: 60, retry_interval: 20 });
  const near = await batch({}, { retry_window: 0 });
  const waiting = await after(fixture, far, 45);
  const why = 'the store "Grill" is paused until Mar 2, 6:01 AM CST';
  expect(waiting.orders[0]).toMatchObject({ status: 'pending', attempts: 0, reason: why });
  expect((await batchNow(client, near)).orders[0]).toMatchObject({ attempts: 0, reason: why });
  await fixture.pass(55_000);
  expect((await batchNow(client, far)).orders[0]).toMatchObject({ attempts: 1 });
  const [listed] = (await client.waitingOrders.list({ query: {} })).data.data.slice(-1);
  expect(listed?.retry_until).toBe('2026-03-02T12:02:40.000Z');
  const complete = await after(fixture, far, 70);
  expect(complete).toMatchObject({ status: 'complete', counts: { unfulfilled: 1 } });
  const [attempt] = await attemptsOf(client, complete.orders[0]?.order_id ?? '');
  expect([attempt?.created_at, attempt?.last_at]).toEqual([
    '2026-03-02T12:01:40.000Z',
    '2026-03-02T12:02:40.000Z',
  ]);
  expect((await batchNow(client, near)).orders[0]).toMatchObject({ status: 'dispatched', attempts: 1 });
});

test('a pause that goes on after no process ran for a while has used up nothing of the retry window', async () => {
  const { fixture } = await startClient();
  const client = fixture.client(fixture.keys.live);
  const body = { ...place, paused_until: new Date(start + 3 * hour).toISOString() };
  const { id: pickup_store_id } = (await client.stores.create({ body })).data;
  const { pickup_address: _, pickup_name: __, pickup_phone_number: ___, ...dropoff } = orderRequest();
  const orders = [{ ...dropoff, pickup_store_id }];
  const settings = auto({ retry_window: 1800, retry_interval: 300 });
  const { batch_id } = await batchMade(client.orders.create({ body: { orders, settings } }));
  await fixture.pass(2 * hour);
  for (let minutes = 0; minutes < 60; minutes += 5) await fixture.pass(hour / 12);
  expect((await batchNow(client, batch_id)).orders[0]).toMatchObject({ status: 'pending', attempts: 1 });
  const { data } = (await client.waitingOrders.list({ query: {} })).data;
  expect(data[0]?.retry_until).toBe(new Date(start + 3.5 * hour).toISOString());
});

test('a store that is paused while couriers are asked gets none, and goes on when it is resumed', async () => {
  const { fixture, client, pause, resume, batch } = await withStore();
  const id = await batch({}, { retry_window: 60, retry_interval: 20 });
  await fixture.pass(1000);
  await pause('9999-12-31T00:00:00.000Z');
  expect((await after(fixture, id, 200)).orders[0]).toMatchObject({
    ...{ status: 'pending', delivery_id: null, reason: 'the store "Grill" is paused' },
  });
  expect(await deliveriesOf(client)).toEqual([]);
  await resume();
  expect((await after(fixture, id, 30)).orders[0]).toMatchObject({ status: 'dispatched', attempts: 2 });
});

test('only the providers of the store are asked, unless a request names others', async () => {
  const { fixture, client, request, batch } = await withStore({ providers: ['swiftly', 'metrobike'] });
  const { id } = await draftRoute(client, [request]);
  const names = (quotes: readonly { provider: string }[]) => quotes.map(({ provider }) => provider).sort();
  expect(names(await quotesOf(fixture, id))).toEqual(['metrobike', 'swiftly']);
  const { pickup_store_id = '', dropoff_address } = request;
  const parcel = await client.deliveries.quote({ body: { pickup_store_id, dropoff_address } });
  expect(parcel.data.map(({ service }) => service).sort()).toEqual(['metrobike', 'swiftly']);
  const stored = await client.deliveries.create({ body: request });
  expect(['swiftly', 'metrobike']).toContain(stored.data.service);
  const own = await after(fixture, await batch({}, {}), 10);
  const named = await after(fixture, await batch({}, { providers: ['poolride'] }), 10);
  const services = (await deliveriesOf(client)).filter(({ status }) => status !== 'request');
  const serviceOf = (delivery_id = '') => services.find((each) => each.id === delivery_id)?.service;
  expect(['swiftly', 'metrobike']).toContain(serviceOf(own.orders[0]?.delivery_id ?? ''));
  expect(serviceOf(named.orders[0]?.delivery_id ?? '')).toBe('poolride');
});

test('a provider that the account does not have is refused for a store, and an empty list is all', async () => {
  const { fixture, client, store, request } = await withStore({ providers: ['swiftly'] });
  const params = { store_id: store.id };
  await expect(client.stores.update({ params, body: { providers: ['swiftli'] } })).rejects.toMatchObject({
    code: 'invalid_request',
    details: [{ path: 'providers[0]', message: 'is not a provider; expected swiftly' }],
  });
  expect((await client.stores.update({ params, body: { providers: [] } })).data.providers).toEqual([]);
  const { id } = await draftRoute(client, [request]);
  expect((await quotesOf(fixture, id)).length).toBeGreaterThan(2);
});

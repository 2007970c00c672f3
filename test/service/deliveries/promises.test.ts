import { expect, test } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import type { DetailedDelivery } from '../../../src/contract/deliveries.ts';
import { scenarioHeader, startedDelivery } from '../delivery-runs.ts';
import { draftRoute, type Fixture, orderRequest, quotesOf, startClient, startFixture } from '../fixture.ts';

const minute = 60_000;

async function detailed(client: Client, { id }: { id: string }): Promise<DetailedDelivery> {
  return (await client.deliveries.getDetailed({ params: { deliveryid: id } })).data;
}

async function lateIds(client: Client): Promise<string[]> {
  const { data } = await client.deliveries.list({ query: { late: true } });
  return data.data.map(({ id }) => id);
}

const etaOf = ({ dropoffs }: DetailedDelivery) => dropoffs[0]?.dropoff_eta ?? '';

async function dispatched(fixture: Fixture, after_ms = 0) {
  const client = fixture.client();
  const route = await draftRoute(client);
  const quotes = await quotesOf(fixture, route.id);
  const quote = quotes.find(({ provider }) => provider === 'swiftly');
  await fixture.pass(after_ms);
  const body = { quote_id: quote?.id ?? '' };
  const { data } = await client.dispatches.create({ params: { route_id: route.id }, body });
  const [delivery] = data.deliveries;
  if (delivery === undefined || quote === undefined) throw new Error('nothing was dispatched');
  return { delivery: await detailed(client, delivery), quote };
}

test('the promise is the ETA of the accepted quote; an old quote promises what can still be kept', async () => {
  const fixture = await startFixture();
  const { delivery, quote } = await dispatched(fixture);
  expect(delivery.details).toMatchObject({ promised_at: quote.dropoff_eta, is_late: false });
  const older = await dispatched(fixture, 4 * minute);
  expect(older.delivery.details.promised_at).toBe(older.quote.dropoff_eta);
  const old = await dispatched(fixture, 6 * minute);
  expect(old.delivery.details).toMatchObject({ promised_at: etaOf(old.delivery), is_late: false });
});

test('the promise is the agreed time of the dropoff', async () => {
  const { fixture, client } = await startClient();
  const dropoff_at = new Date(fixture.now() + 120 * minute).toISOString();
  const { id } = await startedDelivery(client, 'happy_path', { dropoff_at });
  expect((await detailed(client, { id })).details.promised_at).toBe(dropoff_at);
});

test('a stored delivery has no promise before it is initiated', async () => {
  const { client } = await startClient();
  const { data } = await client.deliveries.create({ body: orderRequest() });
  const details = { promised_at: null, late_seconds: null, is_late: false };
  expect((await detailed(client, data)).details).toMatchObject(details);
  await client.deliveries.initiate({ params: { deliveryid: data.id }, body: {} });
  const started = await detailed(client, data);
  expect(started.details.promised_at).toBe(etaOf(started));
});

test('the courier moves the ETA but not the promise, and the delivery is late until its end and after', async () => {
  const { fixture, client } = await startClient();
  const { id } = await startedDelivery(client, 'slow_assignment');
  const first = await detailed(client, { id });
  const { promised_at } = first.details;
  expect(promised_at).toBe(etaOf(first));
  await fixture.pass(26 * minute);
  const moved = await detailed(client, { id });
  const late_ms = Date.parse(etaOf(moved)) - Date.parse(promised_at ?? '');
  expect(late_ms).toBeGreaterThan(5 * minute);
  expect(Date.parse(etaOf(moved))).toBeGreaterThan(fixture.now());
  expect(moved.details).toMatchObject({ promised_at, is_late: true, late_seconds: late_ms / 1000 });
  expect(await lateIds(client)).toEqual([id]);
  await fixture.pass(120 * minute);
  const done = await detailed(client, { id });
  expect(done).toMatchObject({ status: 'delivered', details: { promised_at, is_late: true } });
  expect(await lateIds(client)).toEqual([]);
  const { data } = await client.events.list({ query: { delivery_id: id, type: 'delivery.updated' } });
  expect(data.data[0]?.details).toMatchObject({ promised_at, is_late: true });
  expect(data.data.at(-1)?.details).toMatchObject({ promised_at });
});

test('another attempt keeps the promise of the order', async () => {
  const { fixture, client } = await startClient();
  const failed = await startedDelivery(client, 'payment_declined_once');
  const { promised_at } = (await detailed(client, failed)).details;
  await fixture.pass(20 * minute);
  const { data } = await client.deliveries.retry({ params: { deliveryid: failed.id }, body: {} });
  const retried = await detailed(client, data);
  expect(retried).toMatchObject({ order_id: failed.order_id, details: { promised_at, is_late: true } });
  expect(etaOf(retried)).not.toBe(promised_at);
  expect(await lateIds(client)).toEqual([retried.id]);
  const { data: created } = await client.events.list({ query: { delivery_id: retried.id } });
  expect(created.data.find(({ type }) => type === 'delivery.created')?.details).toMatchObject({
    promised_at,
  });
});

test('an order that no provider takes at its first dispatch is promised nothing', async () => {
  const { client } = await startClient();
  const body = { ...orderRequest(), initiate: true };
  const { data } = await client.deliveries.create({ body, headers: scenarioHeader('no_quotes') });
  expect((await detailed(client, data)).details).toMatchObject({ promised_at: null, late_seconds: null });
});

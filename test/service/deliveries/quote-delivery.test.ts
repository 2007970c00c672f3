import { expect, test } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import type { OrderRequest } from '../../../src/contract/orders.ts';
import { again, deliveryQuotes, moneyOf, runToEnd, startedDelivery } from '../delivery-runs.ts';
import { draftRoute, orderRequest, quotesOf, startClient } from '../fixture.ts';

const minute = 60_000;

async function quoteBy(client: Client, service: string, changes: Partial<OrderRequest> = {}) {
  return (await deliveryQuotes(client, changes)).find((quote) => quote.service === service)?.id ?? '';
}

const narrowing: [string, Partial<OrderRequest>][] = [
  ['a signature', { request_signature: true }],
  ['a box truck', { vehicle: 'box_truck' }],
  ['a sofa', { items: [{ name: 'Sofa', quantity: 1, size: 'extra_large' }] }],
];

test.each(narrowing)('a quote for a bicycle cannot be used for %s', async (_, changes) => {
  const { client } = await startClient();
  const quote_id = await quoteBy(client, 'metrobike');
  const body = { ...orderRequest(changes), quote_id, initiate: true };
  const call = client.deliveries.create({ body });
  await expect(call).rejects.toMatchObject({ code: 'quote_not_found' });
  expect((await client.orders.list()).data.data).toEqual([]);
});

test.each([
  ['subsidy', { fee: 323, payment_amount: 647 }],
  ['upsell', { fee: 971, payment_amount: 647 }],
] as const)('a quote says what is charged where the fee is shown with a %s', async (kind, expected) => {
  const { client } = await startClient();
  const [plain] = await deliveryQuotes(client);
  expect([plain?.fee, plain?.payment_amount]).toEqual([647, undefined]);
  await client.account.update({ body: { [kind]: { kind: 'percent', value: 50 } } });
  expect((await deliveryQuotes(client))[0]).toMatchObject(expected);
});

test('quotes can be requested with what narrows the providers', async () => {
  const { client } = await startClient();
  expect(await quoteBy(client, 'metrobike', { request_signature: true })).toBe('');
  expect(await quoteBy(client, 'swiftly', { request_signature: true })).not.toBe('');
  expect(await quoteBy(client, 'haulvan', { vehicle: 'box_truck' })).not.toBe('');
});

test('if the provider of an expired quote no longer carries the order, no other one is used', async () => {
  const { fixture, client } = await startClient();
  const quote_id = await quoteBy(client, 'poolride');
  await client.sandbox.updateProvider({ params: { name: 'poolride' }, body: { state: 'down' } });
  await fixture.pass(11 * minute);
  const { data } = await client.deliveries.create({ body: { ...orderRequest(), quote_id, initiate: true } });
  expect(data).toMatchObject({ status: 'failed', failure_reason: 'no_provider_available' });
  expect((await moneyOf(client, data)).kinds).toEqual([]);
});

test('a quote for a time that has passed is requested again as soon as possible', async () => {
  const { fixture, client } = await startClient();
  const pickup_at = new Date(fixture.now() + 120 * minute).toISOString();
  const start = async (service: string) => {
    const quote_id = await quoteBy(client, service, { pickup_at });
    return (await client.deliveries.create({ body: { ...orderRequest({ pickup_at }), quote_id } })).data;
  };
  const [owl, van] = [await start('nightowl'), await start('haulvan')];
  await fixture.pass(180 * minute);
  const initiated = async ({ id }: { id: string }) =>
    (await client.deliveries.initiate({ params: { deliveryid: id }, body: {} })).data;
  expect(await initiated(owl)).toMatchObject({ status: 'failed', failure_reason: 'no_provider_available' });
  const begun = await initiated(van);
  expect(begun).toMatchObject({ status: 'delivery_created', delivery_type: 'asap', service: 'haulvan' });
  expect(Date.parse(begun.pickup_eta) - fixture.now()).toBeLessThan(60 * minute);
});

test('a route dispatched after its agreed time is expected from now on', async () => {
  const { fixture, client } = await startClient();
  const pickup_at = new Date(fixture.now() + 120 * minute).toISOString();
  const route = await draftRoute(client, [orderRequest({ pickup_at })]);
  const owl = (await quotesOf(fixture, route.id)).find(({ provider }) => provider === 'nightowl');
  await fixture.pass(180 * minute);
  const body = { quote_id: owl?.id ?? '' };
  const { data } = await client.dispatches.create({ params: { route_id: route.id }, body });
  const [delivery] = data.deliveries;
  expect(Date.parse(delivery?.pickup_eta ?? '')).toBe(fixture.now());
});

test('a courier that has not accepted charges no fee, and its delay moves the expected times', async () => {
  const { fixture, client } = await startClient();
  await client.sandbox.updateProvider({
    params: { name: 'haulvan' },
    body: { state: 'slow', slow_seconds: 600 },
  });
  const quote_id = await quoteBy(client, 'haulvan');
  const body = { ...orderRequest(), quote_id };
  const { data: stored } = await client.deliveries.create({ body });
  const { data: begun } = await client.deliveries.initiate({ params: { deliveryid: stored.id }, body: {} });
  expect(Date.parse(begun.pickup_eta) - Date.parse(stored.pickup_eta)).toBe(600_000);
  const params = { deliveryid: begun.id };
  expect((await client.deliveries.cancellation({ params })).data).toMatchObject({ cancelable: true, fee: 0 });
  const { data } = await client.deliveries.cancel({ params, body: {} });
  expect(await moneyOf(client, data)).toEqual({ sum: 0, kinds: ['delivery', 'refund'] });
  expect((await runToEnd(fixture, client, data)).status).toBe('customer_canceled');
});

test('a shuffled feed reports the driver’s position too', async () => {
  const { fixture, client } = await startClient();
  const delivery = await startedDelivery(client, 'shuffled_feed', { request_signature: true });
  await fixture.pass(9 * minute);
  const now = await again(client, delivery);
  expect(now.courier_name).not.toBeNull();
  expect([now.courier_location_lat, now.courier_location_lng]).not.toContain(null);
});

test('routing an order that is stored as a delivery is refused with that reason', async () => {
  const { client } = await startClient();
  const { data } = await client.deliveries.create({ body: orderRequest() });
  const call = client.routes.create({ body: { order_ids: [data.order_id] } });
  await expect(call).rejects.toMatchObject({ message: expect.stringContaining(`for delivery ${data.id}`) });
});

test.each([
  ['commas elsewhere', '600 E Grand Ave Chicago IL 60611, US'],
  ['words in full', '600 East Grand Avenue, Chicago, Illinois 60611'],
  ['periods', '600 E. Grand Ave., Chicago, IL 60611, USA'],
  ['line ends', '600 E Grand Ave\nChicago, IL 60611'],
])('a quote is found again when the same place is spelled with %s', async (_, pickup_address) => {
  const { client } = await startClient();
  const quote_id = await quoteBy(client, 'haulvan', { pickup_address: '600 E Grand Ave, Chicago, IL 60611' });
  const body = { ...orderRequest({ pickup_address }), quote_id, initiate: true };
  expect((await client.deliveries.create({ body })).data).toMatchObject({ service: 'haulvan' });
});

test('a quote for another house is not found', async () => {
  const { client } = await startClient();
  const quote_id = await quoteBy(client, 'haulvan', { pickup_address: '600 E Grand Ave, Chicago, IL 60611' });
  const body = { ...orderRequest({ pickup_address: '601 E Grand Ave, Chicago, IL 60611' }), quote_id };
  await expect(client.deliveries.create({ body })).rejects.toMatchObject({ code: 'quote_not_found' });
});

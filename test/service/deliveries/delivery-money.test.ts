import { expect, test } from 'vitest';
import { again, deliveryQuotes, moneyOf, runToEnd, startedDelivery } from '../delivery-runs.ts';
import { orderRequest, startClient } from '../fixture.ts';

test('upsell and subsidy change the shown price and not the charge', async () => {
  const { client } = await startClient();
  const plain = await startedDelivery(client, 'happy_path');
  expect([plain.fee, plain.upsell, plain.subsidized]).toEqual([plain.payment_amount, null, null]);
  await client.account.update({
    body: { upsell: { kind: 'percent', value: 10 }, subsidy: { kind: 'fixed', value: 200 } },
  });
  const { data } = await client.deliveries.create({
    body: { ...orderRequest({ tip: 100 }), initiate: true },
  });
  const upsell = Math.round(data.payment_amount / 10);
  expect(data).toMatchObject({ upsell, subsidized: 200, fee: data.payment_amount + upsell - 200 });
  expect((await moneyOf(client, data)).sum).toBe(data.payment_amount + 100);
  const [quote] = await deliveryQuotes(client);
  expect(quote?.fee).toBe(data.fee);
});

test('a declining payment method fails deliveries without a charge until it is active again', async () => {
  const { client } = await startClient();
  await client.account.update({ body: { payment_method: { status: 'declining' } } });
  const failed = await startedDelivery(client, 'happy_path');
  expect(failed).toMatchObject({ status: 'failed', failure_reason: 'payment_declined' });
  expect((await moneyOf(client, failed)).kinds).toEqual([]);
  await client.account.update({ body: { payment_method: { status: 'active' } } });
  const { data } = await client.deliveries.retry({ params: { deliveryid: failed.id }, body: {} });
  expect(data.status).toBe('delivery_created');
});

test('a late cancellation costs the quoted fee, and the rest is refunded', async () => {
  const { fixture, client } = await startClient();
  const delivery = await startedDelivery(client, 'happy_path', { tip: 300, request_signature: true });
  expect(delivery.service).toBe('swiftly');
  await fixture.pass(3 * 60_000);
  const params = { deliveryid: delivery.id };
  const { data: terms } = await client.deliveries.cancellation({ params });
  expect(terms).toMatchObject({ cancelable: true, fee: 400, refund: delivery.payment_amount + 300 });
  const { data } = await client.deliveries.cancel({ params, body: {} });
  expect(data).toMatchObject({ status: 'customer_canceled', refunded_amount: delivery.payment_amount + 300 });
  expect(await moneyOf(client, data)).toEqual({
    sum: 400,
    kinds: ['cancellation', 'delivery', 'refund', 'tip'],
  });
});

test('an edit of contacts and notes also applies to a later attempt of the order', async () => {
  const { fixture, client } = await startClient();
  const delivery = await startedDelivery(client, 'no_driver');
  const params = { deliveryid: delivery.id };
  const body = { dropoff_phone_number: '+13125550199', dropoff_notes: 'Ring twice' };
  const { data } = await client.deliveries.edit({ params, body });
  expect(data.dropoffs[0]).toMatchObject({
    dropoff_phone_number: '13125550199',
    dropoff_notes: 'Ring twice',
  });
  expect((await client.deliveries.list({ query: { phone: '+13125550199' } })).data.data).toHaveLength(1);
  await runToEnd(fixture, client, delivery);
  const { data: retried } = await client.deliveries.retry({ params, body: {} });
  expect(retried.dropoffs[0]?.dropoff_phone_number).toBe('13125550199');
});

test('canceling a dispatched order cancels its delivery; a stored one is canceled without a charge', async () => {
  const { client } = await startClient();
  const delivery = await startedDelivery(client, 'happy_path');
  const { data: order } = await client.orders.cancel({ params: { order_id: delivery.order_id } });
  expect([order.status, (await again(client, delivery)).status]).toEqual(['canceled', 'customer_canceled']);
  const { data: stored } = await client.deliveries.create({ body: orderRequest() });
  await client.orders.cancel({ params: { order_id: stored.order_id } });
  expect((await again(client, stored)).status).toBe('customer_canceled');
});

test('at creation and initiation an expired quote is replaced by one of the same provider', async () => {
  const { fixture, client } = await startClient();
  const swiftly = (await deliveryQuotes(client)).find(({ service }) => service === 'swiftly');
  const body = { ...orderRequest(), quote_id: swiftly?.id ?? '' };
  const { data: same } = await client.deliveries.create({ body });
  expect([same.quote_id, same.fee]).toEqual([swiftly?.id, swiftly?.fee]);
  await fixture.pass(20 * 60_000);
  const { data: other } = await client.deliveries.create({ body });
  const { data: begun } = await client.deliveries.initiate({ params: { deliveryid: same.id }, body: {} });
  for (const { quote_id, service } of [other, begun]) {
    expect(service).toBe('swiftly');
    expect(quote_id).not.toBe(swiftly?.id);
  }
});

test('changes of the same instant are listed in their causal order', async () => {
  const { client } = await startClient();
  for (const tip of [100, 200, 300, 400]) {
    const { id } = await startedDelivery(client, 'happy_path', { tip });
    await client.deliveries.cancel({ params: { deliveryid: id }, body: {} });
    const { data } = await client.charges.list({ query: { delivery_id: id } });
    expect(data.data.map(({ kind }) => kind)).toEqual(['refund', 'tip', 'delivery']);
  }
});

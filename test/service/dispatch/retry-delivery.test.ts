import { expect, test } from 'vitest';
import { again, runToEnd, startedDelivery } from '../delivery-runs.ts';
import { startClient } from '../fixture.ts';

test('after a declined payment a retry may take the same courier, at its price and not below', async () => {
  const { client } = await startClient();
  const { id, service } = await startedDelivery(client, 'payment_declined_once');
  const params = { deliveryid: id };
  const { data: terms } = await client.deliveries.retryTerms({ params });
  // The courier has not refused: it is the cheapest one again.
  expect(terms).toMatchObject({ retryable: true, service });
  const limited = (max_cost: number) => client.deliveries.retry({ params, body: { max_cost } });
  const price = terms.cost ?? 0;
  await expect(limited(price - 1)).rejects.toMatchObject({ code: 'cost_above_limit' });
  const { data: again } = await limited(price);
  expect(again).toMatchObject({ service, payment_amount: price });
  const { data: detailed } = await client.deliveries.getDetailed({ params: { deliveryid: again.id } });
  expect(detailed.details.max_cost).toBe(price);
});

test('a courier that has refused is left out of a retry', async () => {
  const { client } = await startClient();
  const { id, service } = await startedDelivery(client, 'no_capacity');
  const { data: terms } = await client.deliveries.retryTerms({ params: { deliveryid: id } });
  expect(terms.service).not.toBe(service);
});

test('the terms of a retry: what is charged so far, and the price of the quote that the retry then uses', async () => {
  const { fixture, client } = await startClient();
  const delivery = await startedDelivery(client, 'happy_path', { tip: 300, request_signature: true });
  await fixture.pass(3 * 60_000);
  const params = { deliveryid: delivery.id };
  const { data: early } = await client.deliveries.retryTerms({ params });
  expect(early).toMatchObject({
    ...{ retryable: false, reason: expect.stringContaining('only a failed or canceled delivery') },
    ...{ paid: delivery.payment_amount + 300, service: '', cost: null },
  });
  await client.deliveries.cancel({ params, body: {} });
  const query = { quote_preference: 'fastest' } as const;
  const { data: terms } = await client.deliveries.retryTerms({ params, query });
  expect(terms).toMatchObject({ retryable: true, reason: '', paid: 400, tip: 300 });
  const { data: limited } = await client.deliveries.retryTerms({ params, query: { max_cost: 1 } });
  expect([limited.retryable, limited.cost, limited.service]).toEqual([true, null, '']);
  const { data } = await client.deliveries.retry({ params, body: query });
  expect([data.service, data.payment_amount]).toEqual([terms.service, terms.cost]);
});

test('a retry selects among the quotes within its limit', async () => {
  const { client } = await startClient();
  const { id } = await startedDelivery(client, 'happy_path');
  const params = { deliveryid: id };
  await client.deliveries.cancel({ params, body: {} });
  const { data: any } = await client.deliveries.retryTerms({
    params,
    query: { quote_preference: 'fastest' },
  });
  const query = { quote_preference: 'fastest', max_cost: (any.cost ?? 0) - 1 } as const;
  const { data: terms } = await client.deliveries.retryTerms({ params, query });
  expect(terms.service).not.toBe(any.service);
  const { data } = await client.deliveries.retry({ params, body: query });
  expect([data.service, data.payment_amount]).toEqual([terms.service, terms.cost]);
  expect(data.payment_amount).toBeLessThanOrEqual(query.max_cost);
});

test('a retry leaves out the couriers that ended an earlier delivery badly, unless none is left', async () => {
  const { fixture, client } = await startClient();
  const first = await startedDelivery(client, 'no_driver');
  await runToEnd(fixture, client, first);
  const params = { deliveryid: first.id };
  expect((await again(client, first)).status).toBe('provider_canceled');
  const { data: terms } = await client.deliveries.retryTerms({ params });
  expect(terms.service).not.toBe(first.service);
  const named = await client.deliveries.retryTerms({ params, query: { provider: first.service } });
  expect(named.data).toMatchObject({ service: first.service, cost: first.payment_amount });
  const leftOut = terms.quotes.flatMap((each) => (each.left_out === true ? each.service : []));
  expect(leftOut).toEqual([first.service]);
  // It is not used either where it is the only one within the limit.
  const within = { max_cost: first.payment_amount };
  expect((await client.deliveries.retryTerms({ params, query: within })).data.cost).toBeNull();
  await expect(client.deliveries.retry({ params, body: within })).rejects.toMatchObject({
    message: expect.stringContaining(`costs at least $${((terms.cost ?? 0) / 100).toFixed(2)}`),
  });
  const several = { exclude_provider: `${terms.service}, ${first.service}` };
  const { data: rest } = await client.deliveries.retryTerms({ params, query: several });
  for (const { service } of rest.quotes) expect(several.exclude_provider).not.toContain(service);
  const query = { exclude_provider: terms.service };
  const { data: other } = await client.deliveries.retryTerms({ params, query });
  expect([first.service, terms.service]).not.toContain(other.service);
  const { data: second } = await client.deliveries.retry({ params, body: {} });
  expect(second.service).toBe(terms.service);
  await runToEnd(fixture, client, second);
  const { data: third } = await client.deliveries.retryTerms({ params: { deliveryid: second.id } });
  expect([first.service, second.service]).not.toContain(third.service);
});

test('without a courier that quotes, a retry fails at once', async () => {
  const { client } = await startClient();
  const { id } = await startedDelivery(client, 'no_capacity');
  const params = { deliveryid: id };
  for (const name of ['swiftly', 'poolride', 'metrobike', 'haulvan', 'nightowl'])
    await client.sandbox.updateProvider({ params: { name }, body: { state: 'down' } });
  const { data } = await client.deliveries.retry({ params, body: {} });
  expect(data).toMatchObject({ status: 'failed', failure_reason: 'no_provider_available' });
  // Only the latest delivery of an order is retried.
  await expect(client.deliveries.retry({ params, body: {} })).rejects.toMatchObject({
    ...{ code: 'delivery_not_initiable', message: expect.stringContaining('is not the latest delivery') },
  });
});

test('a retry has a route and a round of quotes of its own', async () => {
  const { client } = await startClient();
  const { id } = await startedDelivery(client, 'payment_declined_once');
  const { data } = await client.deliveries.retry({ params: { deliveryid: id }, body: {} });
  const { data: order } = await client.orders.get({ params: { order_id: data.order_id } });
  const params = { route_id: order.route_id ?? '' };
  expect((await client.routes.get({ params })).data.status).toBe('dispatched');
  const { data: quotes } = await client.quotes.list({ params });
  expect(quotes.data?.map((quote) => quote.id)).toContain(data.quote_id);
});

test.each([
  [{ driver_id: 'drv_nobody' }, 'record_not_found'],
  [{ max_cost: 1 }, 'cost_above_limit'],
  [{ max_cost: 1, if_status: 'delivered' }, 'record_changed'],
] as const)('a retry with %j is refused: %s', async (body, code) => {
  const { client } = await startClient();
  const { id } = await startedDelivery(client, 'no_capacity');
  const call = client.deliveries.retry({ params: { deliveryid: id }, body });
  await expect(call).rejects.toMatchObject({ code });
});

test('there are no terms of a delivery that does not exist', async () => {
  const { client } = await startClient();
  const call = client.deliveries.retryTerms({ params: { deliveryid: 'dlv_nobody' } });
  await expect(call).rejects.toMatchObject({ status: 404 });
});

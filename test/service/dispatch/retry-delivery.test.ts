import { expect, test } from 'vitest';
import { startedDelivery } from '../delivery-runs.ts';
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

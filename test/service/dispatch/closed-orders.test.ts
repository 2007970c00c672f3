import { expect, test } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { newBatch, passUntilAsked, withScenario } from '../auto-dispatch/batches.ts';
import { startedDelivery } from '../delivery-runs.ts';
import { type Fixture, startFixture } from '../fixture.ts';

const cancelOrder = (client: Client, { order_id }: { order_id: string }) =>
  client.orders.cancel({ params: { order_id } });

const failedOrder = (client: Client) => startedDelivery(client, 'no_capacity');

/** How an order was canceled, and whether its delivery may be retried. */
const endings: Record<string, { retryable: boolean; make: (fixture: Fixture) => Promise<{ id: string }> }> = {
  'after its delivery had failed': {
    retryable: false,
    make: async ({ client }) => {
      const delivery = await failedOrder(client());
      await cancelOrder(client(), delivery);
      return delivery;
    },
  },
  'between two attempts of auto dispatch': {
    retryable: false,
    make: async (fixture) => {
      await newBatch(fixture.client(), [withScenario('payment_declined')]);
      await fixture.pass(60_000);
      const [delivery] = (await fixture.client().deliveries.list()).data.data;
      if (delivery === undefined) throw new Error('there is no failed delivery');
      await cancelOrder(fixture.client(), delivery);
      return delivery;
    },
  },
  'with its batch, after an attempt had failed': {
    retryable: false,
    make: async (fixture) => {
      const batch_id = await newBatch(fixture.client(), [withScenario('payment_declined')]);
      await fixture.pass(60_000);
      const [delivery] = (await fixture.client().deliveries.list()).data.data;
      await fixture.client().batches.cancel({ params: { batch_id } });
      return { id: delivery?.id ?? '' };
    },
  },
  'with its batch, while its courier was asked': {
    retryable: false,
    make: async (fixture) => {
      const batch_id = await newBatch(fixture.client(), [{}], { providers: ['poolride'] });
      await passUntilAsked(fixture, batch_id);
      await fixture.client().batches.cancel({ params: { batch_id } });
      const [delivery] = (await fixture.client().deliveries.listDetailed()).data.data;
      expect(delivery).toMatchObject({ status: 'customer_canceled', details: { closes_order: true } });
      return { id: delivery?.id ?? '' };
    },
  },
  'after it had left a route again': {
    retryable: false,
    make: async ({ client }) => {
      const delivery = await failedOrder(client());
      const { data: route } = await client().routes.create({ body: { order_ids: [delivery.order_id] } });
      await client().routes.delete({ params: { route_id: route.id } });
      await cancelOrder(client(), delivery);
      return delivery;
    },
  },
  'while its delivery was under way': {
    retryable: true,
    make: async ({ client }) => {
      const delivery = await startedDelivery(client(), 'happy_path');
      await cancelOrder(client(), delivery);
      return delivery;
    },
  },
  'by its delivery': {
    retryable: true,
    make: async ({ client }) => {
      const delivery = await startedDelivery(client(), 'happy_path');
      await client().deliveries.cancel({ params: { deliveryid: delivery.id }, body: {} });
      return delivery;
    },
  },
  'by its courier': {
    retryable: true,
    make: async (fixture) => {
      const delivery = await startedDelivery(fixture.client(), 'provider_cancel_before_pickup');
      await fixture.pass(3 * 60 * 60_000);
      return delivery;
    },
  },
};

test.each(Object.entries(endings))('an order that was canceled %s', async (_how, { retryable, make }) => {
  const fixture = await startFixture();
  const client = fixture.client();
  const { id } = await make(fixture);
  const params = { deliveryid: id };
  const before = (await client.deliveries.list()).data.data.length;
  const { data: terms } = await client.deliveries.retryTerms({ params });
  const retried = client.deliveries.retry({ params, body: {} });
  if (retryable) {
    expect(terms).toMatchObject({ retryable: true, code: '' });
    await expect(retried).resolves.toBeDefined();
  } else {
    expect(terms).toMatchObject({ retryable: false, code: 'order_not_open' });
    await expect(retried).rejects.toMatchObject({
      status: 409,
      code: 'order_not_open',
      message: terms.reason,
    });
  }
  expect((await client.deliveries.list()).data.data).toHaveLength(before + (retryable ? 1 : 0));
});

test('a retry with unique_ref is refused once another order has the reference', async () => {
  const fixture = await startFixture();
  const client = fixture.client();
  const { id } = await startedDelivery(client, 'no_capacity', { external_order_ref: 'A-1' });
  const params = { deliveryid: id };
  const { id: other } = await startedDelivery(client, 'happy_path', { external_order_ref: 'A-1' });
  const refused = { code: 'duplicate_ref' };
  expect((await client.deliveries.retryTerms({ params, query: { unique_ref: true } })).data).toMatchObject({
    retryable: false,
    ...refused,
  });
  await expect(client.deliveries.retry({ params, body: { unique_ref: true } })).rejects.toMatchObject(
    refused,
  );
  await client.deliveries.cancel({ params: { deliveryid: other }, body: {} });
  await expect(client.deliveries.retry({ params, body: { unique_ref: true } })).resolves.toBeDefined();
});

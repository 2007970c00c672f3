import { expect, test } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { moneyOf, startedDelivery } from '../delivery-runs.ts';
import { type Fixture, startClient } from '../fixture.ts';

const day = 24 * 60 * 60_000;

async function disputed(fixture: Fixture, client: Client): Promise<string> {
  const { id } = await startedDelivery(client, 'happy_path');
  await fixture.pass(day);
  await client.deliveries.dispute({ params: { deliveryid: id }, body: { reason: 'It never came' } });
  return id;
}

test('a dispute is open until it is resolved, and a refund is a charge and an event', async () => {
  const { fixture, client } = await startClient();
  const deliveryid = await disputed(fixture, client);
  const params = { deliveryid };
  expect((await client.disputes.get({ params })).data).toMatchObject({
    ...{ object: 'dispute', delivery_id: deliveryid, reason: 'It never came', status: 'open' },
    ...{ outcome: null, amount: 0, note: '', test_mode: true, resolved_at: null },
  });
  const paid = (await moneyOf(client, { id: deliveryid })).sum;
  const body = { outcome: 'refunded', amount: 300, note: 'One soup was missing' } as const;
  const { data } = await client.disputes.resolve({ params, body });
  expect(data).toMatchObject({ ...body, status: 'resolved', resolved_at: expect.any(String) });
  expect((await moneyOf(client, { id: deliveryid })).sum).toBe(paid - 300);
  const dispute = { reason: 'It never came', outcome: 'refunded' };
  expect((await client.deliveries.getDetailed({ params })).data).toMatchObject({
    ...{ status: 'disputed', refunded_amount: 300, details: { dispute } },
  });
  const events = await client.events.list({ query: { delivery_id: deliveryid, limit: 1 } });
  expect(events.data.data[0]).toMatchObject({
    type: 'delivery.updated',
    ...{ data: { refunded_amount: 300 }, details: { dispute } },
  });
});

test('without an amount everything paid is refunded; another outcome refunds nothing', async () => {
  const { fixture, client } = await startClient();
  const [first, second] = [await disputed(fixture, client), await disputed(fixture, client)];
  const resolve = (deliveryid: string, outcome: 'refunded' | 'redelivered') =>
    client.disputes.resolve({ params: { deliveryid }, body: { outcome } });
  await resolve(first, 'refunded');
  expect((await moneyOf(client, { id: first })).sum).toBe(0);
  const paid = (await moneyOf(client, { id: second })).sum;
  expect((await resolve(second, 'redelivered')).data).toMatchObject({ outcome: 'redelivered', amount: 0 });
  expect((await moneyOf(client, { id: second })).sum).toBe(paid);
});

test('disputes are listed by status, page by page', async () => {
  const { fixture, client } = await startClient();
  const ids = [
    await disputed(fixture, client),
    await disputed(fixture, client),
    await disputed(fixture, client),
  ];
  await client.disputes.resolve({ params: { deliveryid: ids[1] ?? '' }, body: { outcome: 'rejected' } });
  const listed = async (query: Parameters<typeof client.disputes.list>[0]) =>
    (await client.disputes.list(query)).data.data.map(({ delivery_id }) => delivery_id);
  expect(await listed({})).toEqual(ids.toReversed());
  expect(await listed({ query: { status: 'resolved' } })).toEqual([ids[1]]);
  expect(await listed({ query: { status: 'open' } })).toEqual([ids[2], ids[0]]);
  const page = (await client.disputes.list({ query: { limit: 2 } })).data;
  expect(await listed({ query: { cursor: page.next_cursor ?? '' } })).toEqual([ids[0]]);
});

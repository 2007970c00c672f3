import { expect, test } from 'vitest';
import type { OrderSettings } from '../../../src/contract/orders.ts';
import { orderRequest, startClient } from '../fixture.ts';
import { after, attemptsOf, startBatch } from './batches.ts';

async function chosen(settings: Omit<OrderSettings, 'mechanism'>) {
  const { fixture, client, id } = await startBatch([{}], { retry_window: 0, ...settings });
  const batch = await after(fixture, id, 8);
  const [attempt] = await attemptsOf(client, batch.orders[0]?.order_id ?? '');
  if (attempt === undefined) throw new Error('nothing was tried');
  return { ...attempt, outcome: batch.orders[0] };
}

const codes = ({ left_out }: Awaited<ReturnType<typeof chosen>>) =>
  Object.fromEntries(left_out.map(({ provider, code }) => [provider, code]));

test('the cheapest quote is chosen by default, and every other has a reason', async () => {
  const attempt = await chosen({});
  expect(attempt.provider).toBe('poolride');
  expect(codes(attempt)).toEqual({
    metrobike: 'dearer',
    swiftly: 'dearer',
    haulvan: 'dearer',
    nightowl: 'scheduled_only',
  });
});

test('the fastest quote is chosen', async () => {
  const attempt = await chosen({ quote_preference: 'fastest' });
  expect(attempt).toMatchObject({ provider: 'swiftly', reason: 'the quote with the earliest dropoff' });
  expect(codes(attempt)).toMatchObject({ poolride: 'slower' });
});

test('the first named provider that quotes is chosen, and others are not asked', async () => {
  const attempt = await chosen({
    quote_preference: 'preferred',
    providers: ['nightowl', 'haulvan', 'swiftly'],
  });
  expect(attempt.provider).toBe('haulvan');
  expect(codes(attempt)).toEqual({
    swiftly: 'less_preferred',
    nightowl: 'scheduled_only',
    metrobike: 'not_named',
    poolride: 'not_named',
  });
});

test('a provider that only quotes when named does so when it is named', async () => {
  expect((await chosen({ providers: ['flaky_co'] })).provider).toBe('flaky_co');
});

test('no quote above the maximum cost is chosen, and the order says by how much they exceed it', async () => {
  expect((await chosen({ max_cost: 647 })).provider).toBe('poolride');
  const attempt = await chosen({ max_cost: 646 });
  expect(attempt.provider).toBeNull();
  expect(attempt.outcome).toMatchObject({
    status: 'unfulfilled',
    reason: 'no quote is within the price limit: $6.47 is above the maximum of $6.46',
  });
  expect(codes(attempt)).toMatchObject({ poolride: 'above_max_cost', haulvan: 'above_max_cost' });
  const alone = await chosen({ max_cost: 646, providers: ['poolride'] });
  expect(alone.outcome?.reason).toBe(attempt.outcome?.reason);
});

test('a manually dispatched order has no attempts', async () => {
  const { client } = await startClient();
  const { data } = await client.orders.createOne({ body: orderRequest() });
  expect(await attemptsOf(client, data.id)).toEqual([]);
  await expect(attemptsOf(client, 'ord_nobody')).rejects.toMatchObject({ code: 'record_not_found' });
});

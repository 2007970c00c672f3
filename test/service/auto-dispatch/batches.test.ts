import { expect, test } from 'vitest';
import type { Scenario } from '../../../src/domain/scenarios.ts';
import { createService } from '../../../src/service/service.ts';
import { startFixture } from '../fixture.ts';
import { phone } from '../fleet/fleet.ts';
import { after, batchNow, eventsOf, farAway, newBatch, startBatch, withScenario } from './batches.ts';
import { expectNothingLostOrTwice } from './invariants.ts';

const fates: Scenario[] = [
  'happy_path',
  'payment_declined',
  'payment_declined_once',
  'no_capacity',
  'no_quotes_then',
  'slow_quotes',
];

test('at every moment the counts of a batch add up and match its orders', async () => {
  const { fixture, client, id } = await startBatch([...fates.map(withScenario), farAway], {
    retry_window: 120,
    retry_interval: 30,
  });
  for (let second = 0; second < 200; second += 1) {
    const { counts, orders, order_count, status } = await batchNow(client, id);
    expect(Object.values(counts).reduce((sum, count) => sum + count)).toBe(order_count);
    for (const [name, count] of Object.entries(counts)) {
      expect(orders.filter((order) => order.status === name)).toHaveLength(count);
    }
    if (status === 'complete') expect(counts.pending).toBe(0);
    await fixture.pass(1000);
  }
  const batch = await batchNow(client, id);
  expect(batch).toMatchObject({ status: 'complete', counts: { dispatched: 4, unfulfilled: 1, failed: 2 } });
  await expectNothingLostOrTwice(fixture.storage);
});

test('an order with slow quotes does not delay others', async () => {
  const { fixture, id } = await startBatch([withScenario('slow_quotes'), {}, farAway, {}]);
  const batch = await after(fixture, id, 5);
  expect(batch.orders.map(({ status, attempts }) => [status, attempts])).toEqual([
    ['pending', 1],
    ['dispatched', 1],
    ['pending', 1],
    ['dispatched', 1],
  ]);
});

test('the end of a batch is published once, with its counts and without its orders', async () => {
  const { fixture, id } = await startBatch([{}, {}]);
  await after(fixture, id, 8);
  const [event, ...others] = await eventsOf(fixture, 'batch.completed');
  expect(others).toEqual([]);
  const data = JSON.parse(event?.data ?? '');
  expect(data).toMatchObject({
    object: 'batch',
    batch_id: id,
    status: 'complete',
    counts: { dispatched: 2 },
  });
  expect(data).not.toHaveProperty('orders');
});

test('a dispatched order keeps its outcome whatever happens to its delivery', async () => {
  const { fixture, client, id } = await startBatch([withScenario('no_driver'), withScenario('happy_path')]);
  await fixture.service.tick();
  await fixture.pass(4000);
  await fixture.pass(24 * 3_600_000);
  const batch = await batchNow(client, id);
  expect(batch.counts).toMatchObject({ dispatched: 2 });
  const [first] = batch.orders;
  const order = await client.orders.get({ params: { order_id: first?.order_id ?? '' } });
  expect(order.data.status).toBe('canceled');
});

test('with a live key all orders end unfulfilled, and no attempt has a time in the past', async () => {
  const fixture = await startFixture({ sandbox: false });
  const live = fixture.client(fixture.keys.live);
  const id = await newBatch(live, [{}], { retry_window: 600, retry_interval: 60 });
  await fixture.service.tick();
  expect((await batchNow(live, id)).orders[0]).toMatchObject({
    attempts: 1,
    reason: 'no provider offered a quote',
  });
  // The service was down for five and a half minutes: the attempts of that time are skipped.
  await fixture.pass(330_000);
  await fixture.service.tick();
  expect((await batchNow(live, id)).orders[0]).toMatchObject({
    attempts: 1,
    next_attempt_at: '2026-03-02T12:06:00.000Z',
  });
  await fixture.pass(30_000);
  expect((await batchNow(live, id)).orders[0]).toMatchObject({ attempts: 2 });
  await fixture.pass(3_600_000);
  await fixture.service.tick();
  const batch = await batchNow(live, id);
  expect(batch).toMatchObject({ status: 'complete', counts: { unfulfilled: 1 } });
  expect(batch.orders[0]).toMatchObject({ attempts: 2, reason: 'the scheduled attempt was missed' });
});

test('a live quote that expired while the service was down is not chosen: a new one is requested', async () => {
  let isDown = false;
  const fixture = await startFixture({ sandbox: false });
  const { secrets } = fixture.config;
  fixture.config.secrets = {
    ...secrets,
    base62: async (length) =>
      isDown ? Promise.reject(new Error('the service is down')) : secrets.base62(length),
  };
  const { live: key } = fixture.keys;
  await phone(fixture, 'Sam', { key });
  const other = createService(fixture.config);
  const live = fixture.client(key);
  const id = await newBatch(live, [{}], { providers: ['fleet'] });
  isDown = true;
  await other.tick();
  isDown = false;
  await fixture.pass(20 * 60_000, other.tick);
  await other.tick();
  const { delivery_id, reason, attempts } = (await batchNow(live, id)).orders[0] ?? {};
  expect([reason, attempts]).toEqual(['', 1]);
  const { data } = await live.deliveries.get({ params: { deliveryid: delivery_id ?? '' } });
  expect(data.created_at).toBe('2026-03-02T12:20:00.000Z');
});

test('every order gets one attempt, however long the service was stopped before', async () => {
  const fixture = await startFixture({ sandbox: false });
  const live = fixture.client(fixture.keys.live);
  const id = await newBatch(live, [{}], { retry_window: 0, retry_interval: 10 });
  await fixture.pass(3_600_000);
  await fixture.service.tick();
  const batch = await batchNow(live, id);
  expect(batch).toMatchObject({ status: 'complete', updated_at: '2026-03-02T13:00:00.000Z' });
  expect(batch.orders[0]).toMatchObject({ attempts: 1, reason: 'no provider offered a quote' });
});

import { expect, test } from 'vitest';
import { attemptTask } from '../../../src/service/auto-dispatch/attempts.ts';
import type { ServiceContext } from '../../../src/service/runtime/context.ts';
import { seededChance } from '../../../src/service/runtime/random.ts';
import { readTaskPayload } from '../../../src/service/runtime/task-kinds.ts';
import { deleteTasksOfSubject } from '../../../src/storage/tasks.ts';
import { moneyOf } from '../delivery-runs.ts';
import { type clientOf, startClient } from '../fixture.ts';
import { after, attemptsOf, batchNow, farAway, newBatch, startBatch, withScenario } from './batches.ts';

/** When attempts of the only order of a batch started, in seconds after the batch: each answer's first and last. */
async function startTimes(client: ReturnType<typeof clientOf>, batch_id: string): Promise<number[]> {
  const batch = await batchNow(client, batch_id);
  const tries = await attemptsOf(client, batch.orders[0]?.order_id ?? '');
  const times = tries.flatMap(({ created_at, last_at }) => [created_at, last_at ?? created_at]);
  return times.map((at) => (Date.parse(at) - Date.parse(batch.created_at)) / 1000);
}

test('the attempts of an order without quotes start at every interval up to and including the window', async () => {
  const { fixture, client, id } = await startBatch([farAway], { retry_window: 60, retry_interval: 20 });
  await fixture.pass(59_999);
  expect((await batchNow(client, id)).orders[0]).toMatchObject({ attempts: 3, status: 'pending' });
  await fixture.pass(1);
  expect((await batchNow(client, id)).orders[0]).toMatchObject({ attempts: 4, next_attempt_at: null });
  const batch = await after(fixture, id, 10);
  expect(await startTimes(client, id)).toEqual([0, 60]);
  expect(batch).toMatchObject({ status: 'complete', counts: { unfulfilled: 1 } });
  // The last attempt started within the window and ended after it.
  expect(batch.completed_at).toBe('2026-03-02T12:01:04.000Z');
  expect(batch.orders[0]).toMatchObject({ status: 'unfulfilled', reason: 'no provider offered a quote' });
  await fixture.pass(3_600_000);
  expect(await startTimes(client, id)).toEqual([0, 60]);
});

test('orders that wait are listed until they have an outcome, with the time of the next attempt and of the last', async () => {
  const { fixture, client } = await startClient();
  const waiting = async (query: { limit?: number; cursor?: string } = {}) =>
    (await client.waitingOrders.list({ query })).data;
  await newBatch(client, [{}]);
  const id = await newBatch(client, [farAway, { ...farAway, external_order_ref: 'second' }], {
    ...{ retry_window: 600, retry_interval: 60 },
  });
  expect(await waiting()).toMatchObject({ data: [{ attempts: 0 }, { attempts: 0 }, { attempts: 0 }] });
  await after(fixture, id, 10);
  const { data } = await waiting();
  expect(data).toMatchObject([
    {
      object: 'waiting_order',
      order: { status: 'routed', external_order_ref: 'second' },
      attempts: 1,
      waiting_since: '2026-03-02T12:00:00.000Z',
      next_attempt_at: '2026-03-02T12:01:00.000Z',
      retry_until: '2026-03-02T12:10:00.000Z',
      reason: 'no provider offered a quote',
    },
    { order: { external_order_ref: '' } },
  ]);
  const first = await waiting({ limit: 1 });
  expect(first).toMatchObject({ data: [data[0]], has_more: true });
  const rest = await waiting({ limit: 1, cursor: first.next_cursor ?? '' });
  expect(rest).toMatchObject({ data: [data[1]], has_more: false });
  await client.batches.cancel({ params: { batch_id: id } });
  expect(await waiting()).toMatchObject({ data: [] });
});

test('an order whose attempt the service cannot start waits for the next', async () => {
  const { fixture, client } = await startClient();
  const { storage } = fixture;
  const id = await newBatch(client, [{}], { retry_window: 600, retry_interval: 60 });
  const row = await storage.run((db) =>
    db.selectFrom('tasks').selectAll().where('kind', '=', 'order.try').executeTakeFirstOrThrow(),
  );
  const service = {
    storage,
    chance: async () => seededChance('try'),
  } as Partial<ServiceContext> as ServiceContext;
  await attemptTask.abandon?.(service, {
    ...{ row, payload: readTaskPayload('order.try', row), now: row.due_at, is_first: true },
    finish: (db) => deleteTasksOfSubject(db, row.subject, ['order.try']),
    renew: async () => {},
  });
  const reason = 'the service failed to start an attempt';
  expect((await batchNow(client, id)).orders[0]).toMatchObject({ status: 'pending', attempts: 0, reason });
  await fixture.pass(60_000);
  expect((await after(fixture, id, 10)).counts).toMatchObject({ dispatched: 1 });
});

test('an attempt that takes longer than the interval skips the ones that it missed', async () => {
  const settings = { retry_window: 150, retry_interval: 25, max_cost: 1 };
  const { fixture, client, id } = await startBatch([withScenario('slow_quotes')], settings);
  await after(fixture, id, 260);
  expect(await startTimes(client, id)).toEqual([0, 150]);
  expect((await batchNow(client, id)).orders[0]?.attempts).toBe(3);
});

test('a courier that refused is excluded on a new route until no other quotes, and is then asked again', async () => {
  const { fixture, client, id } = await startBatch([withScenario('no_capacity')], {
    retry_window: 300,
    retry_interval: 60,
  });
  const batch = await after(fixture, id, 310);
  const tries = await attemptsOf(client, batch.orders[0]?.order_id ?? '');
  expect(tries.map(({ provider, status }) => [provider, status])).toEqual([
    ['poolride', 'refused'],
    ['metrobike', 'refused'],
    ['swiftly', 'refused'],
    ['haulvan', 'refused'],
    [null, 'no_quotes'],
    ['poolride', 'refused'],
  ]);
  expect(tries[1]?.left_out).toContainEqual({
    provider: 'poolride',
    code: 'refused_before',
    reason: 'refused an earlier dispatch of this order',
  });
  // A dispatched route is used up; one without quotes is used again.
  expect(new Set(tries.map(({ route_id }) => route_id)).size).toBe(5);
  expect(batch.orders[0]).toMatchObject({
    status: 'failed',
    reason: 'poolride has no courier available; refused earlier by metrobike, swiftly, haulvan',
  });
  const deliveries = (await client.deliveries.list()).data.data;
  expect(deliveries.map(({ status }) => status)).toEqual(Array(5).fill('failed'));
  for (const delivery of deliveries) expect((await moneyOf(client, delivery)).sum).toBe(0);
  const order = await client.orders.get({ params: { order_id: batch.orders[0]?.order_id ?? '' } });
  expect(order.data.status).toBe('failed');
});

test('the only allowed courier is asked again at the next attempt after a refusal', async () => {
  const { fixture, client } = await startClient();
  const name = 'poolride';
  const id = await newBatch(client, [{}], { providers: [name], retry_interval: 60 });
  await after(fixture, id, 3);
  const body = { state: 'no_capacity', for_seconds: 30 } as const;
  await client.sandbox.updateProvider({ params: { name }, body });
  const between = await after(fixture, id, 20);
  expect(between.orders[0]).toMatchObject({ status: 'pending', attempts: 1 });
  // Between two attempts the order is open, but cannot be taken.
  const { data } = await client.orders.get({ params: { order_id: between.orders[0]?.order_id ?? '' } });
  expect(data).toMatchObject({ status: 'open', route_id: null });
  const batch = await after(fixture, id, 60);
  expect(batch.orders[0]).toMatchObject({ status: 'dispatched', attempts: 2 });
});

test('a provider that takes longer than 90 seconds for a quote does not delay others', async () => {
  const { fixture, client } = await startClient();
  const body = { state: 'slow', slow_seconds: 3600 } as const;
  await client.sandbox.updateProvider({ params: { name: 'swiftly' }, body });
  const id = await newBatch(client, [{}], { retry_window: 60 });
  const batch = await after(fixture, id, 95);
  expect(batch.orders[0]).toMatchObject({ status: 'dispatched', attempts: 1 });
  const [attempt] = await attemptsOf(client, batch.orders[0]?.order_id ?? '');
  expect(attempt).toMatchObject({ provider: 'poolride' });
  expect(attempt?.left_out).toContainEqual({
    provider: 'swiftly',
    code: 'no_answer',
    reason: 'swiftly did not answer',
  });
});

test('a payment declined once succeeds at the next attempt with the same courier and is charged once', async () => {
  const { fixture, client, id } = await startBatch([withScenario('payment_declined_once')], {
    retry_interval: 60,
  });
  const batch = await after(fixture, id, 70);
  const tries = await attemptsOf(client, batch.orders[0]?.order_id ?? '');
  expect(tries.map(({ provider, status, reason }) => [provider, status, reason])).toEqual([
    ['poolride', 'declined', 'the payment was declined'],
    ['poolride', 'dispatched', 'the cheapest quote'],
  ]);
  const deliveries = (await client.deliveries.list()).data.data;
  const sums = await Promise.all(deliveries.map(async (delivery) => (await moneyOf(client, delivery)).sum));
  expect(sums.toSorted()).toEqual([0, 647]);
});

test('a payment that is always declined ends as failed, and nothing is sent to a courier', async () => {
  const { fixture, id } = await startBatch([withScenario('payment_declined')], {
    retry_window: 60,
    retry_interval: 60,
  });
  const batch = await after(fixture, id, 70);
  expect(batch.orders[0]).toMatchObject({
    status: 'failed',
    attempts: 2,
    reason: 'the payment was declined',
  });
  const entries = await fixture.storage.run((db) => db.selectFrom('courier_entries').selectAll().execute());
  expect(entries).toEqual([]);
});

test('quotes that are expired on arrival are requested again in the same attempt, 8 % more expensive', async () => {
  const { fixture, client, id } = await startBatch([withScenario('quote_expired')]);
  const batch = await after(fixture, id, 10);
  expect(batch.orders[0]).toMatchObject({ status: 'dispatched', attempts: 1 });
  const { data } = await client.deliveries.get({
    params: { deliveryid: batch.orders[0]?.delivery_id ?? '' },
  });
  // 599 cents plus 8% is 647, and a fee of 30 cents plus 2.9%.
  expect(data.payment_amount).toBe(647 + 49);
});

test('a failed delivery and its event say when another attempt follows', async () => {
  const settings = { retry_window: 600, retry_interval: 600 };
  const { fixture, client, id } = await startBatch([withScenario('payment_declined')], settings);
  const { created_at } = await after(fixture, id, 30);
  const failures = async () => {
    const [events, deliveries] = [await client.events.list({}), await client.deliveries.listDetailed({})];
    const failed = events.data.data.filter(
      ({ type, data }) => type === 'delivery.updated' && 'status' in data && data.status === 'failed',
    );
    return {
      events: failed.map(({ details }) => details?.next_attempt_at),
      records: deliveries.data.data.map(({ details }) => details.next_attempt_at),
    };
  };
  const second = new Date(Date.parse(created_at) + 600_000).toISOString();
  expect(await failures()).toEqual({ events: [second], records: [second] });
  await fixture.pass(600_000);
  await after(fixture, id, 30);
  expect(await failures()).toEqual({ events: [null, second], records: [null, null] });
});

test('no attempt follows once the batch is canceled', async () => {
  const { fixture, client, id } = await startBatch([withScenario('payment_declined_once')], {
    retry_window: 3600,
  });
  await after(fixture, id, 30);
  const next = async () => (await client.deliveries.listDetailed({})).data.data[0]?.details.next_attempt_at;
  expect(await next()).not.toBeNull();
  await client.batches.cancel({ params: { batch_id: id } });
  expect(await next()).toBeNull();
});

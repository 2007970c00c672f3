import { expect, test } from 'vitest';
import { createService } from '../../../src/service/service.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { oneOf } from '../../in-part.ts';
import { moneyOf } from '../delivery-runs.ts';
import { clientOf, type Fixture } from '../fixture.ts';
import {
  after,
  attemptsOf,
  batchNow,
  eventsOf,
  farAway,
  newBatch,
  passUntilAsked,
  startBatch,
  withScenario,
} from './batches.ts';

const patient = { retry_window: 600, retry_interval: 60 };

test('canceling a batch before its first attempt cancels every order', async () => {
  const { fixture, client, id: batch_id } = await startBatch([{}, {}, farAway], patient);
  const { data } = await client.batches.cancel({ params: { batch_id } });
  expect(data).toMatchObject({ status: 'complete', counts: { pending: 0, canceled: 3 } });
  expect(data.orders.every(({ reason }) => reason === 'the batch was canceled')).toBe(true);
  const batch = await after(fixture, batch_id, 120);
  expect(batch).toMatchObject({ status: 'complete', counts: { canceled: 3 } });
  expect((await client.deliveries.list()).data.data).toEqual([]);
  const types = (await eventsOf(fixture)).map(({ type }) => type);
  expect(types).toEqual(['order.canceled', 'order.canceled', 'order.canceled', 'batch.completed']);
});

test('an order can be canceled while quotes are collected and between two attempts', async () => {
  const { fixture, client, id: batch_id } = await startBatch([{}, farAway], patient);
  await after(fixture, batch_id, 2);
  await client.batches.cancel({ params: { batch_id } });
  const other = await newBatch(client, [farAway], patient);
  await after(fixture, other, 30);
  await client.batches.cancel({ params: { batch_id: other } });
  await after(fixture, other, 700);
  expect((await batchNow(client, batch_id)).counts.canceled).toBe(2);
  const closed = await batchNow(client, other);
  expect(closed).toMatchObject({ status: 'complete', counts: { canceled: 1 } });
  const [attempt] = await attemptsOf(client, closed.orders[0]?.order_id ?? '');
  expect(attempt).toMatchObject({ status: 'no_quotes', number: 1 });
  const routes = (await client.routes.list()).data.data;
  expect(new Set(routes.map(({ status }) => status))).toEqual(new Set(['canceled']));
});

/** A batch of one order, whose courier takes half a minute to respond. */
async function startSlow() {
  const started = await startBatch([{}], { ...patient, providers: ['poolride'] });
  await passUntilAsked(started.fixture, started.id);
  return started;
}

test('an order canceled during the call to its courier is canceled with its delivery, also at the courier', async () => {
  const { fixture, client, id: batch_id } = await startSlow();
  const canceled = (await client.batches.cancel({ params: { batch_id } })).data;
  expect(canceled).toMatchObject({ status: 'complete', counts: { canceled: 1 } });
  const batch = await after(fixture, batch_id, 60);
  expect(batch.counts).toMatchObject({ canceled: 1 });
  const [delivery] = (await client.deliveries.list()).data.data;
  if (delivery === undefined) throw new Error('nothing was dispatched');
  expect(delivery).toMatchObject({
    status: 'customer_canceled',
    cancellation_reason: 'The batch was canceled',
  });
  expect((await moneyOf(client, delivery)).sum).toBe(0);
  const entries = await fixture.storage.run((db) => db.selectFrom('courier_entries').selectAll().execute());
  expect(entries.map(({ kind }) => kind)).not.toContain('created');
});

test.each(['before', 'while'])(
  'an order whose delivery ended %s the batch is canceled does not hold up the cancellation of the others',
  async (when) => {
    const { fixture, id: batch_id } = await startSlow();
    const reported = { status: 'delivered', ended_at: fixture.now() } as const;
    const end = () => fixture.storage.run((db) => db.updateTable('deliveries').set(reported).execute());
    if (when === 'before') await end();
    let isEnded = when === 'before';
    const storage: Storage = {
      ...fixture.storage,
      transaction: async (work, isolation) => {
        if (!isEnded) await end();
        isEnded = true;
        return fixture.storage.transaction(work, isolation);
      },
    };
    const other = clientOf(createService({ ...fixture.config, storage }), fixture.keys.test);
    const { data } = await other.batches.cancel({ params: { batch_id } });
    expect(data.counts).toMatchObject({ pending: 1, canceled: 0 });
  },
);

test('a canceled attempt’s quote round is complete, with a reason for each provider that had not answered', async () => {
  const { fixture, client, id: batch_id } = await startBatch([{}], patient);
  await after(fixture, batch_id, 2);
  await client.batches.cancel({ params: { batch_id } });
  const [order] = (await client.orders.list()).data.data;
  const quotes = (await client.quotes.list({ params: { route_id: order?.route_id ?? '' } })).data;
  expect(quotes.status).toBe('COMPLETE');
  const reasons = quotes.reasons?.map(({ provider, code }) => `${provider} ${code}`);
  expect(reasons).toEqual(['haulvan canceled', 'nightowl canceled', 'poolride canceled']);
});

test.each([
  ['order', (fixture: Fixture) => fixture.pass(5000), 'dispatched'],
  ['batch', passUntilAsked, 'canceled'],
] as const)(
  'a delivery that is made while its %s is canceled is canceled',
  async (what, dispatch, counted) => {
    const { fixture, client, id: batch_id } = await startBatch([{}], { ...patient, providers: ['poolride'] });
    const [entry] = (await batchNow(client, batch_id)).orders;
    const order_id = entry?.order_id ?? '';
    // The selection is made between the cancellation's read and its commit.
    let isChosen = false;
    const storage: Storage = {
      ...fixture.storage,
      transaction: async (work) => {
        if (!isChosen) {
          isChosen = true;
          await dispatch(fixture, batch_id);
        }
        return fixture.storage.transaction(work);
      },
    };
    const other = clientOf(createService({ ...fixture.config, storage }), fixture.keys.test);
    if (what === 'batch') await other.batches.cancel({ params: { batch_id } });
    else expect((await other.orders.cancel({ params: { order_id } })).data.status).toBe('canceled');
    const [delivery] = (await client.deliveries.list()).data.data;
    expect(delivery?.status).toBe('customer_canceled');
    expect((await batchNow(client, batch_id)).counts).toMatchObject({ pending: 0, [counted]: 1 });
  },
);

/** What auto dispatch makes of an order, and the seconds after which it is so. */
const phases = [
  { now: 'open', after_s: 0 },
  { now: 'routed', after_s: 2 },
  // A declined payment ends an attempt, and its route.
  { now: 'open', after_s: 30, of: withScenario('payment_declined') },
  { now: 'routed', after_s: 61, of: farAway },
  { now: 'dispatched', after_s: 8 },
] as const;

const looks = phases.flatMap((phase) =>
  (['open', 'routed', 'dispatched'] as const).map((seen) => ({ of: {}, ...phase, seen })),
);

test.each(looks.filter(oneOf(2)))(
  'an order seen as $seen, which is $now after $after_s s, is canceled as seen or not at all',
  async (given) => {
    const { now, seen, after_s, of } = given;
    const { fixture, client, id } = await startBatch([of], patient);
    await after(fixture, id, after_s);
    const [order] = (await client.orders.list()).data.data;
    expect(order?.status).toBe(now);
    const params = { order_id: order?.id ?? '' };
    const idempotencyKey = 'cancel once';
    const cancel = (if_status: typeof seen) =>
      client.orders.cancel({ params, body: { if_status }, idempotencyKey });
    if (seen !== now) {
      const before = await client.orders.get({ params });
      await expect(cancel(seen)).rejects.toMatchObject({
        ...{ code: 'record_changed', status: 409 },
        message: `Order ${params.order_id} is ${now}, not ${seen}: look again.`,
      });
      expect((await client.orders.get({ params })).data).toEqual(before.data);
      expect((await batchNow(client, id)).counts.canceled).toBe(0);
    }
    if (seen !== now) return;
    expect((await cancel(now)).data.status).toBe('canceled');
  },
);

test('a cancellation refused because auto dispatch had begun an attempt succeeds with the same key after it', async () => {
  const { fixture, client, id } = await startBatch([withScenario('payment_declined')], patient);
  const [entry] = (await batchNow(client, id)).orders;
  const params = { order_id: entry?.order_id ?? '' };
  const cancel = () =>
    client.orders.cancel({ params, body: { if_status: 'open' }, idempotencyKey: 'as seen' });
  await after(fixture, id, 2);
  await expect(cancel()).rejects.toMatchObject({ code: 'record_changed' });
  await after(fixture, id, 28);
  expect((await cancel()).data.status).toBe('canceled');
  expect((await after(fixture, id, 120)).counts).toMatchObject({ canceled: 1, pending: 0 });
});

test('an attempt that begins between the look at an order and its cancellation is no order as seen', async () => {
  const { fixture, client, id: batch_id } = await startBatch([{}], patient);
  const [entry] = (await batchNow(client, batch_id)).orders;
  const order_id = entry?.order_id ?? '';
  let isBegun = false;
  const storage: Storage = {
    ...fixture.storage,
    transaction: async (work, isolation) => {
      if (!isBegun) {
        isBegun = true;
        await fixture.pass(1000);
      }
      return fixture.storage.transaction(work, isolation);
    },
  };
  const other = clientOf(createService({ ...fixture.config, storage }), fixture.keys.test);
  const cancel = other.orders.cancel({ params: { order_id }, body: { if_status: 'open' } });
  await expect(cancel).rejects.toMatchObject({
    ...{ code: 'record_changed', message: `Order ${order_id} is routed, not open: look again.` },
  });
  expect((await after(fixture, batch_id, 8)).counts).toMatchObject({ dispatched: 1, canceled: 0 });
});

test('a completed batch does not change', async () => {
  const { fixture, client, id: batch_id } = await startBatch([{}]);
  const before = await after(fixture, batch_id, 6);
  const { data } = await client.batches.cancel({ params: { batch_id } });
  expect(data).toEqual(before);
});

test('a single order of a batch can be canceled at any time before its dispatch', async () => {
  const { fixture, client, id: batch_id } = await startBatch([farAway, farAway, {}], patient);
  const ids = (await batchNow(client, batch_id)).orders.map(({ order_id }) => order_id);
  const close = async (index: number) =>
    (await client.orders.cancel({ params: { order_id: ids[index] ?? '' } })).data;
  expect((await close(0)).status).toBe('canceled');
  await after(fixture, batch_id, 20);
  expect((await close(1)).status).toBe('canceled');
  const batch = await batchNow(client, batch_id);
  expect(batch.orders.map(({ status }) => status)).toEqual(['canceled', 'canceled', 'dispatched']);
  await fixture.pass(1000);
  expect((await batchNow(client, batch_id)).status).toBe('complete');
});

test('a delivery canceled during the call to its courier ends the order, once', async () => {
  const { fixture, client, id: batch_id } = await startSlow();
  const [delivery] = (await client.deliveries.list()).data.data;
  await client.deliveries.cancel({ params: { deliveryid: delivery?.id ?? '' }, body: {} });
  const batch = await after(fixture, batch_id, 300);
  expect(batch).toMatchObject({ status: 'complete', counts: { canceled: 1 } });
  const types = (await eventsOf(fixture)).map(({ type }) => type);
  expect(types.filter((type) => type.startsWith('order.'))).toEqual(['order.canceled']);
});

test('an order in auto dispatch cannot be dispatched by hand', async () => {
  const { fixture, client, id: batch_id } = await startBatch([farAway], patient);
  await after(fixture, batch_id, 10);
  const [entry] = (await batchNow(client, batch_id)).orders;
  const order_id = entry?.order_id ?? '';
  const { route_id } = (await client.orders.get({ params: { order_id } })).data;
  const params = { route_id: route_id ?? '' };
  const refused = { code: 'order_not_open', message: expect.stringContaining(batch_id) };
  await expect(client.routes.create({ body: { order_ids: [order_id] } })).rejects.toMatchObject(refused);
  await expect(client.quotes.request({ params })).rejects.toMatchObject(refused);
  await expect(client.routes.delete({ params })).rejects.toMatchObject(refused);
  const dispatching = client.dispatches.create({ params, body: { quote_id: 'rq_1' } });
  await expect(dispatching).rejects.toMatchObject(refused);
  const batch = await after(fixture, batch_id, 700);
  expect(batch.counts.unfulfilled).toBe(1);
  // Once unfulfilled it may join a route, and can be canceled.
  const { data: route } = await client.routes.create({ body: { order_ids: [order_id] } });
  await client.routes.delete({ params: { route_id: route.id } });
  expect((await client.orders.cancel({ params: { order_id } })).data.status).toBe('canceled');
});

test('a failed delivery cannot be retried by hand while auto dispatch will retry it', async () => {
  const { fixture, client, id } = await startBatch([withScenario('no_capacity')], patient);
  await after(fixture, id, 8);
  const [delivery] = (await client.deliveries.list()).data.data;
  expect(delivery?.status).toBe('failed');
  const retrying = client.deliveries.retry({ params: { deliveryid: delivery?.id ?? '' }, body: {} });
  await expect(retrying).rejects.toMatchObject({ code: 'delivery_not_initiable' });
});

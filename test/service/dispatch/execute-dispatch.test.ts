import { expect, test } from 'vitest';
import { simulatedProviders } from '../../../src/providers/directory.ts';
import { type CancelRequest, type Provider, ProviderFault } from '../../../src/providers/port.ts';
import { realTimers } from '../../../src/service/runtime/time.ts';
import { memoryRecords } from '../../providers/simulated/memory-records.ts';
import { moneyOf, statusesOf } from '../delivery-runs.ts';
import { type Fixture, orderRequest, startClient, startFixture } from '../fixture.ts';
import { askedRoute, dispatchedOrder } from '../route-runs.ts';

/** The simulated couriers, with a modified swiftly, and the cancellations that it has received. */
function withSwiftly(change: Partial<Provider>) {
  const recalled: CancelRequest[] = [];
  const cancel: Provider['cancel'] = async (request) => {
    recalled.push(request);
    return { kind: 'taken', fee: 0 };
  };
  const providers = simulatedProviders(memoryRecords()).map((provider) =>
    provider.name === 'swiftly' ? { ...provider, cancel, ...change } : provider,
  );
  return { providers, recalled };
}

const dispatchToSwiftly = (fixture: Fixture) =>
  dispatchedOrder(fixture, orderRequest({ tip: 200 }), 'swiftly');

test('a refusal fails the deliveries, refunds them in full, reopens the order, and is not canceled', async () => {
  const refusing = async () => ({ kind: 'refused' as const, reason: 'no cars left' });
  const { providers, recalled } = withSwiftly({ create: refusing });
  const { fixture, client } = await startClient({ parts: { providers } });
  const delivery = await dispatchToSwiftly(fixture);
  const { data: route } = await client.routes.get({ params: { route_id: delivery.route_id ?? '' } });
  expect(route.status).toBe('completed');
  expect(delivery).toMatchObject({
    ...{ status: 'failed', refunded_amount: 1053 },
    ...{ failure_reason: 'provider_refused', failure_message: 'no cars left' },
  });
  expect(statusesOf(delivery)).toEqual(['delivery_created', 'failed']);
  expect(await moneyOf(client, delivery)).toEqual({ sum: 0, kinds: ['delivery', 'refund', 'tip'] });
  const order = await client.orders.get({ params: { order_id: delivery.order_id } });
  expect(order.data.status).toBe('failed');
  const again = await client.routes.create({ body: { order_ids: [order.data.id] } });
  expect(again.data.status).toBe('draft');
  await fixture.pass(60_000);
  expect(recalled).toEqual([]);
});

test.each([
  ['a service that keeps running', Array(30).fill(1_000)],
  ['a service that runs its due tasks after an hour', [3_600_000]],
])('%s calls a silent provider again after 1, 4 and 16 s, and then fails the delivery', async (_, steps) => {
  const asked: { key: string; at: number }[] = [];
  const silent: Provider['create'] = async ({ key, now }) => {
    asked.push({ key, at: now });
    throw new Error('connection reset');
  };
  const { providers, recalled } = withSwiftly({ create: silent });
  const fixture = await startFixture({ parts: { providers } });
  const delivery = await dispatchToSwiftly(fixture);
  const client = fixture.client();
  for (const ms of steps) await fixture.pass(ms);
  const [first] = asked;
  expect(asked.map(({ at }) => at - (first?.at ?? 0))).toEqual([0, 1_000, 5_000, 21_000]);
  expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
  const { data } = await client.deliveries.get({ params: { deliveryid: delivery.id } });
  expect(data).toMatchObject({
    status: 'failed',
    failure_reason: 'provider_unreachable',
    failure_message: 'the provider did not respond',
  });
  const failed_at = Date.parse(data.status_history.at(-1)?.created_at ?? '');
  expect(failed_at - Date.parse(data.created_at)).toBe(21_000);
  expect((await moneyOf(client, data)).sum).toBe(0);
  // It may have received the dispatch.
  expect(recalled).toHaveLength(1);
});

test('a courier that is down for longer than it is not called is told of the cancellation afterwards', async () => {
  let isDown = true;
  const canceled: number[] = [];
  const answering = <T>(answer: T) =>
    isDown ? Promise.reject(new ProviderFault('swiftly is down')) : Promise.resolve(answer);
  const { providers } = withSwiftly({
    create: ({ reference }) => answering({ kind: 'accepted', reference }),
    cancel: ({ now }) => {
      if (!isDown) canceled.push(now);
      return answering({ kind: 'taken', fee: 0 });
    },
  });
  const fixture = await startFixture({ parts: { providers } });
  const { id } = await dispatchToSwiftly(fixture);
  for (let minutes = 0; minutes < 30; minutes++) await fixture.pass(60_000);
  isDown = false;
  for (let minutes = 0; minutes < 60; minutes++) await fixture.pass(60_000);
  expect(canceled).toHaveLength(1);
  const { data } = await fixture.client().deliveries.get({ params: { deliveryid: id } });
  expect(data.status).toBe('failed');
  expect((await fixture.client().failedTasks.list()).data.data).toEqual([]);
});

test('a stalled provider does not block the dispatch request', async () => {
  const timers = {
    ...realTimers,
    after: (ms: number, wake: () => void) => realTimers.after(ms / 20, wake),
  };
  const { providers } = withSwiftly({ create: () => new Promise(() => {}) });
  const fixture = await startFixture({ parts: { providers, timers } });
  expect((await dispatchToSwiftly(fixture)).status).toBe('delivery_created');
  expect(fixture.faults).toEqual([
    expect.stringMatching(/^task tsk_\w+ \(dispatch\.ask rte_\w+\): the provider did not respond in time$/),
  ]);
});

test('a delivery canceled during the call to its courier is canceled there after the courier accepts', async () => {
  const asked = Promise.withResolvers<void>();
  const { providers, recalled } = withSwiftly({
    create: async ({ reference }) => {
      await asked.promise;
      return { kind: 'accepted', reference };
    },
  });
  const { fixture, client } = await startClient({ parts: { providers } });
  const dispatching = dispatchToSwiftly(fixture);
  await expect.poll(async () => (await client.deliveries.list()).data.data.length).toBe(1);
  const [delivery] = (await client.deliveries.list()).data.data;
  await client.deliveries.cancel({ params: { deliveryid: delivery?.id ?? '' }, body: {} });
  recalled.length = 0;
  asked.resolve();
  await dispatching;
  await fixture.service.tick();
  expect(recalled).toHaveLength(1);
  expect(recalled[0]).toMatchObject({ order_id: delivery?.order_id, status: 'customer_canceled' });
  expect(fixture.faults).toEqual([]);
});

test('a provider that fails to quote is listed with its reason, and the round completes', async () => {
  const broken = () => Promise.reject(new Error('bad gateway'));
  const fixture = await startFixture({ parts: withSwiftly({ quote: broken }) });
  const params = await askedRoute(fixture.client());
  for (let second = 0; second < 30; second++) await fixture.pass(1_000);
  const { data } = await fixture.client().quotes.list({ params });
  expect(data.status).toBe('COMPLETE');
  expect(data.data).toHaveLength(3);
  expect(data.reasons).toContainEqual({
    provider: 'swiftly',
    code: 'no_answer',
    reason: 'swiftly did not answer',
  });
});

import { expect, test } from 'vitest';
import { simulatedProviders } from '../../../src/providers/directory.ts';
import type { Provider } from '../../../src/providers/port.ts';
import { realTimers } from '../../../src/service/runtime/time.ts';
import { chargesOfDelivery } from '../../../src/storage/dispatches.ts';
import { insertTasks } from '../../../src/storage/tasks.ts';
import { memoryRecords } from '../../providers/simulated/memory-records.ts';
import { draftRoute, type Fixture, orderRequest, quotesOf, startFixture } from '../fixture.ts';

/** The simulated couriers, with a modified swiftly. */
function withSwiftly(change: Partial<Provider>): Provider[] {
  return simulatedProviders(memoryRecords()).map((provider) =>
    provider.name === 'swiftly' ? { ...provider, ...change } : provider,
  );
}

async function dispatchToSwiftly(fixture: Fixture) {
  const client = fixture.client();
  const route = await draftRoute(client, [orderRequest({ tip: 200 })]);
  const quote = (await quotesOf(fixture, route.id)).find(({ provider }) => provider === 'swiftly');
  const { data } = await client.dispatches.create({
    params: { route_id: route.id },
    body: { quote_id: quote?.id ?? '' },
  });
  return data;
}

async function chargesOf(fixture: Fixture, delivery_id: string) {
  const rows = await fixture.storage.run((db) => chargesOfDelivery(db, delivery_id));
  return rows.map(({ kind, amount }) => [kind, amount]).sort();
}

test('an accepted dispatch is charged once: its share of the price and the tip', async () => {
  const fixture = await startFixture();
  const { deliveries } = await dispatchToSwiftly(fixture);
  expect(await chargesOf(fixture, deliveries[0]?.id ?? '')).toEqual([
    ['delivery', 853],
    ['tip', 200],
  ]);
});

test('a refusal fails the deliveries, refunds them in full and reopens the order', async () => {
  const refusing = async () => ({ kind: 'refused' as const, reason: 'no cars left' });
  const fixture = await startFixture({ parts: { providers: withSwiftly({ create: refusing }) } });
  const route = await dispatchToSwiftly(fixture);
  const [delivery] = route.deliveries;
  expect(route.status).toBe('completed');
  expect(delivery).toMatchObject({
    ...{ status: 'failed', refunded_amount: 1053 },
    ...{ failure_reason: 'provider_refused', failure_message: 'no cars left' },
  });
  expect(delivery?.status_history.map(({ status }) => status)).toEqual(['delivery_created', 'failed']);
  expect(await chargesOf(fixture, delivery?.id ?? '')).toEqual([
    ['delivery', 853],
    ['refund', -1053],
    ['tip', 200],
  ]);
  const client = fixture.client();
  const order = await client.orders.get({ params: { order_id: delivery?.order_id ?? '' } });
  expect(order.data.status).toBe('failed');
  const again = await client.routes.create({ body: { order_ids: [order.data.id] } });
  expect(again.data.status).toBe('draft');
});

test('a silent provider is called again after 1, 4 and 16 s with the same key', async () => {
  const asked: { key: string; at: number }[] = [];
  let fixture: Fixture;
  const silent: Provider['create'] = async ({ key }) => {
    asked.push({ key, at: fixture.now() });
    if (asked.length < 4) throw new Error('connection reset');
    return { kind: 'accepted', reference: 'x' };
  };
  fixture = await startFixture({ parts: { providers: withSwiftly({ create: silent }) } });
  const route = await dispatchToSwiftly(fixture);
  const [delivery] = route.deliveries;
  expect(delivery?.status).toBe('delivery_created');
  for (let second = 0; second < 30; second++) await fixture.pass(1_000);
  const [first] = asked;
  expect(asked.map(({ at }) => at - (first?.at ?? 0))).toEqual([0, 1_000, 5_000, 21_000]);
  expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
  const after = await fixture.client().deliveries.get({ params: { deliveryid: delivery?.id ?? '' } });
  expect(after.data.status).toBe('delivery_created');
});

test('a stalled provider does not block the dispatch request', async () => {
  const timers = {
    ...realTimers,
    after: (ms: number, wake: () => void) => realTimers.after(ms / 20, wake),
  };
  const hanging: Provider['create'] = () => new Promise(() => {});
  const parts = { providers: withSwiftly({ create: hanging }), timers };
  const fixture = await startFixture({ parts });
  const route = await dispatchToSwiftly(fixture);
  expect(route.deliveries[0]?.status).toBe('delivery_created');
  expect(fixture.faults).toEqual([
    expect.stringMatching(/^task tsk_\w+ \(dispatch\.ask rte_\w+\): the provider did not respond in time$/),
  ]);
});

test('running due tasks after an hour gives the same records as a service that kept running', async () => {
  const silent: Provider['create'] = async () => {
    throw new Error('connection reset');
  };
  const fixture = await startFixture({ parts: { providers: withSwiftly({ create: silent }) } });
  const route = await dispatchToSwiftly(fixture);
  await fixture.pass(60 * 60_000);
  const { data } = await fixture
    .client()
    .deliveries.get({ params: { deliveryid: route.deliveries[0]?.id ?? '' } });
  expect(data.status).toBe('failed');
  const [, failed] = data.status_history;
  expect(Date.parse(failed?.created_at ?? '') - Date.parse(data.created_at)).toBe(21_000);
});

test('after a lost response the provider is asked for the outcome and carries the route once', async () => {
  const taken: string[] = [];
  const parts = {
    providers: withSwiftly({
      create: async ({ reference }) => {
        taken.push(reference);
        throw new Error('connection reset after the provider had accepted');
      },
      find: async ({ reference }) => (taken.includes(reference) ? { kind: 'accepted', reference } : null),
    }),
  };
  const fixture = await startFixture({ parts });
  const route = await dispatchToSwiftly(fixture);
  await fixture.pass(60_000);
  expect(taken).toHaveLength(1);
  const { data } = await fixture
    .client()
    .deliveries.get({ params: { deliveryid: route.deliveries[0]?.id ?? '' } });
  expect(data.status).toBe('delivery_created');
  const [dispatch] = await fixture.storage.run((db) => db.selectFrom('dispatches').select('state').execute());
  expect(dispatch?.state).toBe('accepted');
});

test('a provider that never responds fails the delivery with a full refund after four calls', async () => {
  let tries = 0;
  const silent: Provider['create'] = async () => {
    tries++;
    throw new Error('connection reset');
  };
  const fixture = await startFixture({ parts: { providers: withSwiftly({ create: silent }) } });
  const route = await dispatchToSwiftly(fixture);
  for (let second = 0; second < 30; second++) await fixture.pass(1_000);
  const deliveryid = route.deliveries[0]?.id ?? '';
  const { data } = await fixture.client().deliveries.get({ params: { deliveryid } });
  expect(tries).toBe(4);
  expect(data).toMatchObject({
    status: 'failed',
    failure_reason: 'provider_unreachable',
    failure_message: 'the provider did not respond',
  });
  const charges = await chargesOf(fixture, deliveryid);
  expect(charges.reduce((sum, [, amount]) => sum + Number(amount), 0)).toBe(0);
});

test('the background work continues a dispatch that was interrupted before the provider was called', async () => {
  let created = 0;
  const counting: Provider['create'] = async ({ reference }) => {
    created++;
    return { kind: 'accepted', reference };
  };
  const fixture = await startFixture({ parts: { providers: withSwiftly({ create: counting }) } });
  const route = await dispatchToSwiftly(fixture);
  // As if the process had died between the intent and the call: the task is still there, unclaimed.
  const dispatch = await fixture.storage.run(async (db) => {
    await db.deleteFrom('tasks').execute();
    await db.deleteFrom('events').execute();
    await db.updateTable('dispatches').set({ state: 'asking' }).execute();
    return db.selectFrom('dispatches').selectAll().executeTakeFirstOrThrow();
  });
  const payload = JSON.stringify({ dispatch_id: dispatch.id });
  const task = {
    id: 'tsk_again',
    test_mode: 1 as const,
    kind: 'dispatch.ask',
    subject: route.id,
    due_at: fixture.now(),
    payload,
  };
  await fixture.storage.run((db) => insertTasks(db, [task]));
  await fixture.service.tick();
  expect(created).toBe(2);
  const settled = await fixture.storage.run((db) =>
    db.selectFrom('dispatches').select('state').executeTakeFirstOrThrow(),
  );
  expect(settled.state).toBe('accepted');
  expect((await fixture.client().deliveries.list()).data.data).toHaveLength(1);
});

test('a provider that fails to quote is listed with its reason, and the round completes', async () => {
  const broken: Provider['quote'] = async () => {
    throw new Error('bad gateway');
  };
  const fixture = await startFixture({ parts: { providers: withSwiftly({ quote: broken }) } });
  const client = fixture.client();
  const route = await draftRoute(client);
  await client.quotes.request({ params: { route_id: route.id } });
  for (let second = 0; second < 30; second++) await fixture.pass(1_000);
  const { data } = await client.quotes.list({ params: { route_id: route.id } });
  expect(data.status).toBe('COMPLETE');
  expect(data.data).toHaveLength(3);
  expect(data.reasons).toContainEqual({
    provider: 'swiftly',
    code: 'no_answer',
    reason: 'swiftly did not answer',
  });
});

test('a task that can neither run nor be abandoned does not block others', async () => {
  const fixture = await startFixture();
  const client = fixture.client();
  const broken = {
    id: 'tsk_0',
    test_mode: 1 as const,
    kind: 'dispatch.ask',
    subject: 'rte_0',
    due_at: fixture.now(),
    payload: 'not JSON',
  };
  await fixture.storage.run((db) => insertTasks(db, [broken]));
  const route = await draftRoute(client);
  for (let second = 0; second < 30; second++) await fixture.pass(1_000);
  expect(await quotesOf(fixture, route.id)).toHaveLength(4);
  expect(fixture.faults.length).toBeGreaterThan(3);
});

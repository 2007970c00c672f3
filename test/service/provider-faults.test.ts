import { expect, test } from 'vitest';
import type { Delivery } from '../../src/contract/deliveries.ts';
import type { Scenario } from '../../src/domain/scenarios.ts';
import { simulatedProviders } from '../../src/providers/directory.ts';
import { type Provider, ProviderBusy, type RecordEntry } from '../../src/providers/port.ts';
import { createCourierRecords } from '../../src/service/runtime/system.ts';
import { realTimers } from '../../src/service/runtime/time.ts';
import { createService } from '../../src/service/service.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { memoryRecords } from '../providers/simulated/memory-records.ts';
import { deliveryQuotes, moneyOf, runToEnd, statusesOf } from './delivery-runs.ts';
import {
  clientOf,
  dispatchRoute,
  draftRoute,
  type Fixture,
  orderMade,
  orderRequest,
  start,
  startFixture,
} from './fixture.ts';
import { couriers } from './remote-couriers.ts';

/** A courier that is idempotent, and two that are not, each with what an order for it needs. */
const needs = { swiftly: {}, haulvan: { vehicle: 'cargo_van' }, flaky_co: {} } as const;
type Name = keyof typeof needs;

/** A delivery in dispatch, in the manual flow. */
async function byHand(fixture: Fixture, scenario: Scenario, name: Name): Promise<Delivery | undefined> {
  const client = fixture.client();
  const headers = { 'x-simulation': `${scenario}; provider=flaky_co` };
  const orders = [orderRequest({ ...needs[name], tip: 250 })];
  const { data: order } = await orderMade(client.orders.create({ body: { orders }, headers }));
  const params = { route_id: (await client.routes.create({ body: { order_ids: [order.id] } })).data.id };
  await client.quotes.request({ params });
  await fixture.pass(5_000);
  const quotes = (await client.quotes.list({ params })).data.data ?? [];
  const quote_id = quotes.find(({ provider }) => provider === name)?.id ?? '';
  return (await client.dispatches.create({ params, body: { quote_id } })).data.deliveries[0];
}

/** The same in version 1. */
async function inOneCall(fixture: Fixture, scenario: Scenario, name: Name): Promise<Delivery | undefined> {
  const client = fixture.client();
  const headers = { 'x-simulation': `${scenario}; provider=flaky_co` };
  const order = orderRequest({ ...needs[name], tip: 250 });
  const quotes = await deliveryQuotes(client, needs[name], headers);
  const quote_id = quotes.find(({ service }) => service === name)?.id ?? '';
  return (await client.deliveries.create({ body: { ...order, quote_id, initiate: true }, headers })).data;
}

/** A service whose couriers keep their records in a separate database. */
async function startWithBooks() {
  const theirs = await openStorage(':memory:');
  const providers = simulatedProviders(createCourierRecords(theirs));
  const fixture = await startFixture({ parts: { providers } });
  const entries = () =>
    theirs.run((db) => db.selectFrom('courier_entries').selectAll().orderBy('sequence').execute());
  return { fixture, theirs, entries };
}

const scenarios: [Scenario, books: RecordEntry['kind'][]][] = [
  ['provider_error', ['fault', 'fault', 'created']],
  ['unknown_outcome_accepted', ['created', 'fault']],
  ['unknown_outcome_lost', ['fault', 'created']],
  ['rate_limited', ['fault', 'fault', 'fault', 'created']],
];
const flows = { 'by hand': byHand, 'in one call': inOneCall };

/** Both flows dispatch in the same way: the second is tried with one courier. */
const sent = [
  ['by hand', 'swiftly'],
  ['by hand', 'haulvan'],
  ['by hand', 'flaky_co'],
  ['in one call', 'flaky_co'],
] as const;

const cases = scenarios.flatMap(([scenario, books]) =>
  sent.map((each) => [scenario, ...each, books] as const),
);

test.each(cases)(
  '%s %s with %s: accepted once, charged once, delivered',
  async (scenario, flow, name, books) => {
    const { fixture, entries } = await startWithBooks();
    const made = await flows[flow](fixture, scenario, name);
    if (made === undefined) throw new Error('no delivery was made');
    expect([made.status, made.service]).toEqual(['delivery_created', name]);
    await fixture.pass(60_000);
    const dispatches = await fixture.storage.run((db) => db.selectFrom('dispatches').selectAll().execute());
    expect(dispatches.map(({ state, provider }) => [state, provider])).toEqual([['accepted', name]]);
    const written = await entries();
    expect(written.map(({ kind }) => kind)).toEqual(books);
    for (const { provider, reference } of written)
      expect([provider, reference]).toEqual([name, dispatches[0]?.id]);
    const last = await runToEnd(fixture, fixture.client(), made);
    expect(last.status).toBe('delivered');
    expect(statusesOf(last)[0]).toBe('delivery_created');
    const paid = { sum: made.payment_amount + 250, kinds: ['delivery', 'tip'] };
    expect(await moneyOf(fixture.client(), made)).toEqual(paid);
    const own = await fixture.storage.run((db) => db.selectFrom('courier_entries').selectAll().execute());
    expect(own).toEqual([]);
  },
);

test.each(['swiftly', 'haulvan', 'flaky_co'] as const)(
  'what %s accepted without our knowledge is canceled when the merchant cancels first, without a charge',
  async (name) => {
    const { fixture, entries } = await startWithBooks();
    const client = fixture.client();
    const made = await inOneCall(fixture, 'unknown_outcome_accepted', name);
    const params = { deliveryid: made?.id ?? '' };
    expect((await client.deliveries.cancel({ params, body: {} })).data.status).toBe('customer_canceled');
    await fixture.pass(60_000);
    expect((await entries()).map(({ kind }) => kind)).toEqual(['created', 'fault', 'canceled']);
    expect((await moneyOf(client, { id: params.deliveryid })).sum).toBe(0);
  },
);

test('a failing courier is called again after 1, 4 and 16 s', async () => {
  const { fixture, entries } = await startWithBooks();
  const times: number[][] = [];
  for (const scenario of ['provider_error', 'unknown_outcome_lost'] as const) {
    const before = (await entries()).length;
    const at = fixture.now();
    await inOneCall(fixture, scenario, 'haulvan');
    await fixture.pass(60_000);
    times.push((await entries()).slice(before).map(({ entered_at }) => entered_at - at));
  }
  expect(times).toEqual([
    [0, 1_000, 5_000],
    [0, 1_000],
  ]);
});

/** Another process on the same databases, with its own service time. */
function anotherAt(fixture: Fixture, theirs: Parameters<typeof createCourierRecords>[0], at: number) {
  const providers = simulatedProviders(createCourierRecords(theirs));
  const clock = { now: () => at };
  return createService({
    ...fixture.config,
    providers,
    clock,
    wall: clock,
    monotonic: clock,
    timers: realTimers,
  });
}

test('the number of failed calls survives a change of process', async () => {
  const { fixture, theirs, entries } = await startWithBooks();
  await inOneCall(fixture, 'provider_error', 'haulvan');
  for (const second of [1, 5, 21, 60]) await anotherAt(fixture, theirs, start + second * 1000).tick();
  const written = await entries();
  expect(written.map(({ kind }) => kind)).toEqual(['fault', 'fault', 'created']);
  expect(written.map(({ entered_at }) => entered_at - start)).toEqual([0, 1_000, 5_000]);
});

test.each(['swiftly', 'haulvan', 'flaky_co'] as const)(
  'after a crash at the moment %s accepted, the next process finds the booking and makes no second one',
  async (name) => {
    const { fixture, theirs, entries } = await startWithBooks();
    const reached = Promise.withResolvers<void>();
    const dying = fixture.config.providers.map((provider) => ({
      ...provider,
      create: async (request: Parameters<typeof provider.create>[0]) => {
        await provider.create(request);
        reached.resolve();
        return new Promise<never>(() => {});
      },
    }));
    const timers = { ...realTimers, after: () => () => {} };
    const service = createService({ ...fixture.config, providers: dying, timers });
    const client = () => clientOf(service, fixture.keys.test);
    void inOneCall({ ...fixture, client }, 'happy_path', name);
    await reached.promise;
    await anotherAt(fixture, theirs, start + 11_000).tick();
    expect((await entries()).map(({ kind }) => kind)).toEqual(['created']);
    const states = await fixture.storage.run((db) => db.selectFrom('dispatches').select('state').execute());
    expect(states).toEqual([{ state: 'accepted' }]);
  },
);

test('a busy provider is called again after the time that it asked for', async () => {
  const asked: number[] = [];
  const providers = simulatedProviders(memoryRecords()).map((provider) => ({
    ...provider,
    create: async (request: Parameters<Provider['create']>[0]) => {
      asked.push(request.now - start);
      if (asked.length < 3) throw new ProviderBusy('too many calls', 7);
      return provider.create(request);
    },
  }));
  const fixture = await startFixture({ parts: { providers } });
  await dispatchRoute(fixture);
  await fixture.pass(60_000);
  expect(asked).toEqual([5_000, 12_000, 19_000]);
});

test('the Retry-After of a remote provider counts from the time of its response', async () => {
  const asked: number[] = [];
  const providers = couriers(
    () => true,
    async (name) => {
      if (name !== 'swiftly') return;
      asked.push(fixture.now() - start);
      if (asked.length < 3) throw new ProviderBusy('too many calls', 7);
    },
  );
  const fixture = await startFixture({ parts: { providers } });
  const { id: route_id } = await draftRoute(fixture.client());
  await fixture.client().quotes.request({ params: { route_id } });
  for (const ms of [60_000, 6_999, 1, 6_999, 1]) await fixture.pass(ms);
  expect(asked).toEqual([60_000, 67_000, 74_000]);
});

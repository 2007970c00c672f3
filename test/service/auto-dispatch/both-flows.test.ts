import { expect, onTestFinished, test } from 'vitest';
import type { Delivery } from '../../../src/contract/deliveries.ts';
import type { Event } from '../../../src/contract/events.ts';
import type { Scenario } from '../../../src/domain/scenarios.ts';
import { oneOf } from '../../in-part.ts';
import { everyEvent } from '../event-rows.ts';
import { draftRoute, type Fixture, orderMade, orderRequest, startClient, startFixture } from '../fixture.ts';
import { insertEndpoint } from '../webhooks/received-events.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { eventsOf, newBatch, withScenario } from './batches.ts';
import * as flows from './cases.ts';
import { expectNoSecrets } from './secrets.ts';

/** Everything stored about one order after its delivery has ended. */
async function records(fixture: Fixture, delivery: Delivery) {
  const client = fixture.client();
  await fixture.pass(26 * 3_600_000);
  const { route_id, order_id } = delivery;
  const quotes = (await client.quotes.list({ params: { route_id: route_id ?? '' } })).data;
  const { id, ...last } = (await client.deliveries.get({ params: { deliveryid: delivery.id } })).data;
  const charges = (await client.charges.list({ query: { delivery_id: id } })).data.data;
  return {
    order: (await client.orders.get({ params: { order_id } })).data,
    route: (await client.routes.get({ params: { route_id: route_id ?? '' } })).data,
    quotes,
    delivery: last,
    charges,
    events: (await eventsOf(fixture)).filter(({ type }) => type !== 'batch.completed'),
  };
}

async function byHand(fixture: Fixture, scenario: Scenario) {
  const client = fixture.client();
  const route = await draftRoute(client, [orderRequest(withScenario(scenario))]);
  await client.quotes.request({ params: { route_id: route.id } });
  await fixture.pass(4000);
  const { data } = await client.quotes.list({ params: { route_id: route.id } });
  const quote_id = data.data?.find(({ provider }) => provider === 'poolride')?.id ?? '';
  const dispatched = await client.dispatches.create({ params: { route_id: route.id }, body: { quote_id } });
  const [delivery] = dispatched.data.deliveries;
  if (delivery === undefined) throw new Error('nothing was dispatched');
  return records(fixture, delivery);
}

async function byItself(fixture: Fixture, scenario: Scenario) {
  const client = fixture.client();
  await newBatch(client, [withScenario(scenario)], { retry_window: 0 });
  await fixture.service.tick();
  await fixture.pass(4000);
  const [delivery] = (await client.deliveries.list()).data.data;
  if (delivery === undefined) throw new Error('nothing was dispatched');
  return records(fixture, delivery);
}

/**
 * Removes random parts (ids, secrets, drivers) and what only one flow has: the batch, and its event in the sequence.
 * Everything else must be equal.
 */
function plain(value: unknown): unknown {
  const drawn = /^(courier_|driver|vehicle|tracking_url|proof|signature|record$)/;
  const own = ['batch_id', 'position'];
  return JSON.parse(
    JSON.stringify(value, (name, field) => {
      if (name === 'data' && typeof field === 'string') return JSON.parse(field);
      if (own.includes(name)) return null;
      if (drawn.test(name)) return field === null ? null : 'drawn';
      return typeof field === 'string' ? field.replaceAll(/\b([a-z]+)_[0-9A-Z]{26}\b/g, '$1') : field;
    }),
  );
}

const told_apart = [
  'happy_path',
  'customer_refused',
  'no_driver',
  'no_capacity',
  'payment_declined',
] as const;

test.each(told_apart.filter(oneOf(2)))(
  'manual and auto dispatch create the same order, route, quotes, delivery, charges and events (%s)',
  async (scenario) => {
    const hand = await byHand(await startFixture(), scenario);
    const auto = await byItself(await startFixture(), scenario);
    expect(hand.order.batch_id).toBeNull();
    expect(auto.order.batch_id).toMatch(/^bat_/);
    expect(plain(auto)).toEqual(plain(hand));
  },
);

test('an order canceled before its dispatch has the same events in both flows', async () => {
  const { fixture, client } = await startClient();
  const { data } = await orderMade(client.orders.create({ body: { orders: [orderRequest()] } }));
  const batch_id = await newBatch(client, [{}]);
  const [auto] = (await client.orders.list({ query: { batch_id } })).data.data;
  for (const order_id of [data.id, auto?.id ?? '']) await client.orders.cancel({ params: { order_id } });
  await fixture.pass(3_600_000);
  const logged = (await eventsOf(fixture)).map(({ type, data: record }) => [type, JSON.parse(record).id]);
  expect(logged).toEqual([
    ['order.canceled', data.id],
    ['order.canceled', auto?.id],
    ['batch.completed', undefined],
  ]);
});

/** The documented differences between the flows, with the reason. */
const differences: Record<string, { byHand: readonly string[]; byItself: readonly string[]; why: string }> = {
  no_quotes: {
    byHand: [],
    byItself: ['order.unfulfilled unfulfilled'],
    why: 'by hand the client decides when to ask again (seed 1); auto dispatch tells that its window is spent',
  },
  no_quotes_then: {
    byHand: ['route_quotes.completed COMPLETE'],
    byItself: ['route_quotes.completed COMPLETE'],
    why: 'by hand each round that the client asks for is published; auto dispatch counts rounds with the same answer',
  },
  payment_declined_once: {
    byHand: ['order.failed failed'],
    byItself: [],
    why: 'by hand the dispatch is over, and the client decides what comes next; auto dispatch goes on by itself',
  },
};

/** The published events of each order: type, status, and for deliveries which one and its sequence. */
type Told = Map<string, string[]>;

/** Events by scenario name; those without an order belong to the batch. */
async function toldBy(fixture: Fixture, orders: flows.OrdersByCase, events: readonly Event[]): Promise<Told> {
  const routes = await fixture.storage.run((db) => db.selectFrom('routes').selectAll().execute());
  const deliveries = await fixture.storage.run((db) =>
    db.selectFrom('deliveries').select(['id', 'order_id']).orderBy('id').execute(),
  );
  const logged: Told = new Map();
  for (const { type, sequence, data } of events) {
    const { id, order_id, route_id, status }: Record<string, unknown> = Object(data);
    const ofRoute = routes.find((route) => route.id === route_id)?.order_ids;
    const mine = (order: string) => order === id || order === order_id || ofRoute === JSON.stringify([order]);
    const name = [...orders].find(([, order]) => mine(order))?.[0] ?? 'batch';
    const siblings = deliveries.filter((each) => each.order_id === order_id);
    const nth = siblings.findIndex((each) => each.id === id) + 1;
    const line = sequence === null ? `${type} ${status}` : `${type} ${status} ${nth}.${sequence}`;
    logged.set(name, [...(logged.get(name) ?? []), line]);
  }
  return logged;
}

/** Every scenario in one of the flows: the log, and the events received by an endpoint. */
async function lived(live: (fixture: Fixture) => Promise<flows.OrdersByCase>) {
  const fixture = await startFixture();
  const receiver = await startReceiver();
  onTestFinished(async () => {
    await fixture.service.stop();
    await receiver.close();
  });
  await insertEndpoint(fixture, receiver.url, {
    previous_secrets: JSON.stringify([{ secret: `whsec_${btoa('the secret before this one')}`, until: 0 }]),
  });
  const orders = await live(fixture);
  await fixture.service.send();
  await expectNoSecrets(fixture, receiver.received);
  const log = (await everyEvent(fixture.client())).toReversed();
  const received = receiver.received.map(({ body }): Event => JSON.parse(body));
  return { log: await toldBy(fixture, orders, log), received: await toldBy(fixture, orders, received) };
}

/** The numbered events, one delivery after another, each in order. */
function numbered(lines: readonly string[]): string[] {
  const nth = (line: string) => Number(/(\d+)\.\d+$/.exec(line)?.[1] ?? 0);
  return lines.filter((line) => nth(line) > 0).toSorted((one, other) => nth(one) - nth(other));
}

test('every outcome has the same events in the same order in both flows, in the log and at an endpoint', async () => {
  const hand = await lived(flows.dispatchManually);
  const auto = await lived(flows.dispatchAutomatically);
  const batches = auto.log.get('batch') ?? [];
  expect(new Set(batches)).toEqual(new Set(['batch.completed complete']));
  expect(batches).toHaveLength(flows.dispatch_cases.length);
  expect(hand.log.has('batch')).toBe(false);
  for (const { name } of flows.dispatch_cases) {
    const { byHand, byItself } = differences[name] ?? { byHand: [], byItself: [] };
    const without = (own: readonly string[], logged: Told) =>
      (logged.get(name) ?? []).filter((line) => !own.includes(line));
    const inHand = without(byHand, hand.log);
    expect([name, without(byItself, auto.log)]).toEqual([name, inHand]);
    expect(inHand.length, name).toBeGreaterThan(0);
    // Unnumbered events may overtake others: an endpoint receives all of them, and the numbered ones in order.
    for (const { log, received } of [hand, auto]) {
      const [logged = [], got = []] = [log.get(name), received.get(name)];
      expect([name, got.toSorted()]).toEqual([name, logged.toSorted()]);
      expect([name, numbered(got)]).toEqual([name, numbered(logged)]);
    }
    // Each documented difference must occur.
    for (const line of byHand) expect(hand.log.get(name), name).toContain(line);
    for (const line of byItself) expect(auto.log.get(name), name).toContain(line);
  }
});

import { expect, test } from 'vitest';
import type { Delivery } from '../../../src/contract/deliveries.ts';
import type { Scenario } from '../../../src/domain/scenarios.ts';
import { draftRoute, type Fixture, orderRequest, startFixture } from '../fixture.ts';
import { eventsOf, fated, newBatch } from './batches.ts';

/** Everything that one order has left behind, once its delivery has been lived out. */
async function records(fixture: Fixture, delivery: Delivery) {
  const client = fixture.client();
  await fixture.pass(26 * 3_600_000);
  const { route_id, order_id } = delivery;
  const quotes = (await client.quotes.list({ params: { route_id } })).data;
  const { id, ...last } = (await client.deliveries.get({ params: { deliveryid: delivery.id } })).data;
  const charges = (await client.charges.list({ query: { delivery_id: id } })).data.data;
  return {
    order: (await client.orders.get({ params: { order_id } })).data,
    route: (await client.routes.get({ params: { route_id } })).data,
    quotes,
    delivery: last,
    charges,
    events: (await eventsOf(fixture)).filter(({ type }) => type !== 'batch.completed'),
  };
}

async function byHand(fixture: Fixture, scenario: Scenario) {
  const client = fixture.client();
  const route = await draftRoute(client, [orderRequest(fated(scenario))]);
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
  await newBatch(client, [fated(scenario)], { retry_window: 0 });
  await fixture.service.tick();
  await fixture.pass(4000);
  const [delivery] = (await client.deliveries.list()).data.data;
  if (delivery === undefined) throw new Error('nothing was dispatched');
  return records(fixture, delivery);
}

/**
 * Without what is drawn anew for each record (ids, secrets, drivers) and what only one flow has: the batch, and its
 * event among the positions of the others. All else must be equal.
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

test.each(['happy_path', 'customer_refused', 'no_driver', 'no_capacity', 'payment_declined'] as const)(
  'by hand or by itself: the same order, route, quotes, delivery, charges and events (%s)',
  async (scenario) => {
    const hand = await byHand(await startFixture(), scenario);
    const auto = await byItself(await startFixture(), scenario);
    expect(hand.order.batch_id).toBeNull();
    expect(auto.order.batch_id).toMatch(/^bat_/);
    expect(plain(auto)).toEqual(plain(hand));
  },
);

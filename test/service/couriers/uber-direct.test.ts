import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auto, batchNow, eventsOf } from '../auto-dispatch/batches.ts';
import { moneyOf } from '../delivery-runs.ts';
import { batchMade, orderRequest } from '../fixture.ts';
import {
  booked,
  deliveryNow,
  dispatched,
  drive,
  historyOf,
  quoted,
  type Shop,
  startShop,
} from './uber-direct-shop.ts';

let shop: Shop;
beforeEach(async () => {
  shop = await startShop();
});
afterEach(() => shop.close());

/** The first delivery of a new route that Uber Direct carries. */
async function oneDispatched(...order: Parameters<typeof dispatched>[1] & object) {
  const [delivery] = await dispatched(shop, order.length === 0 ? undefined : order);
  if (delivery === undefined) throw new Error('no delivery');
  return delivery;
}

describe('a delivery by Uber Direct', () => {
  it('is quoted, booked, followed by webhooks, delivered and charged', async () => {
    const { quote } = await quoted(shop);
    const [{ fee: cost_of_delivery } = { fee: 0 }] = shop.uber.state.quotes.values();
    expect(quote).toMatchObject({ provider: 'uber-direct', cost_of_delivery, service_fee: 0 });
    const delivery = await oneDispatched({ tip: 200, request_signature: true });
    expect(delivery).toMatchObject({ status: 'delivery_created', service: 'uber-direct' });
    const { id, fee, tip, request } = booked(shop);
    expect([fee, tip]).toEqual([quote.cost_of_delivery + 200, 200]);
    expect(Object.keys(request).filter((name) => /latitude|longitude/.test(name))).toEqual([]);
    await drive(shop, id, 6);
    expect(await historyOf(shop, delivery)).toEqual([
      'delivery_created',
      'driver_assigned',
      'enroute_pickup',
      'arrived_at_pickup',
      'pickup_complete',
      'enroute_dropoff',
      'arrived_at_dropoff',
      'delivered',
    ]);
    expect(await deliveryNow(shop, delivery)).toMatchObject({
      courier_name: 'Robo C.',
      proof_of_delivery: [{ type: 'signature' }],
    });
    const { sum, kinds } = await moneyOf(shop.fixture.client(), delivery);
    expect(kinds).toEqual(['delivery', 'tip']);
    expect(sum).toBe(booked(shop).fee);
    expect(shop.fixture.faults).toEqual([]);
  });

  it('goes back to the sender if it cannot be handed over', async () => {
    const delivery = await oneDispatched();
    const { id } = booked(shop);
    await drive(shop, id, 5);
    const back = await shop.uber.sendBack(id, 'CUSTOMER_UNAVAILABLE');
    expect(await deliveryNow(shop, delivery)).toMatchObject({
      status: 'enroute_to_return',
      failure_reason: 'recipient_unreachable',
    });
    await drive(shop, back, 3);
    expect((await deliveryNow(shop, delivery)).status).toBe('returned');
  });
});

describe('a cancellation of a delivery by Uber Direct', () => {
  const cancel = (id: string) =>
    shop.fixture.client().deliveries.cancel({ params: { deliveryid: id }, body: {} });

  it('is the merchant’s, although its webhook arrives before the answer', async () => {
    const delivery = await oneDispatched();
    await cancel(delivery.id);
    expect((await deliveryNow(shop, delivery)).status).toBe('customer_canceled');
    expect(booked(shop).status).toBe('canceled');
  });
});

describe('auto dispatch to Uber Direct', () => {
  const dispatch = (order = {}) =>
    batchMade(
      shop.fixture.client().orders.create({
        body: {
          orders: [orderRequest(order)],
          settings: auto({ providers: ['uber-direct'], retry_window: 300, retry_interval: 60 }),
        },
      }),
    );

  it('has an outcome if the courier has delivered before its answer is known', async () => {
    shop.uber.faults.push({ request: 'POST /deliveries', kind: 'lost' });
    const { batch_id } = await dispatch();
    await shop.fixture.pass(2_500);
    for (let step = 0; step < 6; step++) await shop.uber.step(booked(shop).id);
    const before = await batchNow(shop.fixture.client(), batch_id);
    expect(before).toMatchObject({ orders: [{ status: 'pending' }] });
    for (let second = 0; second < 60; second += 5) await shop.fixture.pass(5_000);
    const after = await batchNow(shop.fixture.client(), batch_id);
    expect(after).toMatchObject({ status: 'complete', orders: [{ status: 'dispatched', attempts: 1 }] });
    const events = await eventsOf(shop.fixture, 'order.dispatched', 'batch.completed');
    expect(events.map(({ type }) => type)).toEqual(['order.dispatched', 'batch.completed']);
  });
});

describe('a circuit breaker in front of Uber Direct', () => {
  /** The requests for a quote that reach Uber Direct while it gives none, and those after it has recovered. */
  const requestsWithout = async (code: 'couriers_busy' | 'service_unavailable') => {
    const request = 'POST /delivery_quotes';
    const count = () => shop.uber.requests.filter(({ path }) => path === '/delivery_quotes').length;
    shop.uber.faults.push({ request, kind: { code }, times: 100 });
    for (let minute = 0; minute < 8; minute++) await expect(quoted(shop)).rejects.toThrow('no quote');
    const before = count();
    shop.uber.faults.length = 0;
    await quoted(shop).catch(() => {});
    return { before, after: count() - before };
  };

  it('stays closed while there is no courier free', async () => {
    const { before, after } = await requestsWithout('couriers_busy');
    expect([before, after]).toEqual([8, 1]);
  });

  it('opens where the servers fail', async () => {
    const { before, after } = await requestsWithout('service_unavailable');
    expect(before).toBeLessThan(8);
    expect(after).toBe(0);
  });
});

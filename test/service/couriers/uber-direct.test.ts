import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createService } from '../../../src/service/service.ts';
import { attemptsOf, auto, batchNow, eventsOf } from '../auto-dispatch/batches.ts';
import { moneyOf } from '../delivery-runs.ts';
import { batchMade, clientOf, orderRequest } from '../fixture.ts';
import { mortal } from '../mortal-service.ts';
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

  it('shows where the driver is', async () => {
    const delivery = await oneDispatched();
    const { id } = booked(shop);
    await drive(shop, id, 4);
    await shop.uber.reportPosition(id);
    expect(await deliveryNow(shop, delivery)).toMatchObject({
      courier_location_lat: 40.7,
      courier_location_lng: -74.001,
    });
  });

  it('has two deliveries there for a route of two orders', async () => {
    const deliveries = await dispatched(shop, [
      {},
      { dropoff_address: '600 E Grand Ave, Chicago, IL 60611' },
    ]);
    expect(deliveries).toHaveLength(2);
    const ids = [...shop.uber.state.deliveries.keys()];
    expect(ids).toHaveLength(2);
    for (const id of ids) await drive(shop, id, 6);
    for (const delivery of deliveries) expect((await deliveryNow(shop, delivery)).status).toBe('delivered');
  });

  it('ends delivered whatever the order and number of its webhooks', async () => {
    shop.uber.webhook.send = null;
    const delivery = await oneDispatched();
    for (let step = 0; step < 6; step++) {
      await shop.fixture.pass(1_000);
      await shop.uber.step(booked(shop).id);
    }
    const pushes = shop.uber.pushes.toReversed();
    for (const push of [...pushes, ...pushes]) expect(await shop.push(push)).toBe(200);
    const history = await historyOf(shop, delivery);
    expect(history.at(-1)).toBe('delivered');
    expect(history.filter((status) => status === 'delivered')).toHaveLength(1);
  });

  it('ignores a webhook with a wrong signature', async () => {
    shop.uber.webhook.send = null;
    const delivery = await oneDispatched();
    const push = await shop.uber.step(booked(shop).id);
    const forged = { ...push, body: push.body.replaceAll('"pickup"', '"delivered"') };
    expect(await shop.push(forged)).toBe(401);
    expect(await historyOf(shop, delivery)).toEqual(['delivery_created']);
  });

  it('arrives by polls where no webhook does', async () => {
    shop.uber.webhook.send = null;
    const delivery = await oneDispatched();
    await drive(shop, booked(shop).id, 6);
    await shop.fixture.pass(10 * 60_000);
    const history = await historyOf(shop, delivery);
    expect(history.at(-1)).toBe('delivered');
    expect(history).toContain('enroute_dropoff');
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

  it('waits for another courier if it loses its own', async () => {
    const delivery = await oneDispatched();
    const { id } = booked(shop);
    await drive(shop, id, 2);
    await shop.fixture.pass(60_000);
    await shop.uber.loseCourier(id);
    expect((await deliveryNow(shop, delivery)).status).toBe('driver_not_assigned');
    await drive(shop, id, 6);
    expect((await deliveryNow(shop, delivery)).status).toBe('delivered');
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

  it('is refused after the pickup', async () => {
    const delivery = await oneDispatched();
    await drive(shop, booked(shop).id, 3);
    await expect(cancel(delivery.id)).rejects.toMatchObject({ code: 'delivery_not_cancelable' });
    expect((await deliveryNow(shop, delivery)).status).toBe('pickup_complete');
  });

  it('is the courier’s if Uber Direct cancels', async () => {
    const delivery = await oneDispatched();
    await shop.uber.cancel(booked(shop).id, 'NO_COURIER');
    expect(await deliveryNow(shop, delivery)).toMatchObject({
      status: 'provider_canceled',
      cancellation_reason: 'Uber Direct: no courier',
    });
  });
});

describe('a booking at Uber Direct', () => {
  it.each(['lost', 'unreached'] as const)('is made once if the answer is %s', async (kind) => {
    shop.uber.faults.push({ request: 'POST /deliveries', kind });
    const delivery = await oneDispatched();
    await shop.fixture.pass(60_000);
    await drive(shop, booked(shop).id, 6);
    expect((await deliveryNow(shop, delivery)).status).toBe('delivered');
  });

  it('fails where Uber Direct refuses it, and is paid back', async () => {
    shop.uber.faults.push({ request: 'POST /deliveries', kind: { code: 'couriers_busy' } });
    const delivery = await oneDispatched();
    expect(delivery).toMatchObject({
      status: 'failed',
      failure_reason: 'provider_refused',
      failure_message: 'Uber Direct has no courier free now',
    });
    expect(shop.uber.state.deliveries.size).toBe(0);
  });

  it('is canceled there and refused if it is real although the key is for tests', async () => {
    const live = await startShop({ live: true });
    try {
      const [delivery] = await dispatched(live);
      expect(delivery?.status).toBe('failed');
      expect(delivery?.failure_message).toContain('booked a live delivery for a test key');
      expect(booked(live).status).toBe('canceled');
    } finally {
      await live.close();
    }
  });

  it.each(['provider.before_send', 'provider.after_accept', 'delivery.before_commit'] as const)(
    'is made once if the process dies at %s',
    async (point) => {
      const { fixture, uber } = shop;
      const { params, quote } = await quoted(shop);
      const dying = mortal(fixture.config, point, 1);
      const client = clientOf(dying.service, fixture.keys.test);
      await client.dispatches.create({ params, body: { quote_id: quote.id } }).catch(() => {});
      expect(dying.isDead()).toBe(true);
      const heir = createService(fixture.config);
      for (let minute = 0; minute < 5; minute++) await fixture.pass(60_000, heir.tick);
      expect(uber.state.deliveries.size).toBe(1);
      await drive(shop, booked(shop).id, 6);
      const { data } = await fixture.client().deliveries.list({});
      expect(data.data.map(({ status }) => status)).toEqual(['delivered']);
    },
  );
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

  it('dispatches the order', async () => {
    await dispatch();
    await shop.fixture.pass(10_000);
    await drive(shop, booked(shop).id, 6);
    const { data } = await shop.fixture.client().deliveries.list({});
    expect(data.data).toMatchObject([{ status: 'delivered', service: 'uber-direct' }]);
  });

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

  it('tries again while there is no courier', async () => {
    shop.uber.faults.push({ request: 'POST /delivery_quotes', kind: { code: 'couriers_busy' } });
    const batch = await dispatch();
    for (let second = 0; second < 200; second += 5) await shop.fixture.pass(5_000);
    const [order] = (await shop.fixture.client().batches.get({ params: { batch_id: batch.batch_id } })).data
      .orders;
    expect(order?.status).toBe('dispatched');
    const attempts = await attemptsOf(shop.fixture.client(), order?.order_id ?? '');
    expect(attempts.map(({ status }) => status)).toEqual(['no_quotes', 'dispatched']);
    expect(shop.uber.state.deliveries.size).toBe(1);
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

describe('a token of Uber Direct', () => {
  it('is kept for all calls of an account', async () => {
    await dispatched(shop);
    await dispatched(shop);
    // One for the check of the settings, and one for everything that follows.
    expect(shop.uber.state.tokens.size).toBe(2);
  });
});

import { beforeEach, describe, expect, it, test } from 'vitest';
import type { Delivery } from '../../../src/contract/deliveries.ts';
import { ProviderFault } from '../../../src/providers/port.ts';
import { auto, batchNow, eventsOf } from '../auto-dispatch/batches.ts';
import { deliveryOf, moneyOf, statusesOf } from '../delivery-runs.ts';
import { batchMade, orderRequest } from '../fixture.ts';
import { booked, dispatchOne, drive, type Shop, startShop } from './uber-direct-shop.ts';

let shop: Shop;
beforeEach(async () => {
  shop = await startShop();
});

const hour = 3_600_000;
const deliveryNow = ({ id }: { id: string }) => deliveryOf(shop.fixture, id);
const money = (delivery: { id: string }) => moneyOf(shop.fixture.client(), delivery);
const cancel = ({ id }: { id: string }) =>
  shop.fixture.client().deliveries.cancel({ params: { deliveryid: id }, body: {} });

describe('a delivery by Uber Direct', () => {
  it('is quoted, booked, followed by webhooks, delivered and charged', async () => {
    const { quote, delivery } = await dispatchOne(shop, { tip: 200, request_signature: true });
    const [{ fee: cost_of_delivery } = { fee: 0 }] = shop.uber.state.quotes.values();
    expect(quote).toMatchObject({ provider: 'uber-direct', cost_of_delivery, service_fee: 0 });
    expect(delivery).toMatchObject({ status: 'delivery_created', service: 'uber-direct' });
    const { id, fee, tip, request } = booked(shop);
    expect([fee, tip]).toEqual([quote.cost_of_delivery + 200, 200]);
    expect(Object.keys(request).filter((name) => /latitude|longitude/.test(name))).toEqual([]);
    await drive(shop, id, 6);
    expect(statusesOf(await deliveryNow(delivery))).toEqual([
      'delivery_created',
      'driver_assigned',
      'enroute_pickup',
      'arrived_at_pickup',
      'pickup_complete',
      'enroute_dropoff',
      'arrived_at_dropoff',
      'delivered',
    ]);
    expect(await deliveryNow(delivery)).toMatchObject({
      courier_name: 'Robo C.',
      proof_of_delivery: [{ type: 'signature' }],
    });
    const { sum, kinds } = await money(delivery);
    expect(kinds).toEqual(['delivery', 'tip']);
    expect(sum).toBe(booked(shop).fee);
    expect(shop.fixture.faults).toEqual([]);
  });

  it('is booked in a sandbox whose time was advanced', async () => {
    const wall = shop.fixture.now();
    shop.clock.now = () => wall;
    await shop.fixture.pass(24 * hour);
    const { quote, delivery } = await dispatchOne(shop);
    expect(Date.parse(quote.expires_at ?? '') - shop.fixture.now()).toBe(15 * 60_000);
    const params = { deliveryid: delivery.id };
    const { details } = (await shop.fixture.client().deliveries.getDetailed({ params })).data;
    expect(Date.parse(details.promised_at ?? '')).toBeGreaterThan(shop.fixture.now());
    expect(delivery).toMatchObject({ status: 'delivery_created', service: 'uber-direct' });
  });

  it('is quoted by its places alone, and books with the people', async () => {
    const { pickup_address = '', dropoff_address, ...others } = orderRequest({ dropoff_unit: 'Apt 5' });
    const places = { pickup_address, dropoff_address };
    const { client } = shop.fixture;
    const quotes = (await client().deliveries.quote({ body: places })).data;
    const quote_id = quotes.find(({ service }) => service === 'uber-direct')?.id;
    expect(quote_id).toBeDefined();
    const body = { ...places, ...others, quote_id: quote_id ?? '', initiate: true };
    const made = await client().deliveries.create({ body });
    expect(made.data).toMatchObject({ status: 'delivery_created', service: 'uber-direct' });
  });

  it('is booked to the unit that it got after its quote', async () => {
    const { client, pass } = shop.fixture;
    const { pickup_address = '', dropoff_address } = orderRequest();
    const quotes = (await client().deliveries.quote({ body: { pickup_address, dropoff_address } })).data;
    const quote_id = quotes.find(({ service }) => service === 'uber-direct')?.id ?? '';
    const { id } = (await client().deliveries.create({ body: { ...orderRequest(), quote_id } })).data;
    await pass(1_000);
    await client().deliveries.edit({ params: { deliveryid: id }, body: { dropoff_unit: 'Apt 5' } });
    const sent = await client().deliveries.initiate({ params: { deliveryid: id }, body: {} });
    expect(sent.data).toMatchObject({ status: 'delivery_created', service: 'uber-direct' });
    expect(booked(shop).request.dropoff_address).toContain('Apt 5');
  });

  it('goes back to the sender if it cannot be handed over', async () => {
    const { delivery } = await dispatchOne(shop);
    const { id } = booked(shop);
    await drive(shop, id, 5);
    const back = await shop.uber.sendBack(id, 'CUSTOMER_UNAVAILABLE');
    expect(await deliveryNow(delivery)).toMatchObject({
      status: 'enroute_to_return',
      failure_reason: 'recipient_unreachable',
    });
    await drive(shop, back, 3);
    expect((await deliveryNow(delivery)).status).toBe('returned');
  });
});

test('a cancellation is the merchant’s, although its webhook arrives before the answer', async () => {
  const { delivery } = await dispatchOne(shop);
  await cancel(delivery);
  expect((await deliveryNow(delivery)).status).toBe('customer_canceled');
  expect(booked(shop).status).toBe('canceled');
});

test('auto dispatch has an outcome if the courier has delivered before its answer is known', async () => {
  const client = shop.fixture.client();
  shop.uber.faults.push({ request: 'POST /deliveries', kind: 'lost' });
  const settings = auto({ providers: ['uber-direct'], retry_window: 300, retry_interval: 60 });
  const body = { orders: [orderRequest()], settings };
  const { batch_id } = await batchMade(client.orders.create({ body }));
  await shop.fixture.pass(2_500);
  for (let step = 0; step < 6; step++) await shop.uber.step(booked(shop).id);
  expect(await batchNow(client, batch_id)).toMatchObject({ orders: [{ status: 'pending' }] });
  for (let second = 0; second < 60; second += 5) await shop.fixture.pass(5_000);
  const after = await batchNow(client, batch_id);
  expect(after).toMatchObject({ status: 'complete', orders: [{ status: 'dispatched', attempts: 1 }] });
  const events = await eventsOf(shop.fixture, 'order.dispatched', 'batch.completed');
  expect(events.map(({ type }) => type)).toEqual(['order.dispatched', 'batch.completed']);
});

describe('a circuit breaker in front of Uber Direct', () => {
  /** The requests for a quote that reach Uber Direct while it gives none, and those after it has recovered. */
  const requestsWithout = async (code: 'couriers_busy' | 'service_unavailable') => {
    const request = 'POST /delivery_quotes';
    const count = () => shop.uber.requests.filter(({ path }) => path === '/delivery_quotes').length;
    shop.uber.faults.push({ request, kind: { code }, times: 100 });
    for (let minute = 0; minute < 8; minute++) await expect(dispatchOne(shop)).rejects.toThrow('no quote');
    const before = count();
    shop.uber.faults.length = 0;
    await dispatchOne(shop).catch(() => {});
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

test('the journey back is charged, as Uber bills it beside the first one', async () => {
  for (const send of [shop.uber.webhook.send, null]) {
    shop.uber.webhook.send = send;
    shop.uber.state.deliveries.clear();
    const { delivery } = await dispatchOne(shop);
    const { id } = booked(shop);
    await drive(shop, id, 5);
    await drive(shop, await shop.uber.sendBack(id, 'CUSTOMER_UNAVAILABLE'), 3);
    await shop.fixture.pass(2 * hour);
    const { sum, kinds } = await money(delivery);
    expect(kinds).toEqual(['adjustment', 'delivery', 'tip']);
    const journeys = [...shop.uber.state.deliveries.values()];
    expect(sum).toBe(journeys.reduce((total, { fee }) => total + fee, 0));
  }
});

test('what Uber gives back is given back, once, by its event or a poll', async () => {
  for (const send of [shop.uber.webhook.send, null]) {
    shop.uber.state.deliveries.clear();
    const { delivery } = await dispatchOne(shop);
    const { id, fee } = booked(shop);
    await drive(shop, id, 6);
    shop.uber.webhook.send = send;
    for (const cents of [300, 300]) await shop.uber.refund(id, cents);
    await shop.fixture.pass(2 * hour);
    const { sum, kinds } = await money(delivery);
    expect([sum, kinds]).toEqual([fee - 300, ['adjustment', 'delivery', 'tip']]);
  }
});

test('a cancellation fee that Uber names afterwards is charged', async () => {
  const { delivery } = await dispatchOne(shop);
  await drive(shop, booked(shop).id, 1);
  await cancel(delivery);
  expect((await money(delivery)).sum).toBe(0);
  Object.assign(booked(shop), { fee: 420, tip: 0 });
  await shop.fixture.pass(3 * hour);
  const { sum, kinds } = await money(delivery);
  expect([sum, kinds]).toEqual([420, ['adjustment', 'delivery', 'refund', 'tip']]);
});

test('a cancellation is free until a courier is assigned, and then costs what Uber Direct does not say', async () => {
  const { delivery } = await dispatchOne(shop);
  const params = { deliveryid: delivery.id };
  const terms = async () => (await shop.fixture.client().deliveries.cancellation({ params })).data;
  const before = await terms();
  expect([before.cancelable, before.fee, before.fee_unknown]).toEqual([true, 0, undefined]);
  await drive(shop, booked(shop).id, 1);
  expect(await terms()).toMatchObject({ cancelable: true, fee: 0, fee_unknown: true });
});

describe('a change', () => {
  let delivery: Delivery;
  beforeEach(async () => {
    ({ delivery } = await dispatchOne(shop));
  });

  const edit = (body: object) => shop.fixture.send('PATCH', `/v1/delivery/${delivery.id}`, { body });
  const notes = async () => (await deliveryNow(delivery)).dropoffs[0]?.dropoff_notes;
  const uberNotes = () => booked(shop).request.dropoff_notes;

  it('of notes reaches the courier before they are stored', async () => {
    expect((await edit({ dropoff_notes: 'Ring at Miller', pickup_notes: 'Side door' })).status).toBe(200);
    expect(booked(shop).request).toMatchObject({
      dropoff_notes: 'Ring at Miller',
      pickup_notes: 'Side door',
    });
    expect(await notes()).toBe('Ring at Miller');
  });

  it('of notes by the recipient on the tracking page reaches the courier', async () => {
    const { pathname } = new URL(delivery.tracking_url);
    const body = { dropoff_notes: 'Gate 8823' };
    expect((await shop.fixture.send('PATCH', pathname, { body })).status).toBe(200);
    expect([uberNotes(), await notes()]).toEqual(['Gate 8823', 'Gate 8823']);
  });

  it('that the courier does not take is refused, with its other parts', async () => {
    const before = [uberNotes(), await notes()];
    const { status, body } = await edit({ dropoff_name: 'Dana Miller', dropoff_notes: 'Ring' });
    expect([status, JSON.parse(body)]).toEqual([
      409,
      expect.objectContaining({
        code: 'delivery_not_editable',
        message: `Delivery ${delivery.id} cannot be changed: Uber Direct takes no changes of names, phone numbers or units.`,
      }),
    ]);
    expect([uberNotes(), await notes()]).toEqual(before);
  });

  it('of an e-mail address, and names that stay the same, are no business of the courier', async () => {
    const { dropoff_name } = delivery.dropoffs[0] ?? {};
    expect((await edit({ dropoff_name, dropoff_email: 'dana@example.com' })).status).toBe(200);
  });

  it('is not stored if the courier does not respond', async () => {
    const provider = shop.fixture.config.providers.find(({ name }) => name === 'uber-direct');
    if (provider === undefined) throw new Error('Uber Direct is no provider');
    provider.update = async () => Promise.reject(new ProviderFault('no answer'));
    const before = await notes();
    const { status, body } = await edit({ dropoff_notes: 'Ring' });
    expect([status, JSON.parse(body).message]).toEqual([
      409,
      `Delivery ${delivery.id} cannot be changed: the courier is not responding, try again.`,
    ]);
    expect(await notes()).toBe(before);
  });

  it('after the pickup is refused without the courier', async () => {
    await drive(shop, booked(shop).id, 4);
    expect((await edit({ dropoff_notes: 'Too late' })).status).toBe(409);
    expect(uberNotes()).not.toBe('Too late');
  });

  it('of the tip, which Uber Direct refuses a second time, is not charged', async () => {
    const { status, body } = await edit({ tip: 900 });
    expect([status, JSON.parse(body).code]).toEqual([409, 'delivery_not_editable']);
    expect((await deliveryNow(delivery)).tip).toBe(200);
  });
});

describe('a courier', () => {
  const params = { name: 'uber-direct' };
  const remove = (query: { force?: boolean } = {}) =>
    shop.fixture.client().couriers.remove({ params, query });
  const state = async () => {
    const { data } = (await shop.fixture.client().couriers.list()).data;
    return data.find(({ name }) => name === params.name)?.state;
  };

  it('with deliveries under way is not removed, and some of them are named', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 4; count++) ids.push((await dispatchOne(shop)).delivery.id);
    const [first, second, third] = ids;
    await expect(remove()).rejects.toMatchObject({
      code: 'courier_has_deliveries',
      status: 409,
      related_ids: [first, second, third],
      message: expect.stringContaining(
        `Uber Direct has 4 deliveries under way, which could no longer be followed or canceled: ${first}, ${second}, ${third} and 1 more.`,
      ),
    });
    await expect(remove({ force: false })).rejects.toMatchObject({ code: 'courier_has_deliveries' });
    expect(await state()).toBe('enabled');
  });

  it('with a delivery under way is removed by force', async () => {
    const { delivery } = await dispatchOne(shop);
    await expect(remove()).rejects.toMatchObject({
      message: expect.stringContaining('Uber Direct has a delivery under way'),
      related_ids: [delivery.id],
    });
    await remove({ force: true });
    expect(await state()).toBe('not_connected');
    await expect(remove()).rejects.toMatchObject({ code: 'courier_not_connected' });
  });

  it('whose deliveries have ended is removed', async () => {
    await dispatchOne(shop);
    await drive(shop, booked(shop).id, 6);
    await remove();
    expect(await state()).toBe('not_connected');
  });
});

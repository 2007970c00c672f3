import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Delivery } from '../../../src/contract/deliveries.ts';
import { ProviderFault } from '../../../src/providers/port.ts';
import { booked, deliveryNow, dispatched, drive, type Shop, startShop } from './uber-direct-shop.ts';

let shop: Shop;
let delivery: Delivery;

beforeEach(async () => {
  shop = await startShop();
  const [first] = await dispatched(shop);
  if (first === undefined) throw new Error('no delivery');
  delivery = first;
});
afterEach(() => shop.close());

const edit = (body: object) => shop.fixture.send('PATCH', `/v1/delivery/${delivery.id}`, { body });
const notes = async () => (await deliveryNow(shop, delivery)).dropoffs[0]?.dropoff_notes;
const uberNotes = () => booked(shop).request.dropoff_notes;

test('changed notes reach the courier before they are stored', async () => {
  expect((await edit({ dropoff_notes: 'Ring at Miller', pickup_notes: 'Side door' })).status).toBe(200);
  expect(booked(shop).request).toMatchObject({ dropoff_notes: 'Ring at Miller', pickup_notes: 'Side door' });
  expect(await notes()).toBe('Ring at Miller');
});

test('the notes that a recipient saves on the tracking page reach the courier', async () => {
  const { pathname } = new URL(delivery.tracking_url);
  const body = { dropoff_notes: 'Gate 8823' };
  expect((await shop.fixture.send('PATCH', pathname, { body })).status).toBe(200);
  expect([uberNotes(), await notes()]).toEqual(['Gate 8823', 'Gate 8823']);
});

test('a change that the courier does not take is refused, with its other parts', async () => {
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

test('names that stay the same, and e-mail addresses, are no business of the courier', async () => {
  const { dropoff_name } = delivery.dropoffs[0] ?? {};
  expect((await edit({ dropoff_name, dropoff_email: 'dana@example.com' })).status).toBe(200);
});

test('if the courier does not respond, nothing is stored', async () => {
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

test('after the pickup the courier is not asked', async () => {
  await drive(shop, booked(shop).id, 4);
  expect((await edit({ dropoff_notes: 'Too late' })).status).toBe(409);
  expect(uberNotes()).not.toBe('Too late');
});

test('a cancellation is free until a courier is assigned, and then costs what Uber Direct does not say', async () => {
  const params = { deliveryid: delivery.id };
  const terms = async () => (await shop.fixture.client().deliveries.cancellation({ params })).data;
  const before = await terms();
  expect([before.cancelable, before.fee, before.fee_unknown]).toEqual([true, 0, undefined]);
  await drive(shop, booked(shop).id, 1);
  expect(await terms()).toMatchObject({ cancelable: true, fee: 0, fee_unknown: true });
});

test('a second tip, which Uber Direct refuses, is not charged', async () => {
  const { status, body } = await edit({ tip: 900 });
  expect([status, JSON.parse(body).code]).toEqual([409, 'delivery_not_editable']);
  expect((await deliveryNow(shop, delivery)).tip).toBe(200);
});

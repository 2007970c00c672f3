import { afterEach, beforeEach, expect, test } from 'vitest';
import { moneyOf } from '../delivery-runs.ts';
import { booked, dispatched, drive, type Shop, startShop } from './uber-direct-shop.ts';

let shop: Shop;
beforeEach(async () => {
  shop = await startShop();
});
afterEach(() => shop.close());

const hour = 3_600_000;
const money = (delivery: { id: string }) => moneyOf(shop.fixture.client(), delivery);

async function oneDispatched() {
  const [delivery] = await dispatched(shop, [{ tip: 200 }]);
  if (delivery === undefined) throw new Error('no delivery');
  return delivery;
}

test('the journey back is charged, as Uber bills it beside the first one', async () => {
  for (const send of [shop.uber.webhook.send, null]) {
    shop.uber.webhook.send = send;
    shop.uber.state.deliveries.clear();
    const delivery = await oneDispatched();
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
    const delivery = await oneDispatched();
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
  const delivery = await oneDispatched();
  await drive(shop, booked(shop).id, 1);
  const params = { deliveryid: delivery.id };
  await shop.fixture.client().deliveries.cancel({ params, body: {} });
  expect((await money(delivery)).sum).toBe(0);
  Object.assign(booked(shop), { fee: 420, tip: 0 });
  await shop.fixture.pass(3 * hour);
  const { sum, kinds } = await money(delivery);
  expect([sum, kinds]).toEqual([420, ['adjustment', 'delivery', 'refund', 'tip']]);
});

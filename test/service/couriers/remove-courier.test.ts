import { afterEach, beforeEach, expect, test } from 'vitest';
import { booked, dispatched, drive, type Shop, startShop } from './uber-direct-shop.ts';

let shop: Shop;
beforeEach(async () => {
  shop = await startShop();
});
afterEach(() => shop.close());

const params = { name: 'uber-direct' };
const remove = (query: { force?: boolean } = {}) => shop.fixture.client().couriers.remove({ params, query });
const stateOf = async () => {
  const { data } = (await shop.fixture.client().couriers.list()).data;
  return data.find(({ name }) => name === params.name)?.state;
};

test('a courier with deliveries under way is not removed, and some of them are named', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 4; count++) ids.push(...(await dispatched(shop)).map(({ id }) => id));
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
  expect(await stateOf()).toBe('enabled');
});

test('a courier with a delivery under way is removed by force', async () => {
  const [delivery] = await dispatched(shop);
  await expect(remove()).rejects.toMatchObject({
    message: expect.stringContaining('Uber Direct has a delivery under way'),
    related_ids: [delivery?.id],
  });
  await remove({ force: true });
  expect(await stateOf()).toBe('not_connected');
  await expect(remove()).rejects.toMatchObject({ code: 'courier_not_connected' });
});

test('a courier whose deliveries have ended is removed', async () => {
  await dispatched(shop);
  await drive(shop, booked(shop).id, 6);
  await remove();
  expect(await stateOf()).toBe('not_connected');
});

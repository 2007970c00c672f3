import { describe, expect, test } from 'vitest';
import { orderRequest, startFixture } from '../fixture.ts';

/** Every operation that takes an order is equally lenient. */
const operations = [
  ['/v2/orders/create', (order: object) => ({ orders: [order] }), 'orders[0].'],
  ['/v1/delivery_information', (order: object) => order, ''],
] as const;

describe.each(operations)('%s', (path, bodyOf, at) => {
  const send = async (changes: object) => {
    const fixture = await startFixture();
    const answer = await fixture.send('POST', path, { body: bodyOf({ ...orderRequest(), ...changes }) });
    return { status: answer.status, body: JSON.parse(answer.body) };
  };

  test('accepts an address with street, city and state', async () => {
    const { status, body } = await send({ pickup_address: '43 E Ohio St, Chicago, IL' });
    expect([status, body.pickup_address]).toEqual([200, '43 E Ohio St, Chicago, IL, USA']);
  });

  test('refuses an address with an unknown city, by its field', async () => {
    const { status, body } = await send({ pickup_address: '43 E Ohio St, Chicagoo, IL' });
    expect([status, body.code]).toEqual([422, 'address_not_geocodable']);
    const message = 'has no ZIP code and an unknown city: Chicagoo, IL';
    expect(body.details).toEqual([{ path: `${at}pickup_address`, message }]);
  });

  test('accepts an item without a quantity as one, and common spellings of sizes', async () => {
    const sizes = ['XL', 'xlarge', 'extra-large', 'Medium', undefined];
    const { status, body } = await send({ items: sizes.map((size) => ({ name: 'Box', size })) });
    expect(status).toBe(200);
    expect(body.items).toEqual(
      ['extra_large', 'extra_large', 'extra_large', 'medium', 'small'].map((size) => {
        return { name: 'Box', quantity: 1, size };
      }),
    );
  });

  test('refuses an unknown size, by its field', async () => {
    const { status, body } = await send({ items: [{ name: 'Box' }, { name: 'Sofa', size: 'huge' }] });
    const message = 'must be one of small, medium, large, extra_large';
    expect([status, body.details]).toEqual([400, [{ path: `${at}items[1].size`, message }]]);
  });

  test('refuses items beside a description, and accepts an order with neither', async () => {
    const { status, body } = await send({ items: [], items_description: 'Flowers' });
    expect([status, body.items, body.items_description]).toEqual([200, [], 'Flowers']);
    const refused = await send({ items: [] });
    const message = 'is required, or items_description instead';
    expect([refused.status, refused.body.details]).toEqual([400, [{ path: `${at}items`, message }]]);
  });

  test('refuses an unknown field by its name', async () => {
    const { status, body } = await send({ dropoff_adress: '233 S Wacker Dr' });
    expect([status, body.details[0].path]).toEqual([400, `${at}dropoff_adress`]);
  });
});

test('a quote of version 1 accepts the same', async () => {
  const fixture = await startFixture();
  const places = { pickup_address: '43 E Ohio St, Chicago, IL', dropoff_address: '1 Lake St, Oak Park, IL' };
  const quote = async (items: object[]) => {
    const answer = await fixture.send('POST', '/v1/quote', { body: { ...places, items } });
    return { status: answer.status, body: JSON.parse(answer.body) };
  };
  const services = ({ body }: { body: { service: string }[] }) => body.map(({ service }) => service);
  expect(services(await quote([]))).toContain('swiftly');
  expect(services(await quote([{ name: 'Sofa', size: 'XL' }]))).toEqual(['haulvan']);
  const refused = await quote([{ name: 'Sofa', size: 'huge' }]);
  expect([refused.status, refused.body.details[0].path]).toEqual([400, 'items[0].size']);
});

test('a saved place accepts an address without a ZIP code', async () => {
  const fixture = await startFixture();
  const body = { name: 'Shop', address: '43 E Ohio St, Chicago, IL', phone_number: '+13125550100' };
  const answer = await fixture.send('POST', '/v2/stores', { body });
  expect(JSON.parse(answer.body)).toMatchObject({ address: '43 E Ohio St, Chicago, IL, USA' });
});

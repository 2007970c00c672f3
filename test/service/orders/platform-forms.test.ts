import { describe, expect, test } from 'vitest';
import type { RouteQuote } from '../../../src/contract/routes.ts';
import { type Fixture, orderRequest, startFixture } from '../fixture.ts';

const pickup = {
  name: 'Ohio Street Grill',
  phone_number: '+13125550100',
  address: '43 E Ohio St, Chicago, IL 60611',
  unit: 'Rear 2',
  notes: 'Side door',
  contact_email: 'shop@grill.example',
};
const dropoff = {
  name: 'Joe Diner',
  phone_number: '(312) 555-0142',
  address: '233 S Wacker Dr, Chicago, IL 60606',
  unit: 'Unit 7',
  notes: 'By the blue door\nSecond line',
  contact_email: 'joe@diner.example',
};
const nested = {
  external_order_ref: 'shop-1',
  items: [{ name: 'Roses', quantity: 2, unit_price: 5000, description: 'red' }],
  length: 10,
  width: 9,
  height: 7,
  dimension_unit: 'in',
  weight: 2,
  weight_unit: 'lb',
  preferred_provider_settings: { require_dropoff_photo: true },
  pickup,
  dropoff,
};

async function sent(fixture: Fixture, path: string, body: object, method = 'POST') {
  const answer = await fixture.send(method, path, { body });
  return { status: answer.status, body: JSON.parse(answer.body) };
}

/** The quotes of a round that was requested with a body. */
async function quotedWith(fixture: Fixture, route_id: string, body: object): Promise<RouteQuote[]> {
  await sent(fixture, `/v2/routes/${route_id}/quotes`, body);
  await fixture.pass(60_000);
  return (await sent(fixture, `/v2/routes/${route_id}/quotes`, {}, 'GET')).body.data;
}

test.each(['/v2/orders', '/v1/orders'])('%s takes one order with its ends as objects', async (path) => {
  const fixture = await startFixture();
  const { status, body } = await sent(fixture, path, nested);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    object: 'order',
    status: 'open',
    pickup_name: 'Ohio Street Grill',
    pickup_phone_number: '13125550100',
    pickup_unit: 'Rear 2',
    dropoff_address: '233 S Wacker Dr, Chicago, IL 60606, USA',
    dropoff_phone_number: '13125550142',
    dropoff_email: 'joe@diner.example',
    dropoff_notes: 'By the blue door\nSecond line',
    items: [{ name: 'Roses', quantity: 2, size: 'small' }],
    items_description: 'Roses: red',
    order_value: 10_000,
    external_order_ref: 'shop-1',
    test_mode: true,
    latest_delivery: null,
  });
  expect(Object.keys(body)).not.toContain('photo_wanted');
  const { latest_delivery: _, ...record } = body;
  expect((await sent(fixture, `/v2/orders/${body.id}`, {}, 'GET')).body).toEqual(record);
});

test('it takes own fields as /orders/create does, and answers with the same record', async () => {
  const fixture = await startFixture();
  const one = await sent(fixture, '/v2/orders', { ...orderRequest(), unique_ref: true, tip: 100 });
  const other = await sent(fixture, '/orders/create', { orders: [{ ...orderRequest(), tip: 100 }] });
  expect(one.status).toBe(200);
  const { id: _, latest_delivery, ...rest } = one.body;
  const { id: __, ...expected } = other.body;
  expect(latest_delivery).toBeNull();
  expect(rest).toEqual(expected);
});

test('the descriptions of items are cut between two characters', async () => {
  const fixture = await startFixture();
  const items = [
    { name: 'Tea', description: 'x'.repeat(492) },
    { name: '🌹', description: 'red' },
  ];
  const { body } = await sent(fixture, '/v2/orders', { ...nested, items });
  expect(body.items_description).toBe(`Tea: ${'x'.repeat(492)}; `);
});

test('a key gives the order once', async () => {
  const fixture = await startFixture();
  const headers = { 'x-idempotency-key': 'try-1' };
  const [one, again] = [
    await fixture.send('POST', '/v2/orders', { body: nested, headers }),
    await fixture.send('POST', '/v2/orders', { body: nested, headers }),
  ];
  expect(again.body).toBe(one.body);
  expect(again.headers['idempotent-replayed']).toBe('true');
});

/** Each with the item size that it means. */
const sizes = [
  [{ length: 10, width: 9, height: 7, dimension_unit: 'in', weight: 2, weight_unit: 'lb' }, 'small'],
  [{ length: 50, width: 9, height: 7, dimension_unit: 'cm' }, 'medium'],
  [{ weight: 20, weight_unit: 'kg' }, 'large'],
  [{ weight: 30_000, weight_unit: 'g' }, 'extra_large'],
  [{ length: 9, width: 9, height: 60, dimension_unit: 'in' }, 'extra_large'],
  [{}, 'small'],
] as const;

test.each(sizes)('the sizes %j are an item that is %s', async (parcel, size) => {
  const fixture = await startFixture();
  const items = [{ name: 'Box' }, { name: 'Tube', size: 'medium' }];
  const { body } = await sent(fixture, '/v2/orders', { ...orderRequest(), items, ...parcel });
  expect(body.items.map((item: { size: string }) => item.size)).toEqual([size, 'medium']);
});

const { pickup_address: _, pickup_name: __, pickup_phone_number: ___, ...noPickup } = orderRequest();

/** What is refused, with the paths that the answer names. */
const refusals: [string, object, string[]][] = [
  ['nothing', {}, ['dropoff_address', 'dropoff_name', 'dropoff_phone_number']],
  ['a misspelled field', { ...nested, dropof: {} }, ['dropof']],
  ['a misspelled field of an end', { ...nested, pickup: { ...pickup, adress: 'x' } }, ['pickup.adress']],
  ['an end without a name', { ...nested, dropoff: { ...dropoff, name: undefined } }, ['dropoff.name']],
  ['a phone of an end', { ...nested, dropoff: { ...dropoff, phone_number: '12' } }, ['dropoff.phone_number']],
  ['an end twice', { ...nested, dropoff_name: 'Joe' }, ['dropoff_name']],
  [
    'a setting that cannot be kept',
    { ...nested, preferred_provider_settings: { recipient_minimum_age: 21 } },
    ['preferred_provider_settings.recipient_minimum_age'],
  ],
  ['required settings', { ...nested, required_provider_settings: {} }, ['required_provider_settings']],
  ['a size without its unit', { ...nested, dimension_unit: undefined }, ['dimension_unit']],
  [
    'coordinates far away',
    { ...nested, pickup: { ...pickup, address_details: { latitude: '40', longitude: '-87' } } },
    ['pickup.address_details.latitude'],
  ],
  ['a time in the past', { ...nested, dropoff: { ...dropoff, at: '2020-01-01T00:00:00Z' } }, ['dropoff.at']],
  [
    'two stores for one end',
    { ...noPickup, store_id: 'str_1', pickup_store_id: 'str_2' },
    ['pickup_store_id'],
  ],
  ['an unknown store', { ...noPickup, store_id: 'str_1' }, ['store_id']],
  [
    'an unknown dropoff store',
    { ...orderRequest({ dropoff_address: undefined as never }), dropoff_store_id: 'str_1' },
    ['dropoff_store_id'],
  ],
];

test.each(refusals)('%s is refused by name', async (_name, body, paths) => {
  const answer = await sent(await startFixture(), '/v2/orders', body);
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
  expect(answer.body.details.map(({ path }: { path: string }) => path)).toEqual(
    expect.arrayContaining(paths),
  );
});

describe('stores', () => {
  test.each(['/v2/orders', '/v1/delivery_information'])('%s takes them at both ends', async (path) => {
    const fixture = await startFixture();
    const { address, name, phone_number } = dropoff;
    const from = await sent(fixture, '/v2/stores', { ...pickup, contact_email: undefined });
    const to = await sent(fixture, '/v2/stores', { address, name, phone_number, unit: 'Dock 2' });
    const body = { store_id: from.body.id, dropoff_store_id: to.body.id, items: [{ name: 'Box' }] };
    const made = await sent(fixture, path, body);
    expect([made.status, made.body.pickup_name]).toEqual([200, 'Ohio Street Grill']);
    const { dropoff_name, dropoff_unit, dropoff_phone_number } = made.body.dropoffs?.[0] ?? made.body;
    expect([dropoff_name, dropoff_unit, dropoff_phone_number]).toEqual([
      'Joe Diner',
      'Dock 2',
      '13125550142',
    ]);
  });
});

const details = {
  street: '43 E Ohio St',
  city: 'Chicago',
  state: 'IL',
  postal_code: '60611',
  country: 'US',
  latitude: '41.8925',
  longitude: '-87.6262',
};

test('a quote and a delivery take the details of an address, with its coordinates as text', async () => {
  const fixture = await startFixture();
  const { pickup_address, dropoff_address } = orderRequest();
  const parcel = { pickup_address, dropoff_address, pickup_address_details: details };
  const quoted = await sent(fixture, '/v1/quote', parcel);
  expect(quoted.status).toBe(200);
  const body = { ...orderRequest(), pickup_address_details: details, quote_id: quoted.body[0].id };
  const made = await sent(fixture, '/v1/delivery_information', body);
  expect([made.status, made.body.quote_id]).toEqual([200, quoted.body[0].id]);
  const detailed = await sent(fixture, `/v2/deliveries/${made.body.id}`, {}, 'GET');
  expect(detailed.body.details).toMatchObject({ pickup_latitude: 41.8925, pickup_precision: 'exact' });
});

test('a quote without a dropoff is refused by name', async () => {
  const { pickup_address } = orderRequest();
  const { status, body } = await sent(await startFixture(), '/v1/quote', { pickup_address });
  expect([status, body.details]).toEqual([400, [{ path: 'dropoff_address', message: 'is required' }]]);
});

test('an order is deleted while it is not dispatched, and its record says so', async () => {
  const fixture = await startFixture();
  const { id } = (await sent(fixture, '/v2/orders', nested)).body;
  const route = await sent(fixture, '/v2/routes', { order_ids: [id] });
  expect((await sent(fixture, `/v2/orders/${id}`, {}, 'DELETE')).body.code).toBe('order_not_open');
  expect((await sent(fixture, `/v2/routes/${route.body.id}`, {}, 'DELETE')).status).toBe(200);
  const deleted = await sent(fixture, `/v2/orders/${id}`, {}, 'DELETE');
  expect(deleted).toEqual({ status: 200, body: { id, object: 'order', deleted: true } });
  expect((await sent(fixture, `/v2/orders/${id}`, {}, 'GET')).body.status).toBe('canceled');
  expect((await sent(fixture, '/v2/orders/ord_none', {}, 'DELETE')).body.code).toBe('record_not_found');
});

test('an order that has a delivery is not deleted', async () => {
  const fixture = await startFixture();
  const { order_id } = (await sent(fixture, '/v1/delivery_information', orderRequest())).body;
  const { status, body } = await sent(fixture, `/v2/orders/${order_id}`, {}, 'DELETE');
  expect([status, body.code]).toEqual([409, 'order_not_open']);
});

test('the latest delivery of an order, in the fields of the platform', async () => {
  const fixture = await startFixture();
  const { id } = (await sent(fixture, '/v2/orders', nested)).body;
  const read = async () => (await sent(fixture, `/v2/orders/${id}?expand=latest_delivery`, {}, 'GET')).body;
  expect((await read()).latest_delivery).toBeNull();
  const route = (await sent(fixture, '/v2/routes', { order_ids: [id] })).body;
  const quotes = await quotedWith(fixture, route.id, { vehicle_type: 'car', quote_preference: 'fastest' });
  const quote = quotes.find(({ provider }) => provider === 'swiftly');
  await sent(fixture, `/v2/routes/${route.id}/dispatch`, { quote_id: quote?.id });
  await fixture.pass(2 * 60 * 60 * 1000);
  const { delivery } = (await sent(fixture, `/v2/orders/${id}?expand=delivery`, {}, 'GET')).body;
  const { latest_delivery } = await read();
  expect(latest_delivery).toEqual({
    id: delivery.id,
    status: 'delivered',
    tracking_url: delivery.tracking_url,
    courier: {
      name: delivery.courier_name,
      phone_number: delivery.courier_phone_number,
      phone_number_for_customer: delivery.courier_phone_number,
    },
    total_amount_due: delivery.payment_amount,
    fee: delivery.fee,
    currency: 'USD',
    provider: 'swiftly',
    quote_id: quote?.id,
    proof_of_delivery_image_urls: [expect.stringContaining('/photo.png')],
    signature_image_url: null,
    created_at: delivery.created_at,
    updated_at: delivery.updated_at,
  });
});

test('a vehicle that is wanted with the request of quotes leaves only couriers that have it', async () => {
  const fixture = await startFixture();
  const { id } = (await sent(fixture, '/v2/orders', nested)).body;
  const route = (await sent(fixture, '/v2/routes', { order_ids: [id] })).body;
  const quotes = await quotedWith(fixture, route.id, { vehicle_type: 'cargo_van' });
  expect(quotes.map(({ provider }) => provider)).toEqual(['haulvan']);
});

import { describe, expect, test } from 'vitest';
import { orderRecord } from '../../../src/service/orders/order.ts';
import { askedOrder, courierOrders } from '../../../src/service/quotes/quote-request.ts';
import { loadOrders } from '../../../src/storage/orders.ts';
import { draftRoute, orderMade, orderRequest, quotesOf, startClient, startFixture } from '../fixture.ts';

/** The Willis Tower, and the corner of State and Ohio. */
const dropoff = { dropoff_latitude: 41.87888, dropoff_longitude: -87.63591 };
const pickup = { pickup_latitude: 41.8925, pickup_longitude: -87.6282 };

test('an order has the coordinates that were given, and otherwise the centre of its ZIP code', async () => {
  const { client } = await startClient();
  const { data } = await orderMade(client.orders.create({ body: { orders: [orderRequest(dropoff)] } }));
  expect(data).toMatchObject({
    ...{ ...dropoff, dropoff_precision: 'exact' },
    ...{ pickup_latitude: 41.894742, pickup_longitude: -87.615073, pickup_precision: 'zip' },
  });
  expect((await client.orders.get({ params: { order_id: data.id } })).data).toEqual(data);
});

test('a delivery has them in the details of version 2 only', async () => {
  const { client } = await startClient();
  const body = { ...orderRequest({ ...pickup, ...dropoff }), initiate: true };
  const { data } = await client.deliveries.create({ body });
  const params = { deliveryid: data.id };
  expect(Object.keys((await client.deliveries.get({ params })).data)).not.toContain('dropoff_latitude');
  const { details } = (await client.deliveries.getDetailed({ params })).data;
  const precise = { pickup_precision: 'exact', dropoff_precision: 'exact' };
  expect(details).toMatchObject({ ...pickup, ...dropoff, ...precise });
});

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

  test('refuses an unknown size and an unknown field, by their paths', async () => {
    const { status, body } = await send({ items: [{ name: 'Box' }, { name: 'Sofa', size: 'huge' }] });
    const message = 'must be one of small, medium, large, extra_large';
    expect([status, body.details]).toEqual([400, [{ path: `${at}items[1].size`, message }]]);
    const misspelled = await send({ dropoff_adress: '233 S Wacker Dr' });
    expect([misspelled.status, misspelled.body.details[0].path]).toEqual([400, `${at}dropoff_adress`]);
  });

  test('refuses items beside a description, and accepts an order with neither', async () => {
    const { status, body } = await send({ items: [], items_description: 'Flowers' });
    expect([status, body.items, body.items_description]).toEqual([200, [], 'Flowers']);
    const refused = await send({ items: [] });
    const message = 'is required, or items_description instead';
    expect([refused.status, refused.body.details]).toEqual([400, [{ path: `${at}items`, message }]]);
  });

  test('refuses one of two coordinates, coordinates beyond the earth, and those of a store', async () => {
    const message = 'is required together with dropoff_latitude';
    expect(await send({ dropoff_latitude: 41.9 })).toMatchObject({
      ...{ status: 400, body: { details: [{ path: `${at}dropoff_longitude`, message }] } },
    });
    const beyond = await send({ dropoff_latitude: 91, dropoff_longitude: -87 });
    expect([beyond.status, beyond.body.details[0].path]).toEqual([400, `${at}dropoff_latitude`]);
    const { pickup_address: _, pickup_name: __, pickup_phone_number: ___, ...rest } = orderRequest();
    const both = await send({ ...rest, ...pickup, pickup_store_id: 'str_1' });
    expect(JSON.stringify(both.body.details)).toContain('cannot be given together with pickup_store_id');
  });

  test('refuses coordinates more than 25 miles from the ZIP code', async () => {
    // Longitude without its sign, and Milwaukee.
    const message = 'is 6642 miles from the centre of ZIP code 60606: at most 25 are allowed';
    expect(await send({ ...dropoff, dropoff_longitude: 87.63591 })).toMatchObject({
      ...{ status: 400, body: { details: [{ path: `${at}dropoff_latitude`, message }] } },
    });
    const near = await send({ dropoff_latitude: 42.2, dropoff_longitude: -87.6 });
    expect(near.status).toBe(200);
    const milwaukee = { dropoff_latitude: 43.04, dropoff_longitude: -87.91 };
    const far = await send({ dropoff_address: '1 Main St, Chicago, IL', ...milwaukee });
    expect(far.body.details[0].message).toMatch(/^is 8\d miles from the centre of Chicago, IL:/);
  });
});

test('simulated couriers charge by ZIP codes; the route has the true distance', async () => {
  const fixture = await startFixture();
  const [rough, exact] = [[orderRequest()], [orderRequest({ ...pickup, ...dropoff })]];
  const prices = async (requests: ReturnType<typeof orderRequest>[]) => {
    const route = await draftRoute(fixture.client(), requests);
    const quotes = await quotesOf(fixture, route.id);
    const fields = quotes.map(({ provider, cost_of_delivery, dropoff_eta }) => {
      return { provider, cost_of_delivery, minutes: Date.parse(dropoff_eta) - Date.parse(route.created_at) };
    });
    return { miles: route.distance_miles, precisions: route.stops.map((stop) => stop.precision), fields };
  };
  const before = await prices(rough);
  const after = await prices(exact);
  expect([before.miles, before.precisions]).toEqual([1.9, ['zip', 'zip']]);
  expect([after.miles, after.precisions]).toEqual([1.3, ['exact', 'exact']]);
  expect(after.fields).toEqual(before.fields);
});

test('a quote of version 1 holds for the coordinates that it was given for', async () => {
  const { client } = await startClient();
  const { pickup_address = '', dropoff_address } = orderRequest();
  const { data } = await client.deliveries.quote({ body: { pickup_address, dropoff_address, ...dropoff } });
  const quote_id = data[0]?.id ?? '';
  await expect(client.deliveries.create({ body: { ...orderRequest(), quote_id } })).rejects.toThrow(
    'different stops',
  );
  const { data: made } = await client.deliveries.create({ body: { ...orderRequest(dropoff), quote_id } });
  expect(made.quote_id).toBe(quote_id);
});

test('what simulated couriers decide by does not depend on coordinates', async () => {
  const fixture = await startFixture();
  const ids: string[] = [];
  for (const order of [orderRequest(), orderRequest(dropoff)]) {
    ids.push((await orderMade(fixture.client().orders.create({ body: { orders: [order] } }))).data.id);
  }
  const rows = await fixture.storage.read((db) => loadOrders(db, ids));
  // The second part counts the orders of the same content.
  const [rough, exact] = rows.map((row) => orderRecord(row).simulation.fate?.split(' ')[0]);
  expect(exact).toBe(rough);
});

test.each([
  ['exact', true],
  ['house', true],
  ['street', false],
] as const)('couriers are sent coordinates that are %s: %s', async (precision, isSent) => {
  const fixture = await startFixture();
  const { data } = await orderMade(fixture.client().orders.create({ body: { orders: [orderRequest()] } }));
  const [row] = await fixture.storage.read((db) => loadOrders(db, [data.id]));
  if (row === undefined) throw new Error('no order');
  const asked = askedOrder(row);
  const dropoff = { ...asked.record.dropoff, coordinates: { lat: 41.9, lng: -87.6, precision } };
  const [order] = courierOrders([{ ...asked, record: { ...asked.record, dropoff } }], fixture.now());
  expect([order?.dropoff.latitude, order?.dropoff.longitude]).toEqual(
    isSent ? [41.9, -87.6] : [undefined, undefined],
  );
  // The centre of a ZIP code is never sent.
  expect(order?.pickup).not.toHaveProperty('latitude');
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

test('an order says what becomes of what cannot be handed over, or its store does', async () => {
  const { client } = await startClient();
  const create = async (changes: Parameters<typeof orderRequest>[0], rest: object = {}) => {
    const { pickup_address: _, pickup_name: __, pickup_phone_number: ___, ...order } = orderRequest(changes);
    const body = { orders: [{ ...(changes?.pickup_store_id ? order : orderRequest(changes)), ...rest }] };
    return (await orderMade(client.orders.create({ body }))).data.undeliverable_action;
  };
  const place = { name: 'Grill', address: '43 E Ohio St, Chicago, IL 60611', phone_number: '+13125550100' };
  const { data: store } = await client.stores.create({ body: place });
  expect(store.undeliverable_action).toBe('return');
  expect(await create({})).toBe('return');
  expect(await create({ undeliverable_action: 'discard' })).toBe('discard');
  const params = { store_id: store.id };
  const changed = await client.stores.update({ params, body: { undeliverable_action: 'leave_at_door' } });
  expect([changed.data.undeliverable_action, changed.data.address]).toEqual(['leave_at_door', store.address]);
  const pickup_store_id = store.id;
  expect(await create({ pickup_store_id })).toBe('leave_at_door');
  expect(await create({ pickup_store_id, undeliverable_action: 'return' })).toBe('return');
  // Nobody signs at the door.
  expect(await create({ pickup_store_id, request_signature: true })).toBe('return');
  const refused = create({ undeliverable_action: 'leave_at_door', request_signature: true });
  await expect(refused).rejects.toMatchObject({ code: 'invalid_request' });
});

test('it is no field of version 1', async () => {
  const { client } = await startClient();
  const { data } = await client.deliveries.create({
    body: orderRequest({ undeliverable_action: 'discard' }),
  });
  expect(data).not.toHaveProperty('undeliverable_action');
  const { data: order } = await client.orders.get({ params: { order_id: data.order_id } });
  expect(order.undeliverable_action).toBe('discard');
});

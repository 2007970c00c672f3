import { describe, expect, test } from 'vitest';
import { orderRecord } from '../../../src/service/orders/order-view.ts';
import { askedOrder, courierOrders } from '../../../src/service/quotes/quote-request.ts';
import { loadOrders } from '../../../src/storage/orders.ts';
import { draftRoute, orderMade, orderRequest, quotesOf, startFixture } from '../fixture.ts';

/** The Willis Tower, and the corner of State and Ohio. */
const dropoff = { dropoff_latitude: 41.87888, dropoff_longitude: -87.63591 };
const pickup = { pickup_latitude: 41.8925, pickup_longitude: -87.6282 };

test('an order has the coordinates that were given, and otherwise the centre of its ZIP code', async () => {
  const client = (await startFixture()).client();
  const { data } = await orderMade(client.orders.create({ body: { orders: [orderRequest(dropoff)] } }));
  expect(data).toMatchObject({
    ...{ ...dropoff, dropoff_precision: 'exact' },
    ...{ pickup_latitude: 41.894742, pickup_longitude: -87.615073, pickup_precision: 'zip' },
  });
  expect((await client.orders.get({ params: { order_id: data.id } })).data).toEqual(data);
});

test('a delivery has them in the details of version 2 only', async () => {
  const client = (await startFixture()).client();
  const body = { ...orderRequest({ ...pickup, ...dropoff }), initiate: true };
  const { data } = await client.deliveries.create({ body });
  const params = { deliveryid: data.id };
  expect(Object.keys((await client.deliveries.get({ params })).data)).not.toContain('dropoff_latitude');
  const { details } = (await client.deliveries.getDetailed({ params })).data;
  const precise = { pickup_precision: 'exact', dropoff_precision: 'exact' };
  expect(details).toMatchObject({ ...pickup, ...dropoff, ...precise });
});

describe.each([
  ['/v2/orders/create', (order: object) => ({ orders: [order] }), 'orders[0].'],
  ['/v1/delivery_information', (order: object) => order, ''],
] as const)('%s', (path, bodyOf, at) => {
  const detailsOf = async (changes: object) => {
    const fixture = await startFixture();
    const answer = await fixture.send('POST', path, { body: bodyOf({ ...orderRequest(), ...changes }) });
    return { status: answer.status, details: JSON.parse(answer.body).details };
  };

  test('refuses one of the two, coordinates beyond the earth, and those of a store', async () => {
    const message = 'is required together with dropoff_latitude';
    expect(await detailsOf({ dropoff_latitude: 41.9 })).toEqual({
      ...{ status: 400, details: [{ path: `${at}dropoff_longitude`, message }] },
    });
    const beyond = await detailsOf({ dropoff_latitude: 91, dropoff_longitude: -87 });
    expect([beyond.status, beyond.details[0].path]).toEqual([400, `${at}dropoff_latitude`]);
    const { pickup_address: _, pickup_name: __, pickup_phone_number: ___, ...rest } = orderRequest();
    const both = await detailsOf({ ...rest, ...pickup, pickup_store_id: 'str_1' });
    expect(JSON.stringify(both.details)).toContain('cannot be given together with pickup_store_id');
  });

  test('refuses coordinates more than 25 miles from the ZIP code', async () => {
    // Longitude without its sign, and Milwaukee.
    const message = 'is 6642 miles from the centre of ZIP code 60606: at most 25 are allowed';
    expect(await detailsOf({ ...dropoff, dropoff_longitude: 87.63591 })).toEqual({
      ...{ status: 400, details: [{ path: `${at}dropoff_latitude`, message }] },
    });
    const near = await detailsOf({ dropoff_latitude: 42.2, dropoff_longitude: -87.6 });
    expect(near.status).toBe(200);
    const milwaukee = { dropoff_latitude: 43.04, dropoff_longitude: -87.91 };
    const far = await detailsOf({ dropoff_address: '1 Main St, Chicago, IL', ...milwaukee });
    expect(far.details[0].message).toMatch(/^is 8\d miles from the centre of Chicago, IL:/);
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
  const client = (await startFixture()).client();
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

import { expect, test } from 'vitest';
import { after, attemptsOf, batchNow, newBatch } from '../auto-dispatch/batches.ts';
import { draftRoute, type Fixture, orderRequest, quotesOf, startFixture } from '../fixture.ts';
import { type Phone, phone, stopsOn } from './fleet.ts';

/** Own drivers first, couriers when they cannot. */
const fleetFirst = {
  ...{ providers: ['fleet', 'swiftly'], quote_preference: 'preferred' as const },
  ...{ retry_interval: 60, retry_window: 3600 },
};

async function servicesOf(fixture: Fixture): Promise<string[]> {
  const { data } = await fixture.client().deliveries.list({ query: { limit: 100 } });
  return data.data.map(({ service, status }) => `${service} ${status}`).sort();
}

/** Accepts every offer on a driver's page. */
async function acceptAll(driver: Phone): Promise<void> {
  for (let offer_id = await driver.offer(); offer_id !== null; offer_id = await driver.offer()) {
    expect(await driver.tap({ kind: 'accept', offer_id })).toEqual(['done']);
  }
}

const ten = Array.from({ length: 10 }, () => ({}));

test('auto dispatch asks own drivers first, and couriers for what the drivers have no room for', async () => {
  const fixture = await startFixture();
  const sam = await phone(fixture, 'Sam');
  const batch = await newBatch(fixture.client(), ten, fleetFirst);
  for (let seconds = 0; seconds < 80; seconds++) {
    await fixture.pass(1_000);
    await acceptAll(sam);
  }
  const { counts } = await batchNow(fixture.client(), batch);
  expect(counts).toMatchObject({ dispatched: 10, pending: 0 });
  const services = await servicesOf(fixture);
  expect(services.filter((each) => each.startsWith('fleet driver_assigned'))).toHaveLength(8);
  expect(services.filter((each) => each.startsWith('swiftly'))).toHaveLength(2);
});

test('a quote of drivers who have got other orders since is passed over at once, without a delivery', async () => {
  const fixture = await startFixture();
  await phone(fixture, 'Sam');
  const batch = await newBatch(
    fixture.client(),
    Array.from({ length: 12 }, () => ({})),
    {
      ...{ ...fleetFirst, retry_interval: 600 },
    },
  );
  await after(fixture, batch, 10);
  const services = (await servicesOf(fixture)).map((each) => each.split(' ')[0]);
  expect(services.filter((each) => each === 'fleet')).toHaveLength(8);
  expect(services.filter((each) => each === 'swiftly')).toHaveLength(4);
  const { orders = [] } = await batchNow(fixture.client(), batch);
  const attempts = await Promise.all(orders.map(({ order_id }) => attemptsOf(fixture.client(), order_id)));
  expect(attempts.map(({ length }) => length)).toEqual(orders.map(() => 1));
  const passed = attempts.flat().filter(({ provider }) => provider === 'swiftly');
  const reason = 'no driver on duty can take it';
  for (const { left_out } of passed)
    expect(left_out).toContainEqual({ provider: 'fleet', code: 'no_courier_free', reason });
});

test('a dispatch that wants room is refused without it, and dispatches nothing', async () => {
  const fixture = await startFixture();
  const sam = await phone(fixture, 'Sam');
  const client = fixture.client();
  const { id: route_id } = await draftRoute(client, [orderRequest()]);
  const quotes = await quotesOf(fixture, route_id);
  const quote_id = quotes.find(({ provider }) => provider === 'fleet')?.id ?? '';
  await sam.tap({ kind: 'duty', on: false });
  const dispatch = (only_with_room: boolean) =>
    client.dispatches.create({ params: { route_id }, body: { quote_id, only_with_room } });
  await expect(dispatch(true)).rejects.toMatchObject({ code: 'quote_expired', status: 409 });
  expect(await servicesOf(fixture)).toEqual([]);
  await dispatch(false);
  expect(await servicesOf(fixture)).toEqual(['fleet failed']);
});

test.each([
  { while: 'nobody is left', body: {}, delivery: 'fleet failed', why: 'no driver is on duty' },
  { while: 'another one comes', body: {}, other: true, delivery: 'fleet delivery_created', why: null },
  { while: 'another one comes', body: { only_with_room: true }, other: true, why: null },
  { while: 'he is named', body: { driver_id: '' }, delivery: 'fleet driver_assigned', why: null },
  { while: 'nobody is left', body: { only_with_room: true }, delivery: null, why: 'no driver on duty' },
])('of a driver who goes off duty after a quote while $while, $body: $delivery', async (given) => {
  const { body, other = false, delivery = 'fleet delivery_created', why } = given;
  const fixture = await startFixture();
  const client = fixture.client();
  const sam = await phone(fixture, 'Sam');
  const { id: route_id } = await draftRoute(client, [orderRequest()]);
  const quote_id = (await quotesOf(fixture, route_id)).find(({ provider }) => provider === 'fleet')?.id ?? '';
  await sam.tap({ kind: 'duty', on: false });
  const ana = await phone(fixture, 'Ana', { duty: other });
  const named = 'driver_id' in body ? { driver_id: sam.id } : body;
  const dispatch = client.dispatches.create({ params: { route_id }, body: { quote_id, ...named } });
  if (delivery === null) {
    await expect(dispatch).rejects.toMatchObject({
      code: 'quote_expired',
      message: expect.stringContaining(why ?? ''),
    });
    expect(await servicesOf(fixture)).toEqual([]);
    expect((await client.routes.get({ params: { route_id } })).data.status).toBe('draft');
    return;
  }
  const [made] = (await dispatch).data.deliveries;
  expect(await servicesOf(fixture)).toEqual([delivery]);
  expect(made?.courier_name ?? null).toBe(delivery.endsWith('assigned') ? 'Sam' : null);
  expect((await ana.offer()) !== null).toBe(other);
  const { failure_message } = (await client.deliveries.get({ params: { deliveryid: made?.id ?? '' } })).data;
  expect(failure_message || null).toEqual(why);
  const { data: charges } = (await client.charges.list({ query: { limit: 10 } })).data;
  expect(charges.reduce((sum, { amount }) => sum + amount, 0)).toBe(0);
});

test('an order that no driver takes goes back to auto dispatch, and to a courier', async () => {
  const fixture = await startFixture();
  const sam = await phone(fixture, 'Sam');
  const batch = await newBatch(fixture.client(), [{}], fleetFirst);
  await after(fixture, batch, 5);
  expect(await sam.offer()).not.toBeNull();
  const { orders, counts } = await batchNow(fixture.client(), batch);
  expect(counts.pending).toBe(1);
  await sam.tap({ kind: 'decline', offer_id: (await sam.offer()) ?? '' });
  await after(fixture, batch, 90);
  const done = await batchNow(fixture.client(), batch);
  expect(done.counts).toMatchObject({ dispatched: 1, pending: 0 });
  const attempts = await attemptsOf(fixture.client(), orders?.[0]?.order_id ?? '');
  expect(attempts.map(({ provider, status, reason }) => [provider, status, reason])).toEqual([
    ['fleet', 'refused', 'no driver took the route'],
    ['swiftly', 'dispatched', expect.any(String)],
  ]);
  expect((await servicesOf(fixture)).map((each) => each.split(' ')[0])).toEqual(['fleet', 'swiftly']);
});

test('with nobody on duty couriers get everything', async () => {
  const fixture = await startFixture();
  await phone(fixture, 'Sam', { duty: false });
  const batch = await newBatch(fixture.client(), [orderRequest()], fleetFirst);
  await after(fixture, batch, 10);
  expect((await servicesOf(fixture)).map((each) => each.split(' ')[0])).toEqual(['swiftly']);
});

test('orders that wait are offered at once when a driver comes on duty, and when one has room again', async () => {
  const fixture = await startFixture();
  const sam = await phone(fixture, 'Sam', { duty: false });
  const only = { ...fleetFirst, providers: ['fleet'], retry_interval: 600 };
  const batch = await newBatch(fixture.client(), ten, only);
  await after(fixture, batch, 100);
  expect(await sam.offer()).toBeNull();
  await sam.tap({ kind: 'duty', on: true });
  await fixture.pass(5_000);
  await acceptAll(sam);
  expect((await batchNow(fixture.client(), batch)).counts).toMatchObject({ dispatched: 8, pending: 2 });
  const [{ ids: [first = ''] = [] } = {}] = await stopsOn(sam);
  await sam.tap({ kind: 'deliver', delivery_ids: [first] });
  await fixture.pass(5_000);
  expect(await sam.offer()).not.toBeNull();
  await acceptAll(sam);
  const [{ ids: [second = ''] = [] } = {}] = await stopsOn(sam);
  const body = { status: 'delivered', note: 'By phone' } as const;
  await fixture.client().deliveries.report({ params: { deliveryid: second }, body });
  await fixture.pass(5_000);
  expect(await sam.offer()).not.toBeNull();
});

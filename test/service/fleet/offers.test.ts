import { expect, test } from 'vitest';
import { deliveryOf, statusesOf } from '../delivery-runs.ts';
import { draftRoute, orderRequest, quotesOf, startFixture } from '../fixture.ts';
import { dispatchToFleet, phone, stopsOn, underWay } from './fleet.ts';

test('without drivers the fleet is no provider; with one it is, in the mode of the driver', async () => {
  const fixture = await startFixture();
  const providers = async (key: string) => (await fixture.client(key).account.get({})).data.providers;
  expect(await providers(fixture.keys.test)).not.toContain('fleet');
  await phone(fixture, 'Sam', { key: fixture.keys.live });
  expect(await providers(fixture.keys.test)).not.toContain('fleet');
  expect(await providers(fixture.keys.live)).toEqual(['fleet']);
});

test('a live delivery is carried by a live driver, from the offer to the handover', async () => {
  const fixture = await startFixture();
  const { live: key } = fixture.keys;
  const sam = await phone(fixture, 'Sam Lee', { key });
  const { deliveries } = await dispatchToFleet(fixture, { key });
  const [{ id = '' } = {}] = deliveries;
  const statusNow = async () =>
    (await fixture.client(key).deliveries.get({ params: { deliveryid: id } })).data.status;
  expect(await statusNow()).toBe('delivery_created');
  const offer_id = (await sam.offer()) ?? '';
  expect(await sam.tap({ kind: 'accept', offer_id })).toEqual(['done']);
  expect(await statusNow()).toBe('driver_assigned');
  for (const [kind, status] of [
    ['start_pickup', 'enroute_pickup'],
    ['arrive_pickup', 'arrived_at_pickup'],
    ['pick_up', 'pickup_complete'],
    ['start_dropoff', 'enroute_dropoff'],
    ['arrive_dropoff', 'arrived_at_dropoff'],
    ['deliver', 'delivered'],
  ] as const) {
    await fixture.pass(60_000);
    expect(await sam.tap({ kind, delivery_ids: [id] })).toEqual(['done']);
    expect(await statusNow()).toBe(status);
  }
  const { data } = await fixture.client(key).deliveries.get({ params: { deliveryid: id } });
  expect(data).toMatchObject({
    ...{ service: 'fleet', courier_name: 'Sam Lee', courier_phone_number: '13125550133' },
    ...{ courier_vehicle_type: 'car', test_mode: false, payment_amount: 0 },
  });
  expect(await sam.page()).toContain('0 stops');
  expect(await sam.page()).toContain('<p><b>1</b> delivery today</p>');
  await fixture.pass(24 * 3_600_000);
  expect(await sam.page()).not.toContain('today</p>');
});

test('an offer says what it adds to the shift: less if the way is the same', async () => {
  const fixture = await startFixture();
  const sam = await phone(fixture, 'Sam');
  const termsOn = async () => /<p class="terms">(.*?)<\/p>/.exec(await sam.page())?.[1];
  await dispatchToFleet(fixture, { requests: [orderRequest({ tip: 300 })] });
  expect(await termsOn()).toBe('About 17 min, 1.9 mi, tip $3.00');
  await sam.tap({ kind: 'accept', offer_id: (await sam.offer()) ?? '' });
  await dispatchToFleet(fixture, { requests: [orderRequest({ dropoff_unit: 'Apt 9' })] });
  expect(await termsOn()).toBe('About 1 min, 0 mi');
});

test('the pages of a link have the time of its mode', async () => {
  const fixture = await startFixture();
  const sam = await phone(fixture, 'Sam');
  const { tracking_url } = (await dispatchToFleet(fixture, { driver_id: sam.id })).deliveries[0] ?? {};
  const behind = fixture.now();
  const hour = { 'x-service-time': new Date(behind + 3_600_000).toISOString() };
  await fixture.send('POST', '/v2/sandbox/clock', { body: { mode: 'manual' } });
  await fixture.send('POST', '/v2/sandbox/clock/advance', { body: { by: 3_600 } });
  for (const path of [`/drive/${sam.token}`, new URL(tracking_url ?? '').pathname]) {
    const { headers, status } = await fixture.send('GET', path, { headers: { accept: 'text/html' } });
    expect([path, status, headers]).toEqual([path, 200, expect.objectContaining(hour)]);
  }
});

test('the nearest free driver is asked first, and 90 seconds later the next', async () => {
  const fixture = await startFixture();
  const far = await phone(fixture, 'Far');
  await far.at(42.2, -87.9);
  const near = await phone(fixture, 'Near');
  await near.at(41.89, -87.62);
  await dispatchToFleet(fixture);
  expect([await near.offer(), await far.offer()]).toEqual([expect.any(String), null]);
  await fixture.pass(89_000);
  expect(await far.offer()).toBeNull();
  const late = (await near.offer()) ?? '';
  await fixture.pass(1_000);
  expect([await near.offer(), await far.offer()]).toEqual([null, expect.any(String)]);
  expect(await near.tap({ kind: 'accept', offer_id: late })).toEqual(['ignored']);
  expect(await far.tap({ kind: 'accept', offer_id: (await far.offer()) ?? '' })).toEqual(['done']);
});

test('an offer that ended while the service was down leaves the next driver time to answer', async () => {
  const fixture = await startFixture();
  const { live: key } = fixture.keys;
  const [sam, ana] = [await phone(fixture, 'Sam', { key }), await phone(fixture, 'Ana', { key })];
  await dispatchToFleet(fixture, { key });
  const [first, second] = (await sam.offer()) === null ? [ana, sam] : [sam, ana];
  await fixture.pass(3_600_000);
  expect([await first.offer(), await second.offer()]).toEqual([null, expect.any(String)]);
  await fixture.pass(89_000);
  expect(await second.tap({ kind: 'accept', offer_id: (await second.offer()) ?? '' })).toEqual(['done']);
});

test('a route that could not be sent before the service was down leaves its driver time to answer', async () => {
  let crashes = 1;
  const crash = (point: string) => {
    if (point === 'provider.before_send' && crashes-- > 0) throw new Error('the process ended');
  };
  const fixture = await startFixture({ parts: { crash } });
  const { live: key } = fixture.keys;
  const sam = await phone(fixture, 'Sam', { key });
  const { deliveries } = await dispatchToFleet(fixture, { key });
  expect(await sam.offer()).toBeNull();
  await fixture.pass(3_600_000);
  await fixture.pass(89_000);
  expect(await sam.tap({ kind: 'accept', offer_id: (await sam.offer()) ?? '' })).toEqual(['done']);
  const params = { deliveryid: deliveries[0]?.id ?? '' };
  const { data } = await fixture.client(key).deliveries.get({ params });
  expect(data.status).toBe('driver_assigned');
});

test('a driver who declines or goes off duty passes the offer on; without another the delivery fails', async () => {
  const fixture = await startFixture();
  const sam = await phone(fixture, 'Sam');
  const ana = await phone(fixture, 'Ana');
  const { deliveries } = await dispatchToFleet(fixture);
  const [first, second] = (await sam.offer()) === null ? [ana, sam] : [sam, ana];
  await first.tap({ kind: 'decline', offer_id: (await first.offer()) ?? '' });
  expect(await second.offer()).not.toBeNull();
  await second.tap({ kind: 'duty', on: false });
  expect(await deliveryOf(fixture, deliveries[0]?.id ?? '')).toMatchObject({
    ...{ status: 'failed', failure_reason: 'provider_refused', failure_message: 'no driver took the route' },
  });
  expect(await first.offer()).toBeNull();
});

test('a named driver gets the route without being asked, and another takes it over', async () => {
  const { fixture, ana, id } = await underWay();
  const bob = await phone(fixture, 'Bob', { duty: false });
  expect(await deliveryOf(fixture, id)).toMatchObject({ status: 'driver_assigned', courier_name: 'Ana' });
  const params = { driver_id: bob.id };
  const { data } = await fixture.client().drivers.assign({ params, body: { delivery_id: id } });
  expect(data).toMatchObject({ status: 'driver_assigned', courier_name: 'Bob' });
  expect(statusesOf(data)).toEqual([
    ...['delivery_created', 'driver_assigned', 'driver_not_assigned', 'driver_assigned'],
  ]);
  expect(await ana.tap({ kind: 'pick_up', delivery_ids: [id] })).toEqual(['ignored']);
  expect(await bob.tap({ kind: 'pick_up', delivery_ids: [id] })).toEqual(['done']);
});

test('the fleet declines when nobody is on duty, when all are full, and when no vehicle is large enough', async () => {
  const fixture = await startFixture();
  const sam = await phone(fixture, 'Sam', { duty: false });
  const answer = async (requests = [orderRequest()]) => {
    const route = await draftRoute(fixture.client(), requests);
    const quotes = await quotesOf(fixture, route.id);
    const { data } = await fixture.client().quotes.list({ params: { route_id: route.id } });
    const declined = data.reasons?.find(({ provider }) => provider === 'fleet');
    const own = quotes.find(({ provider }) => provider === 'fleet');
    expect(own?.pickup_time).toBe(own?.pickup_eta);
    return own === undefined ? declined?.reason : 'quoted';
  };
  expect(await answer()).toBe('no driver is on duty');
  await sam.tap({ kind: 'duty', on: true });
  expect(await answer()).toBe('quoted');
  expect(await answer([orderRequest({ vehicle: 'cargo_van' })])).toMatch(/large enough/);
  await dispatchToFleet(fixture, {
    requests: Array.from({ length: 8 }, () => orderRequest()),
    driver_id: sam.id,
  });
  expect(await answer()).toMatch(/as many orders/);
});

test('own deliveries cost what the account says, without a service fee', async () => {
  const fixture = await startFixture();
  await fixture
    .client()
    .account.update({ body: { fleet: { per_delivery: 250, per_mile: 100, ask_pin: false } } });
  await phone(fixture, 'Sam');
  const { quote, route } = await dispatchToFleet(fixture);
  const cost = 250 + Math.round(route.distance_miles * 100);
  expect(quote).toMatchObject({ cost_of_delivery: cost, service_fee: 0 });
});

test('orders that wait at one pickup are one offer, whose time another order lengthens', async () => {
  const fixture = await startFixture();
  const sam = await phone(fixture, 'Sam');
  const ana = await phone(fixture, 'Ana', { duty: false });
  const there = orderRequest({ pickup_address: '5801 S Ellis Ave, Chicago, IL 60637' });
  for (const requests of [[orderRequest()], [there]]) await dispatchToFleet(fixture, { requests });
  await fixture.pass(60_000);
  await dispatchToFleet(fixture);
  const offers = async () =>
    [...(await sam.page()).matchAll(/data-offers="([^"]*)".*\n.*\n.*data-until="([^"]*)"/g)].map(
      ([, ids = '', until = '']) => ({
        count: ids.split(' ').length,
        left: Date.parse(until) - fixture.now(),
      }),
    );
  const [joined, alone] = await offers();
  expect([joined?.count, joined?.left, alone?.count]).toEqual([2, 30_000, 1]);
  expect(alone?.left).toBeLessThan(30_000);
  await ana.tap({ kind: 'duty', on: true });
  await fixture.pass((alone?.left ?? 0) + 1_000);
  expect((await offers()).map(({ count }) => count)).toEqual([2]);
  expect(await ana.offer()).not.toBeNull();
  await fixture.pass(30_000);
  expect(await offers()).toEqual([]);
});

test('an employed driver gets a route without being asked', async () => {
  const fixture = await startFixture();
  const sam = await phone(fixture, 'Sam');
  const params = { driver_id: sam.id };
  const { data } = await fixture.client().drivers.update({ params, body: { assign_without_asking: true } });
  expect(data).toMatchObject({ name: 'Sam', assign_without_asking: true });
  const { deliveries } = await dispatchToFleet(fixture);
  expect(deliveries[0]).toMatchObject({ status: 'driver_assigned', courier_name: 'Sam' });
  expect([await sam.offer(), (await stopsOn(sam)).length]).toEqual([null, 2]);
});

test('a named driver is quoted for and gets a route, off duty and with more orders than one takes', async () => {
  const fixture = await startFixture();
  const sam = await phone(fixture, 'Sam', { duty: false });
  const requests = Array.from({ length: 9 }, () => orderRequest());
  const route = await draftRoute(fixture.client(), requests);
  const params = { route_id: route.id };
  await fixture.client().quotes.request({ params, body: { driver_id: sam.id } });
  await fixture.pass(1_000);
  const { data: quotes } = (await fixture.client().quotes.list({ params })).data;
  expect(quotes?.map(({ provider }) => provider)).toEqual(['fleet']);
  const body = { quote_id: quotes?.[0]?.id ?? '', driver_id: sam.id };
  const { data } = await fixture.client().dispatches.create({ params, body });
  expect(data.deliveries.map(({ courier_name }) => courier_name)).toEqual(Array(9).fill('Sam'));
  const other = { route_id: (await draftRoute(fixture.client(), [orderRequest()])).id };
  const unknown = fixture.client().quotes.request({ params: other, body: { driver_id: 'drv_none' } });
  await expect(unknown).rejects.toMatchObject({ code: 'record_not_found' });
});

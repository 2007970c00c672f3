import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DoorDashDrive, doorDashDrive } from '../../fakes/doordash-drive/server.ts';
import { type Fixture, start } from '../fixture.ts';
import { deliveryOf, dispatchRoute, quoteRoute, startConnected, statusesOf } from './connected-couriers.ts';

let fake: DoorDashDrive;
let fixture: Fixture;
let push_path: string;

beforeEach(async () => {
  let calls = 0;
  // Tokens are dated by the wall clock of the service, which stands still: each call is a little later.
  fake = await doorDashDrive({ now: () => start + 20 * calls++ });
  const settings = { ...fake.credentials, environment: 'sandbox', webhook_authorization: 'Basic c2VjcmV0' };
  const origins = { 'https://openapi.doordash.com': fake.url };
  ({ fixture, push_path } = await startConnected('doordash-drive', settings, origins));
});
afterEach(() => fake.close());

const idsAtDoorDash = () => fake.deliveries.list().map(([id]) => id);
const post = (body: string | null, authorization = 'Basic c2VjcmV0') =>
  fixture.send('POST', push_path, { body: body ?? '', headers: { authorization, 'x-api-key': '' } });

test('a route is quoted, booked and delivered, by events of DoorDash', async () => {
  const { quote, deliveries } = await dispatchRoute(fixture);
  expect(quote).toMatchObject({ provider: 'doordash-drive', cost_of_delivery: 975 });
  const [id = ''] = idsAtDoorDash();
  const delivery = deliveries[0]?.id ?? '';
  expect(fake.deliveries.get(id)).toMatchObject({ status: 'created', request: { tip: 200 } });
  for (const status of ['confirmed', 'arrived_at_pickup', 'picked_up', 'arrived_at_dropoff'] as const) {
    expect((await post(await fake.step(id, status))).status).toBe(200);
  }
  const moving = await deliveryOf(fixture, delivery);
  expect(moving).toMatchObject({ status: 'arrived_at_dropoff', courier_name: 'John D.' });
  expect((await post(await fake.step(id, 'delivered'))).status).toBe(200);
  expect((await statusesOf(fixture, delivery)).at(-1)).toBe('delivered');
});

test('the way back of a parcel is charged when DoorDash adds it to its fee', async () => {
  const { deliveries } = await dispatchRoute(fixture);
  const [id = ''] = idsAtDoorDash();
  const client = fixture.client();
  for (const status of ['confirmed', 'picked_up', 'enroute_to_return', 'returned'] as const)
    await post(await fake.step(id, status));
  const { data } = await client.charges.list({ query: { delivery_id: deliveries[0]?.id ?? '' } });
  expect(data.data.map(({ kind, amount }) => `${kind} ${amount}`)).toEqual([
    ...['adjustment 585', 'tip 200', 'delivery 975'],
  ]);
});

test('changed notes and a raised tip reach DoorDash', async () => {
  const { deliveries } = await dispatchRoute(fixture);
  const [id = ''] = idsAtDoorDash();
  const body = { dropoff_notes: 'Ring at Miller' };
  expect((await fixture.send('PATCH', `/v1/delivery/${deliveries[0]?.id}`, { body })).status).toBe(200);
  expect(fake.deliveries.get(id)?.request).toMatchObject({ dropoff_instructions: 'Ring at Miller' });
  expect(
    (await fixture.send('PATCH', `/v1/delivery/${deliveries[0]?.id}`, { body: { tip: 700 } })).status,
  ).toBe(200);
  expect(fake.deliveries.get(id)?.request).toMatchObject({ tip: 700 });
});

test('events in another order and repeated events change nothing', async () => {
  const { deliveries } = await dispatchRoute(fixture);
  const [id = ''] = idsAtDoorDash();
  const picked = await fake.step(id, 'picked_up');
  const delivered = await fake.step(id, 'delivered');
  for (const body of [delivered, picked, delivered, picked]) expect((await post(body)).status).toBe(200);
  const statuses = await statusesOf(fixture, deliveries[0]?.id ?? '');
  expect(statuses.at(-1)).toBe('delivered');
  expect(statuses.filter((status) => status === 'delivered')).toHaveLength(1);
});

test('an event with another authorization is refused, one about an unknown delivery is taken', async () => {
  await dispatchRoute(fixture);
  const [id = ''] = idsAtDoorDash();
  const body = await fake.step(id, 'confirmed');
  expect((await post(body, 'Basic b3RoZXI')).status).toBe(401);
  expect((await post((body ?? '').replaceAll(id, 'simulated-7'))).status).toBe(200);
});

test('a lost answer is looked up: DoorDash has one delivery', async () => {
  const { params, quotes } = await quoteRoute(fixture);
  fake.loseNext('POST');
  const quote_id = quotes.data?.[0]?.id ?? '';
  const { data } = await fixture.client().dispatches.create({ params, body: { quote_id } });
  await fixture.pass(60_000);
  expect((await statusesOf(fixture, data.deliveries[0]?.id ?? '')).at(-1)).toBe('delivery_created');
  expect(fake.deliveries.list().map(([, { status }]) => status)).toEqual(['created']);
  expect(fake.calls().filter((call) => call.includes('/accept'))).toHaveLength(1);
});

test('two orders are two deliveries at DoorDash; if the second is refused, the first is canceled', async () => {
  const { params, quotes } = await quoteRoute(fixture, 2);
  expect(quotes.data?.[0]?.cost_of_delivery).toBe(2 * 975);
  const [, second = ''] = idsAtDoorDash();
  fake.deliveries.expireQuote(second);
  const body = { quote_id: quotes.data?.[0]?.id ?? '' };
  const { data } = await fixture.client().dispatches.create({ params, body });
  await fixture.pass(1_000);
  for (const { id } of data.deliveries) expect((await deliveryOf(fixture, id)).status).toBe('failed');
  expect(fake.deliveries.list().map(([, { status }]) => status)).toEqual(['cancelled', 'quote']);
});

test('a merchant cancels until a Dasher is assigned', async () => {
  const first = await dispatchRoute(fixture);
  const deliveryid = first.deliveries[0]?.id ?? '';
  const canceled = await fixture.client().deliveries.cancel({ params: { deliveryid }, body: {} });
  expect(canceled.data.status).toBe('customer_canceled');
  expect(fake.deliveries.list().map(([, { status }]) => status)).toEqual(['cancelled']);
});

test('what DoorDash declines is shown with its reason', async () => {
  fake.failNext('POST', 'delivery_address_not_in_coverage');
  const { quotes } = await quoteRoute(fixture);
  expect(quotes.data).toEqual([]);
  expect(JSON.stringify(quotes)).toContain('address_not_served');
});

test('without events the status is asked for', async () => {
  const { deliveries } = await dispatchRoute(fixture);
  const [id = ''] = idsAtDoorDash();
  await fake.step(id, 'confirmed');
  await fixture.pass(10 * 60_000);
  expect((await statusesOf(fixture, deliveries[0]?.id ?? '')).at(-1)).toBe('driver_assigned');
});

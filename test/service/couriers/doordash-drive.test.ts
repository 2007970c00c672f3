import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DoorDashDrive, doorDashDrive } from '../../fakes/doordash-drive/server.ts';
import { deliveryOf, moneyOf } from '../delivery-runs.ts';
import { type Fixture, start } from '../fixture.ts';
import { dispatchConnected, startConnected } from './connected-couriers.ts';

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
  const { quote, id: delivery } = await dispatchConnected(fixture);
  expect(quote).toMatchObject({ provider: 'doordash-drive', cost_of_delivery: 975 });
  const [id = ''] = idsAtDoorDash();
  expect(fake.deliveries.get(id)).toMatchObject({ status: 'created', request: { tip: 200 } });
  for (const status of ['confirmed', 'arrived_at_pickup', 'picked_up', 'arrived_at_dropoff'] as const) {
    expect((await post(await fake.step(id, status))).status).toBe(200);
  }
  const moving = await deliveryOf(fixture, delivery);
  expect(moving).toMatchObject({ status: 'arrived_at_dropoff', courier_name: 'John D.' });
  expect((await post(await fake.step(id, 'delivered'))).status).toBe(200);
  expect((await deliveryOf(fixture, delivery)).status).toBe('delivered');
});

test('the way back of a parcel is charged when DoorDash adds it to its fee', async () => {
  const { id: delivery } = await dispatchConnected(fixture);
  const [id = ''] = idsAtDoorDash();
  for (const status of ['confirmed', 'picked_up', 'enroute_to_return', 'returned'] as const)
    await post(await fake.step(id, status));
  expect(await moneyOf(fixture.client(), { id: delivery })).toEqual({
    sum: 975 + 200 + 585,
    kinds: ['adjustment', 'delivery', 'tip'],
  });
});

import { expect, test } from 'vitest';
import { trackingDataOf } from '../../../src/service/tracking-page/tracked-delivery.ts';
import { loadDelivery } from '../../../src/storage/deliveries.ts';
import { orderRequest, startClient, startFixture } from '../fixture.ts';
import { dispatchToFleet, phone } from './fleet.ts';

const dropoff = { dropoff_latitude: 41.8925, dropoff_longitude: -87.6302 };
const pickup = { pickup_latitude: 41.8925, pickup_longitude: -87.6282 };

test('own drivers charge for the true way, and are sent to the true places', async () => {
  const { fixture, client } = await startClient();
  await client.account.update({ body: { fleet: { per_delivery: 0, per_mile: 100, ask_pin: false } } });
  const sam = await phone(fixture, 'Sam');
  const rough = await dispatchToFleet(fixture, { driver_id: sam.id });
  const exact = await dispatchToFleet(fixture, {
    requests: [orderRequest({ ...pickup, ...dropoff })],
    driver_id: sam.id,
  });
  // 1.9 and 0.3 miles.
  expect([rough.quote.cost_of_delivery, exact.quote.cost_of_delivery]).toEqual([190, 30]);
  const rows = await fixture.storage.read((db) => db.selectFrom('drivers').select('plan').execute());
  expect(rows[0]?.plan).toContain('"lat":41.8925,"lng":-87.6302');
});

test('the tracking page has the true places', async () => {
  const fixture = await startFixture();
  await phone(fixture, 'Sam');
  const { deliveries } = await dispatchToFleet(fixture, {
    requests: [orderRequest({ ...pickup, ...dropoff })],
  });
  const row = await fixture.storage.read((db) => loadDelivery(db, deliveries[0]?.id ?? ''));
  if (row === undefined) throw new Error('no delivery');
  const shop = { phone: '', logo: '', kind: 'shop' } as const;
  const viewing = {
    now: fixture.now(),
    language: 'en',
    shop,
    is_among_others: false,
    may_call: false,
    is_retried: false,
    tiles: null,
  } as const;
  expect(trackingDataOf(row, viewing)).toMatchObject({
    pickup: { lat: 41.8925, lng: -87.6282 },
    dropoff: { lat: 41.8925, lng: -87.6302 },
  });
});

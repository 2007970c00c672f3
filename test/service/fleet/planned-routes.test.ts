import { expect, test } from 'vitest';
import { deleteDriver } from '../../../src/storage/drivers.ts';
import { deliveryOf } from '../delivery-runs.ts';
import { type Fixture, orderRequest, startFixture } from '../fixture.ts';
import { dispatchToFleet, phone, stopsOn } from './fleet.ts';

const hour_ms = 3_600_000;
const minute_ms = 60_000;

const laterBy = (fixture: Fixture, ms: number) => new Date(fixture.now() + ms).toISOString();

test('a named driver gets a route that is agreed for later when it is nearly time, and not before', async () => {
  const fixture = await startFixture();
  const sam = await phone(fixture, 'Sam', { duty: false });
  await phone(fixture, 'Ana');
  const dropoff_at = laterBy(fixture, 10 * hour_ms);
  const { deliveries } = await dispatchToFleet(fixture, {
    requests: [orderRequest({ dropoff_at })],
    driver_id: sam.id,
  });
  const [{ id = '' } = {}] = deliveries;
  expect(await deliveryOf(fixture, id)).toMatchObject({
    ...{ status: 'scheduled', courier_name: null },
    dropoffs: [{ dropoff_eta: dropoff_at }],
  });
  await fixture.pass(9 * hour_ms);
  expect(await stopsOn(sam)).toEqual([]);
  await fixture.pass(15 * minute_ms);
  expect(await deliveryOf(fixture, id)).toMatchObject({ status: 'driver_assigned', courier_name: 'Sam' });
  expect((await stopsOn(sam)).map(({ kind }) => kind)).toEqual(['pickup', 'dropoff']);
  expect(await sam.page()).toContain(', agreed for ');
});

test('the driver of a recipient far away gets the route early enough to arrive at the agreed time', async () => {
  const fixture = await startFixture();
  const sam = await phone(fixture, 'Sam', { duty: false });
  const dropoff_at = laterBy(fixture, 10 * hour_ms);
  const far = { dropoff_at, dropoff_address: '2500 W Higgins Rd, Hoffman Estates, IL 60169' };
  const { deliveries } = await dispatchToFleet(fixture, { requests: [orderRequest(far)], driver_id: sam.id });
  const [{ id = '', pickup_eta } = {}] = deliveries;
  const wait = Date.parse(pickup_eta ?? '') - fixture.now();
  await fixture.pass(wait - 16 * minute_ms);
  expect((await deliveryOf(fixture, id)).status).toBe('scheduled');
  await fixture.pass(minute_ms);
  const { status, dropoffs } = await deliveryOf(fixture, id);
  expect(status).toBe('driver_assigned');
  expect(Date.parse(dropoffs[0]?.dropoff_eta ?? '')).toBeLessThanOrEqual(Date.parse(dropoff_at));
});

test('a scheduled delivery that a dispatcher assigns waits for its time, too', async () => {
  const fixture = await startFixture();
  const sam = await phone(fixture, 'Sam');
  const ana = await phone(fixture, 'Ana');
  const requests = [orderRequest({ pickup_at: laterBy(fixture, 3 * hour_ms) })];
  const { deliveries } = await dispatchToFleet(fixture, { requests });
  const [{ id = '' } = {}] = deliveries;
  for (const driver_id of [sam.id, ana.id]) {
    await fixture.client().drivers.assign({ params: { driver_id }, body: { delivery_id: id } });
  }
  expect((await deliveryOf(fixture, id)).status).toBe('scheduled');
  expect([await stopsOn(sam), await stopsOn(ana)]).toEqual([[], []]);
  await fixture.pass(2 * hour_ms + 15 * minute_ms);
  expect((await deliveryOf(fixture, id)).courier_name).toBe('Ana');
});

test('what was canceled is given to nobody; without the named driver those on duty are asked', async () => {
  const fixture = await startFixture();
  const sam = await phone(fixture, 'Sam', { duty: false });
  const ana = await phone(fixture, 'Ana');
  const planned = async () => {
    const requests = [orderRequest({ pickup_at: laterBy(fixture, 3 * hour_ms) })];
    const { deliveries } = await dispatchToFleet(fixture, { requests, driver_id: sam.id });
    return deliveries[0]?.id ?? '';
  };
  const [kept, canceled] = [await planned(), await planned()];
  await fixture.client().deliveries.cancel({ params: { deliveryid: canceled }, body: {} });
  await fixture.storage.transaction((db) => deleteDriver(db, sam.id));
  await fixture.pass(2 * hour_ms + 15 * minute_ms);
  const offer_id = (await ana.offer()) ?? '';
  expect(await ana.tap({ kind: 'accept', offer_id })).toEqual(['done']);
  expect((await deliveryOf(fixture, kept)).courier_name).toBe('Ana');
  expect((await stopsOn(ana)).flatMap(({ ids }) => ids)).not.toContain(canceled);
});

test('a driver who gets a delivery later is not removed, until it is given to another one or canceled', async () => {
  const fixture = await startFixture();
  const { drivers, deliveries: calls } = fixture.client();
  const sam = await phone(fixture, 'Sam', { duty: false });
  const ana = await phone(fixture, 'Ana', { duty: false });
  const requests = [orderRequest({ dropoff_at: laterBy(fixture, 10 * hour_ms) })];
  const { deliveries } = await dispatchToFleet(fixture, { requests, driver_id: sam.id });
  const [{ id = '' } = {}] = deliveries;
  const remove = ({ id: driver_id }: { id: string }) => drivers.delete({ params: { driver_id } });
  const refused = { code: 'driver_has_stops', related_ids: [id] };
  await expect(remove(sam)).rejects.toMatchObject({ ...refused, message: 'Sam still has 1 delivery.' });
  await drivers.assign({ params: { driver_id: ana.id }, body: { delivery_id: id } });
  await remove(sam);
  await expect(remove(ana)).rejects.toMatchObject(refused);
  await calls.cancel({ params: { deliveryid: id }, body: {} });
  await remove(ana);
});

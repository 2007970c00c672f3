import { expect, test, vi } from 'vitest';
import { findCourierByToken } from '../../../src/storage/couriers.ts';
import { reportsOfDelivery } from '../../storage/read-rows.ts';
import { after, attemptsOf, batchNow, eventsOf, newBatch } from '../auto-dispatch/batches.ts';
import { deliveryOf } from '../delivery-runs.ts';
import { dispatchOne, historyOf, reportOf, startScripted } from './scripted-courier.ts';

const minute = 60_000;

test('a push moves the delivery, and its body is kept with the report', async () => {
  const courier = await startScripted();
  const { id, key } = await dispatchOne(courier);
  const driver = { name: 'Sam', image: null, phone: '13125550177', vehicle_type: 'car', vehicle: null };
  const report = reportOf(key, 'driver_assigned', { driver });
  expect(await courier.push([report])).toMatchObject({ status: 200, body: '{}' });
  expect(await historyOf(courier, id)).toEqual(['delivery_created', 'driver_assigned']);
  const [kept] = await courier.fixture.storage.run((db) => reportsOfDelivery(db, id));
  expect(kept).toMatchObject({ effect: 'moved', raw: JSON.stringify([report]) });
  const connection = await courier.fixture.storage.run((db) => findCourierByToken(db, 'token-1'));
  expect(connection?.last_push_at).toBe(courier.fixture.now());
});

test('a repeated push has no effect, and one about an unknown delivery is accepted', async () => {
  const courier = await startScripted();
  const { id, key } = await dispatchOne(courier);
  const report = reportOf(key, 'driver_assigned');
  await courier.push([report]);
  await courier.push([report]);
  expect((await courier.push([reportOf('unknown', 'delivered')])).status).toBe(200);
  expect(await historyOf(courier, id)).toEqual(['delivery_created', 'driver_assigned']);
  expect(await courier.fixture.storage.run((db) => reportsOfDelivery(db, id))).toHaveLength(1);
});

test('a report that changes something is in the audit once, with the courier and not with a key', async () => {
  const courier = await startScripted();
  const { id, key } = await dispatchOne(courier);
  const position = { lat: 41.88, lng: -87.62 };
  await courier.push([
    ...[reportOf(key, 'driver_assigned'), reportOf(key, 'driver_assigned')],
    ...[reportOf('unknown', 'delivered'), reportOf(key, null, { position })],
  ]);
  courier.fixture.passWall(1_000);
  await courier.push([reportOf(key, 'delivered', { occurred_at: 2_000 })]);
  const { data } = (await courier.fixture.client().audit.list({ query: { record_id: id } })).data;
  expect(data.filter(({ actor }) => actor !== 'key')).toMatchObject(
    ['delivered', 'driver_assigned'].map((detail) => ({
      ...{ operation: 'ReceiveCourierReport', detail, actor: 'courier', actor_name: 'scripted' },
      ...{ record_id: id, key_id: null, key_last_four: null, driver_id: null, request_id: null },
    })),
  );
  const { data: found } = (await courier.fixture.client().audit.list({ query: { actor: 'courier' } })).data;
  expect(found).toHaveLength(2);
});

test('a push with a wrong signature or to an unknown address is refused and changes nothing', async () => {
  const courier = await startScripted();
  const { id, key } = await dispatchOne(courier);
  const report = reportOf(key, 'driver_assigned');
  expect((await courier.push([report], 'wrong')).status).toBe(401);
  const elsewhere = await courier.fixture.send('POST', '/couriers/token-2', { body: [report] });
  expect(elsewhere.status).toBe(404);
  expect(await historyOf(courier, id)).toEqual(['delivery_created']);
});

test('the time of the last push is written at most once a minute', async () => {
  const courier = await startScripted();
  const { key } = await dispatchOne(courier);
  const { storage, pass, now } = courier.fixture;
  const lastPush = async () => {
    await courier.push([reportOf(key, null, { id: `${now()}`, pickup_eta: now() })]);
    return (await storage.run((db) => findCourierByToken(db, 'token-1')))?.last_push_at;
  };
  const first = now();
  expect(await lastPush()).toBe(first);
  await pass(minute - 1);
  expect(await lastPush()).toBe(first);
  await pass(1);
  expect(await lastPush()).toBe(first + minute);
});

test('a delivery reported right after its driver has a legal history with its pickup', async () => {
  const courier = await startScripted();
  const { id, key } = await dispatchOne(courier);
  await courier.push([reportOf(key, 'driver_assigned')]);
  await courier.push([reportOf(key, 'delivered', { occurred_at: 2_000 })]);
  expect(await historyOf(courier, id)).toEqual([
    ...['delivery_created', 'driver_assigned', 'pickup_complete', 'delivered'],
  ]);
});

test('a later status with an older time counts, a step back with an older time does not', async () => {
  const courier = await startScripted();
  const { id, key } = await dispatchOne(courier);
  await courier.push([reportOf(key, 'pickup_complete', { occurred_at: 5_000 })]);
  await courier.push([reportOf(key, 'driver_not_assigned', { occurred_at: 4_000 })]);
  await courier.push([reportOf(key, 'enroute_dropoff', { occurred_at: 4_500 })]);
  expect(await historyOf(courier, id)).toEqual([
    ...['delivery_created', 'driver_assigned', 'pickup_complete', 'enroute_dropoff'],
  ]);
});

test('from the pickup on the pickup is expected at the time when it was', async () => {
  const courier = await startScripted();
  const { id, key } = await dispatchOne(courier);
  await courier.fixture.pass(minute);
  const soon = courier.fixture.now() + 30 * minute;
  await courier.push([reportOf(key, 'arrived_at_pickup', { pickup_eta: soon })]);
  expect((await deliveryOf(courier.fixture, id)).pickup_eta).toBe(new Date(soon).toISOString());
  await courier.push([reportOf(key, 'enroute_dropoff', { occurred_at: 2_000, pickup_eta: soon })]);
  await courier.push([reportOf(key, null, { id: 'late', occurred_at: 3_000, pickup_eta: soon + minute })]);
  const { pickup_eta, status_history } = await deliveryOf(courier.fixture, id);
  expect(status_history).toContainEqual({ status: 'pickup_complete', created_at: pickup_eta });
});

test('a report about a live delivery is ignored for a test delivery, loudly', async () => {
  const courier = await startScripted();
  const { id, key } = await dispatchOne(courier);
  await courier.push([reportOf(key, 'delivered', { live: true })]);
  expect(await historyOf(courier, id)).toEqual(['delivery_created']);
  expect(String(courier.fixture.faults.at(-1))).toMatch(/reported a live delivery for test delivery/);
});

test('polls find what no push reported', async () => {
  const courier = await startScripted();
  const { id, key } = await dispatchOne(courier);
  courier.polled.push(reportOf(key, 'driver_assigned'));
  await courier.fixture.pass(minute);
  expect(await historyOf(courier, id)).toEqual(['delivery_created', 'driver_assigned']);
  courier.polled.push(reportOf(key, 'delivered', { occurred_at: 9_000 }));
  await courier.fixture.pass(minute);
  expect((await historyOf(courier, id)).at(-1)).toBe('delivered');
});

test('a courier that pushes is polled every five minutes, one that does not every half', async () => {
  const silent = await startScripted();
  await dispatchOne(silent);
  for (let passed = 0; passed < 20; passed++) await silent.fixture.pass(minute / 2);
  expect(silent.polls()).toBe(20);
  const pushing = await startScripted();
  const { key } = await dispatchOne(pushing);
  for (let passed = 0; passed < 20; passed++) {
    await pushing.push([reportOf(key, null, { id: `${passed}`, pickup_eta: passed })]);
    await pushing.fixture.pass(minute / 2);
  }
  expect(pushing.polls()).toBe(2);
});

test('positions between two statuses are kept without events', async () => {
  const courier = await startScripted();
  const { id, key } = await dispatchOne(courier);
  const driver = { name: 'Sam', image: null, phone: null, vehicle_type: null, vehicle: null };
  await courier.push([reportOf(key, 'enroute_pickup', { driver })]);
  const { client } = courier.fixture;
  const count = async () => (await client().events.list({})).data.data.length;
  const lastHeard = async () =>
    (await client().deliveries.getDetailed({ params: { deliveryid: id } })).data.details.last_report_at ?? '';
  const [before, heard_at] = [await count(), await lastHeard()];
  const position = { lat: 41.9, lng: -87.6 };
  await courier.push([reportOf(key, null, { id: 'position', position, occurred_at: 2_000 })]);
  const { data } = await client().deliveries.get({ params: { deliveryid: id } });
  expect(data).toMatchObject({ courier_location_lat: 41.9, courier_location_lng: -87.6 });
  const seen_at = await lastHeard();
  await courier.fixture.pass(minute);
  expect([seen_at > heard_at, await lastHeard()]).toEqual([true, seen_at]);
  expect(await count()).toBe(before);
});

test('a position of a clock that is ahead is shown at once', async () => {
  const courier = await startScripted();
  const { id, key } = await dispatchOne(courier);
  const driver = { name: 'Sam', image: null, phone: null, vehicle_type: null, vehicle: null };
  await courier.push([reportOf(key, 'enroute_pickup', { driver })]);
  const { fixture } = courier;
  for (const lat of [41.9, 41.91]) {
    const occurred_at = fixture.now() + minute;
    const position = { lat, lng: -87.6 };
    await courier.push([reportOf(key, null, { id: `at ${lat}`, position, occurred_at })]);
    expect(await deliveryOf(fixture, id)).toMatchObject({ courier_location_lat: lat });
    await fixture.pass(20_000);
  }
});

test('an acceptance that is found after its order was retried is not that of the new delivery', async () => {
  const courier = await startScripted({ lost: [1] });
  const { id, key } = await dispatchOne(courier);
  await courier.push([reportOf(key, 'failed', { occurred_at: 2_000 })]);
  const client = courier.fixture.client();
  const retried = await client.deliveries.retry({ params: { deliveryid: id }, body: {} });
  for (const _ of [1, 2, 3]) await courier.fixture.pass(minute);
  const { data } = await client.events.list({ query: { type: 'order.dispatched' } });
  expect(data.data.map((event) => Object(event.data).delivery_id)).toEqual([retried.data.id]);
  expect(courier.fixture.faults.filter((fault) => fault instanceof Error)).toEqual([]);
});

test.each([
  ['delivered', ['dispatched'], ['order.dispatched']],
  ['provider_canceled', ['canceled'], ['order.canceled']],
  ['failed', ['refused', 'dispatched'], ['order.dispatched']],
] as const)('an acceptance that is found after its delivery was %s', async (status, attempts, events) => {
  const courier = await startScripted({ lost: [1] });
  const { fixture, creates } = courier;
  const client = fixture.client();
  const batch_id = await newBatch(client, [{}], { providers: ['scripted'], retry_interval: 60 });
  await vi.waitFor(async () => {
    await fixture.pass(100);
    expect(creates).toHaveLength(1);
  }, 300_000);
  await courier.push([reportOf(creates[0]?.key ?? null, status)]);
  await after(fixture, batch_id, 90);
  const found = await attemptsOf(client, (await batchNow(client, batch_id)).orders[0]?.order_id ?? '');
  expect(found.map((each) => each.status)).toEqual(attempts);
  const published = await eventsOf(fixture, 'order.dispatched', 'order.canceled', 'order.failed');
  expect(published.map(({ type }) => type)).toEqual(events);
});

test('reports of one connection are limited by its token, wherever they come from', async () => {
  const courier = await startScripted();
  const statuses: number[] = [];
  for (let count = 0; count < 520; count++) statuses.push((await courier.push([])).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(500);
  expect(statuses.slice(500).every((status) => status === 429)).toBe(true);
  courier.fixture.passWall(1_000);
  expect((await courier.push([])).status).toBe(200);
});

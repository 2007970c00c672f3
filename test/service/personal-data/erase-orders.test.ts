import { expect, test } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import type { Delivery } from '../../../src/contract/deliveries.ts';
import { failureMessages } from '../../../src/domain/delivery-states.ts';
import { eraseOrders } from '../../../src/service/personal-data/erase-orders.ts';
import { exportOrders } from '../../../src/service/personal-data/people-in-orders.ts';
import { insertPicture } from '../../../src/storage/deliveries.ts';
import { engines } from '../../databases.ts';
import { fakeNominatim } from '../../fakes/places/geocoder.ts';
import { dispatchOne, reportOf, startScripted } from '../couriers/scripted-courier.ts';
import { deliveryOf, runToEnd, startedDelivery } from '../delivery-runs.ts';
import { dispatchRoute, type Fixture, orderRequest, startClient } from '../fixture.ts';
import { underWay } from '../fleet/fleet.ts';
import { dispatchedOrder } from '../route-runs.ts';
import { dump, person, phone, sums, tracesIn } from './person.ts';

const parts = { newToken: async () => crypto.randomUUID(), record: async () => {} };

async function delivered(fixture: Fixture, client: Client): Promise<Delivery> {
  await client.webhooks.create({ body: { url: 'http://127.0.0.1:9/hook' } });
  await client.account.update({ body: { notices: { language: 'en' } } });
  const started = await startedDelivery(client, 'happy_path', { ...person, request_signature: true });
  const edit = { dropoff_notes: 'Leave it with the zebra' };
  await client.deliveries.edit({ params: { deliveryid: started.id }, body: edit });
  const ended = await runToEnd(fixture, client, started);
  expect([ended.status, ended.signature === null]).toEqual(['delivered', false]);
  const params = { deliveryid: ended.id };
  await client.deliveries.dispute({ params, body: { reason: 'Marguerite never got it' } });
  const note = { text: 'Marguerite called again', tags: ['Quillfeather'] };
  await client.deliveries.note({ params, body: note });
  const picture = { id: 'pic_1', account_id: 'acct_1', test_mode: 1, delivery_id: ended.id } as const;
  await fixture.service.send();
  await fixture.storage.run(async (db) => {
    await insertPicture(db, { ...picture, data: 'the violet door', bytes: 15, created_at: 0 });
    await db
      .updateTable('webhook_attempts')
      .set({ response: 'Thank you, Marguerite Quillfeather' })
      .execute();
    // What a courier sent is kept as received.
    await db.updateTable('reports').set({ raw: '{"to":"Marguerite"}' }).execute();
    // Couriers may repeat whom they refuse.
    const reason = `nobody at ${person.dropoff_address} has +${phone}`;
    for (const table of ['dispatches', 'courier_bookings', 'tries', 'quote_declines'] as const)
      await db.updateTable(table).set({ reason }).execute();
    await db
      .updateTable('batch_orders')
      .set({ reason, refusals: JSON.stringify([{ reason }]) })
      .execute();
    await db.updateTable('failed_tasks').set({ error: reason }).execute();
  });
  return ended;
}

test.each(['sqlite', 'postgres'] as const)(
  'on %s nothing of an erased person is left, and the money still adds up',
  async (engine) => {
    const { fixture, client } = await startClient({ location: await engines[engine]() });
    const { id: deliveryid } = await delivered(fixture, client);
    const { route } = await dispatchRoute(fixture, { requests: [orderRequest(), orderRequest(person)] });
    await fixture.pass(25 * 60 * 60_000);
    const { data: delivery } = await client.deliveries.get({ params: { deliveryid } });
    const before = { sums: await sums(fixture), tracking: await fixture.send('GET', trackingPath(delivery)) };
    expect(before.tracking.status).toBe(200);
    expect((await tracesIn(fixture)).length).toBeGreaterThan(20);
    const kept = JSON.stringify(await exportOrders(fixture.storage, { phone }));
    for (const word of ['Marguerite Quillfeather', 'marguerite@mail.example', 'violet', 'zebra', 'Addison'])
      expect(kept).toContain(word);
    const results = await eraseOrders(fixture.storage, { phone }, parts);
    expect(results.map(({ outcome }) => outcome)).toEqual(['erased', 'erased']);
    expect(await tracesIn(fixture)).toEqual([]);
    expect(await sums(fixture)).toEqual(before.sums);
    expect((await fixture.send('GET', trackingPath(delivery))).status).toBe(404);
    // Every record can still be read.
    const { data: after } = await client.deliveries.get({ params: { deliveryid: delivery.id } });
    const { id, status, payment_amount, tip, fee, external_order_ref, items, status_history } = delivery;
    expect(after).toMatchObject({
      ...{ id, status, payment_amount, tip, fee, external_order_ref, items, status_history },
      ...{ signature: null, proof_of_delivery: [], dispute_reason: 'erased', tracking_url: '' },
      courier_name: delivery.courier_name,
      dropoffs: [{ dropoff_name: 'erased', dropoff_phone_number: '', dropoff_address: 'erased' }],
    });
    expect((await client.orders.list({ query: { limit: 100 } })).data.data).toHaveLength(3);
    const { data: events } = await client.events.list({ query: { limit: 100 } });
    const offered = events.data.filter(({ data }) => 'tracking_url' in data && data.tracking_url !== '');
    expect(offered.flatMap(({ data }) => ('id' in data ? [data.id] : []))).not.toContain(delivery.id);
    expect(events.data.length).toBeGreaterThan(10);
    await client.routes.get({ params: { route_id: route.id } });
    const found = await client.deliveries.list({ query: { q: 'Quillfeather' } });
    expect(found.data.data).toEqual([]);
    const byReference = await client.deliveries.list({ query: { q: 'bill 1042' } });
    expect(byReference.data.data.length).toBe(2);
    expect(await eraseOrders(fixture.storage, { phone }, parts)).toEqual([]);
    const { order_id } = await startedDelivery(client, 'happy_path', person);
    const exported = await exportOrders(fixture.storage, { phone });
    expect(exported).toMatchObject([{ order: { id: order_id } }]);
    await fixture.storage.close();
  },
);

test('another person of the same route stays as they are', async () => {
  const { fixture, client } = await startClient();
  const { route } = await dispatchRoute(fixture, { requests: [orderRequest(), orderRequest(person)] });
  await fixture.pass(25 * 60 * 60_000);
  const [other, own] = route.deliveries;
  if (other === undefined || own === undefined) throw new Error('no deliveries');
  const read = async () => (await client.deliveries.get({ params: { deliveryid: other.id } })).data;
  const before = await read();
  expect(await eraseOrders(fixture.storage, { delivery_id: own.id }, parts)).toMatchObject([
    { order_id: own.order_id, delivery_ids: [own.id], outcome: 'erased' },
  ]);
  expect(await tracesIn(fixture)).toEqual([]);
  expect(await read()).toEqual(before);
  const [stops] = (await client.routes.get({ params: { route_id: route.id } })).data.stops.slice(-2);
  expect(JSON.stringify(stops)).toContain('233 S Wacker Dr');
  // A driver has the same name.
  const { data } = await client.deliveries.listDetailed({ query: { q: 'Whitfield' } });
  expect(data.data.filter(({ details }) => details.matched?.startsWith('dropoff name'))).toHaveLength(1);
});

test('words of a person within other words, references and statuses stay', async () => {
  const { fixture, client } = await startClient();
  const address = { pickup_address: '1204 W Main St, Chicago, IL 60611', dropoff_unit: '1204' };
  const names = { dropoff_name: 'Ross', dropoff_notes: 'delivered', items_description: 'Cross, for Ross' };
  const request = orderRequest({ ...person, ...address, ...names, external_order_ref: 'Ross-1204' });
  const { id: deliveryid } = await dispatchedOrder(fixture, request);
  await fixture.pass(25 * 60 * 60_000);
  await eraseOrders(fixture.storage, { delivery_id: deliveryid }, parts);
  expect((await client.deliveries.get({ params: { deliveryid } })).data).toMatchObject({
    status: 'delivered',
    external_order_ref: 'Ross-1204',
    items_description: 'Cross, for erased',
    pickup_address: expect.stringContaining('1204 W Main St'),
    dropoffs: [{ dropoff_name: 'erased', dropoff_unit: '', dropoff_notes: '' }],
  });
});

test('a delivery under way is left out until it has ended', async () => {
  const { fixture, client } = await startClient();
  const delivery = await startedDelivery(client, 'happy_path', person);
  const erase = () => eraseOrders(fixture.storage, { phone }, parts);
  expect(await erase()).toMatchObject([{ order_id: delivery.order_id, outcome: 'under_way' }]);
  expect((await client.orders.list({ query: {} })).data.data[0]?.dropoff_name).toBe(person.dropoff_name);
  await runToEnd(fixture, client, delivery);
  expect(await erase()).toMatchObject([{ outcome: 'erased' }]);
  expect(await tracesIn(fixture)).toEqual([]);
});

test('a person is found by the number of an earlier delivery of the order, too', async () => {
  const { fixture, client } = await startClient();
  const { id: deliveryid, order_id } = await startedDelivery(client, 'payment_declined_once', person);
  const { data: again } = await client.deliveries.retry({ params: { deliveryid }, body: {} });
  const other = { dropoff_name: 'Bob Lee', dropoff_phone_number: '+13125550188' };
  await client.deliveries.edit({ params: { deliveryid: again.id }, body: other });
  await runToEnd(fixture, client, again);
  // Also after the sender was erased.
  const sender = again.pickup_phone_number.replace('+', '');
  for (const each of [sender, phone])
    expect(await eraseOrders(fixture.storage, { phone: each }, parts)).toMatchObject([
      { order_id, outcome: 'erased' },
    ]);
  expect(await tracesIn(fixture)).toEqual([]);
});

test('what a driver has written about the recipient is erased', async () => {
  const { fixture, ana, id } = await underWay({ requests: [orderRequest(person)] });
  const delivery_ids = [id];
  await ana.tap({ kind: 'pick_up', delivery_ids });
  await ana.tap({ kind: 'fail', delivery_ids, note: 'Marguerite is not at the violet door' });
  await ana.tap({ kind: 'return', delivery_ids });
  await eraseOrders(fixture.storage, { phone }, parts);
  expect(await deliveryOf(fixture, id)).toMatchObject({
    status: 'returned',
    failure_reason: 'handover_failed',
    failure_message: failureMessages.handover_failed,
  });
  expect(await tracesIn(fixture)).toEqual([]);
});

test('the stop that two orders share is erased with the second of them', async () => {
  const { fixture, client } = await startClient();
  const other = { dropoff_name: 'Hyacinth Quillfeather', dropoff_phone_number: '+13125550188' };
  const requests = [orderRequest(person), orderRequest({ ...person, ...other })];
  const { route } = await dispatchRoute(fixture, { requests });
  await fixture.pass(25 * 60 * 60_000);
  const stops = async () =>
    (await client.routes.get({ params: { route_id: route.id } })).data.stops.map(({ address }) => address);
  const shared = (await stops()).at(-1);
  await eraseOrders(fixture.storage, { phone }, parts);
  expect((await stops()).at(-1)).toBe(shared);
  await eraseOrders(fixture.storage, { phone: '13125550188' }, parts);
  expect((await stops()).at(-1)).toBe('erased');
  expect((await stops())[0]).toContain('43 E Ohio St');
  expect(await tracesIn(fixture)).toEqual([]);
});

test('an order that auto dispatch will try again is under way', async () => {
  const { fixture, client } = await startClient();
  const settings = { mechanism: 'auto', retry_window: 3_600, retry_interval: 600 } as const;
  const order = orderRequest({ ...person, dropoff_phone_number: '+13125550118' });
  await client.orders.create({ body: { orders: [order], settings } });
  await fixture.pass(20_000);
  const { data } = await client.deliveries.list({ query: { status: ['failed'] } });
  expect(data.data.length).toBeGreaterThan(0);
  const erase = () => eraseOrders(fixture.storage, { phone: '13125550118' }, parts);
  expect(await erase()).toMatchObject([{ outcome: 'under_way' }]);
});

test('a failed order of an erased person joins no route, and its delivery is not retried', async () => {
  const { fixture, client } = await startClient();
  const { id, order_id } = await startedDelivery(client, 'payment_declined', person);
  await eraseOrders(fixture.storage, { phone }, parts);
  const message = expect.stringContaining('its personal data was erased');
  const routed = client.routes.create({ body: { order_ids: [order_id] } });
  await expect(routed).rejects.toMatchObject({ code: 'order_not_open', message });
  const retried = client.deliveries.retry({ params: { deliveryid: id }, body: {} });
  await expect(retried).rejects.toMatchObject({ code: 'delivery_not_initiable', message });
});

test('a sender is erased from the pickup, and the recipient stays', async () => {
  const { fixture, client } = await startClient();
  const sender = { pickup_name: 'Bartholomew Finch', pickup_phone_number: '+13125550177' };
  const delivery = await startedDelivery(client, 'happy_path', { ...person, ...sender });
  await runToEnd(fixture, client, delivery);
  await eraseOrders(fixture.storage, { phone: '13125550177' }, parts);
  const texts = [...(await dump(fixture)).values()].join('\n');
  expect(texts).not.toMatch(/Bartholomew|finch|5550177/);
  expect(texts).toContain('Marguerite Quillfeather');
  const [exported, ...others] = await exportOrders(fixture.storage, { phone });
  expect([exported, others]).toMatchObject([
    {
      order: { record: { pickup: { name: 'erased' }, dropoff: { name: 'Marguerite Quillfeather' } } },
      deliveries: [{ id: delivery.id, record: { pickup: { address: 'erased', phone: '' } } }],
    },
    [],
  ]);
});

function trackingPath({ tracking_url }: Delivery): string {
  return new URL(tracking_url).pathname;
}

test('what the geocoder has answered about the address of a person is exported and erased', async () => {
  const fake = await fakeNominatim();
  const places = { geocoder: { name: 'nominatim', url: fake.url, per_second: 1_000 }, router: null } as const;
  const { fixture, client } = await startClient({ parts: { places } });
  const { dropoff_latitude: _, dropoff_longitude: __, ...unplaced } = person;
  await runToEnd(fixture, client, await startedDelivery(client, 'happy_path', unplaced));
  const [kept] = await exportOrders(fixture.storage, { phone });
  expect(kept).toMatchObject({
    places: [
      { address: expect.stringContaining('addison'), found: { precision: 'house' } },
      { address: expect.stringContaining('ohio'), found: { precision: 'house' } },
    ],
  });
  await eraseOrders(fixture.storage, { phone }, parts);
  expect(await tracesIn(fixture)).toEqual([]);
  const rest = await fixture.storage.read((db) => db.selectFrom('geocoded_places').selectAll().execute());
  expect(rest).toHaveLength(1);
});

test('what a courier says about people after the erasure is not kept, but its price is', async () => {
  const gone = { status: 404, headers: {}, body: '' };
  const courier = await startScripted({ pictures: async () => gone });
  const { fixture } = courier;
  const { id, key } = await dispatchOne(courier);
  const driver = {
    name: 'Dana Marguerite',
    phone: null,
    vehicle_type: 'car',
    vehicle: null,
    image: null,
  } as const;
  const position = { lat: 41.94843, lng: -87.65534 };
  const proofs = [{ type: 'signature', url: 'https://pictures.example/violet.png' }] as const;
  await courier.push([reportOf(key, 'driver_assigned', { driver })]);
  await courier.push([reportOf(key, 'delivered', { occurred_at: 2_000, proofs, signer: 'Marguerite' })]);
  await fixture.pass(60_000);
  await eraseOrders(fixture.storage, { delivery_id: id }, parts);
  const costs = { at: 3_000, price: 900 };
  const people = { occurred_at: 3_000, driver, proofs, signer: 'Marguerite', pin: 'violet', position };
  await courier.push([reportOf(key, 'delivered', { ...people, id: 'pushed', costs })]);
  await courier.push([reportOf(key, null, { id: 'moved', occurred_at: 4_000, position })]);
  courier.polled.push(reportOf(key, null, { ...people, id: 'polled', reason: 'Marguerite was out' }));
  await fixture.pass(2 * 60 * 60_000);
  expect(courier.polled).toEqual([]);
  const { data } = await fixture.client().deliveries.get({ params: { deliveryid: id } });
  expect(data).toMatchObject({ courier_name: driver.name, signature: null, proof_of_delivery: [] });
  const texts = await dump(fixture);
  expect(texts.get('charges')).toContain('"amount":200,');
  for (const table of ['deliveries', 'events', 'reports', 'tasks', 'proof_pictures']) {
    const rest = texts.get(table)?.replaceAll(driver.name, '') ?? '';
    expect([table, rest.match(/Marguerite|violet|41\.94843/g)]).toEqual([table, null]);
  }
});

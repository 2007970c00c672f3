import { expect, test } from 'vitest';
import { isLogo } from '../../../src/service/stores/store-handlers.ts';
import { type Fixture, orderRequest, start, startClient, startFixture } from '../fixture.ts';
import { dispatchedOrder } from '../route-runs.ts';

const place = {
  name: 'Pizza & Friends',
  address: ' 43 E Ohio St,Chicago, il 60611 ',
  phone_number: '+1 (312) 555-0100',
};

function addStore(fixture: Fixture, changes: object = {}) {
  return fixture.client().stores.create({ body: { ...place, ...changes } });
}

/** The paths of an error, and its code. */
function refusalOf(answer: { body: string }): { code: string; paths: string[] } {
  const { code, details = [] }: { code: string; details?: { path: string }[] } = JSON.parse(answer.body);
  return { code, paths: details.map(({ path }) => path).sort() };
}

test('a store is saved with normalized address and phone, and read back', async () => {
  const fixture = await startFixture();
  const { data } = await addStore(fixture, { notes: 'Back door' });
  expect(data).toEqual({
    id: expect.stringMatching(/^str_[0-9A-Z]{26}$/),
    object: 'store',
    name: 'Pizza & Friends',
    address: '43 E Ohio St, Chicago, IL 60611, USA',
    phone_number: '13125550100',
    ...{ latitude: 41.894742, longitude: -87.615073, precision: 'zip' },
    unit: '',
    notes: 'Back door',
    support_phone_number: '',
    undeliverable_action: 'return',
    logo: '',
    kind: 'shop',
    paused_until: null,
    providers: [],
    test_mode: true,
    created_at: new Date(start).toISOString(),
    updated_at: new Date(start).toISOString(),
  });
  expect((await fixture.client().stores.get({ params: { store_id: data.id } })).data).toEqual(data);
});

test('an update changes only the given fields; null leaves a field unchanged', async () => {
  const fixture = await startFixture();
  const { data: before } = await addStore(fixture, { unit: '4', notes: 'Back door' });
  await fixture.pass(60_000);
  const path = `/v2/stores/${before.id}`;
  const patch = async (body: object) => JSON.parse((await fixture.send('PATCH', path, { body })).body);
  const updated_at = new Date(start + 60_000).toISOString();
  expect(await patch({ phone_number: '+13125550199', unit: null })).toEqual({
    ...before,
    phone_number: '13125550199',
    updated_at,
  });
  expect((await patch({ kind: 'food' })).kind).toBe('food');
  expect((await patch({ kind: 'shop' })).kind).toBe('shop');
  const moved = await patch({ address: '233 S Wacker Dr, Chicago, IL 60606', notes: '' });
  const address = '233 S Wacker Dr, Chicago, IL 60606, USA';
  const centre = { latitude: 41.881259, longitude: -87.637452 };
  const changed = { phone_number: '13125550199', address, notes: '', updated_at };
  expect(moved).toEqual({ ...before, ...centre, ...changed });
  expect(JSON.parse((await fixture.send('GET', path)).body)).toEqual(moved);
});

test('changes of a store at the same time are all kept', async () => {
  const fixture = await startFixture();
  const { data } = await addStore(fixture, { notes: 'Front door' });
  const params = { store_id: data.id };
  const changes = [{ notes: 'Back door' }, { phone_number: '+13125550199' }, { unit: '4' }];
  await Promise.all(changes.map((body) => fixture.client().stores.update({ params, body })));
  const after = (await fixture.client().stores.get({ params })).data;
  expect(after).toMatchObject({ notes: 'Back door', phone_number: '13125550199', unit: '4' });
});

test('all errors of a store are reported together, by field', async () => {
  const fixture = await startFixture();
  const create = async (changes: object) =>
    refusalOf(await fixture.send('POST', '/v2/stores', { body: { ...place, ...changes } }));
  const both = { address: '43 E Ohio St', phone_number: '555-0100' };
  expect(await create(both)).toEqual({ code: 'invalid_request', paths: ['address', 'phone_number'] });
  const nowhere = { address: '1 Main St, Nowhere, IL 00000' };
  expect(await create(nowhere)).toEqual({ code: 'address_not_geocodable', paths: ['address'] });
  expect(await create({ name: null, colour: 'red' })).toEqual({
    code: 'invalid_request',
    paths: ['colour', 'name'],
  });
  const { data } = await addStore(fixture);
  const change = async (body: object) =>
    refusalOf(await fixture.send('PATCH', `/v2/stores/${data.id}`, { body }));
  expect(await change(nowhere)).toEqual({ code: 'address_not_geocodable', paths: ['address'] });
  expect(await change({ phone_number: '1' })).toEqual({ code: 'invalid_request', paths: ['phone_number'] });
  expect(await change({})).toEqual({ code: 'invalid_request', paths: ['body'] });
  expect((await fixture.client().stores.get({ params: { store_id: data.id } })).data).toEqual(data);
});

test('a deleted store is not found', async () => {
  const fixture = await startFixture();
  const { data } = await addStore(fixture);
  const { data: other } = await addStore(fixture, { name: 'Other' });
  const path = `/v2/stores/${data.id}`;
  const deleted = await fixture.client().stores.delete({ params: { store_id: data.id } });
  expect(deleted.data).toEqual({ id: data.id, object: 'store', deleted: true });
  for (const method of ['GET', 'DELETE']) {
    expect(refusalOf(await fixture.send(method, path)).code).toBe('record_not_found');
  }
  expect((await fixture.client().stores.list()).data.data).toEqual([other]);
});

/** An order request without the fields that the store replaces. */
function fromStore(pickup_store_id: string, changes: object = {}) {
  const { pickup_address: _, pickup_name: __, pickup_phone_number: ___, ...rest } = orderRequest();
  return { ...rest, pickup_store_id, ...changes };
}

function order(fixture: Fixture, request: object) {
  return fixture.send('POST', '/v2/orders/create', { body: { orders: [request] } });
}

test('an order from a store copies its place and keeps it when the store changes', async () => {
  const { fixture, client } = await startClient();
  const { data: store } = await addStore(fixture, { unit: '4', notes: 'Back door' });
  const made = JSON.parse((await order(fixture, fromStore(store.id))).body);
  expect(made).toMatchObject({
    pickup_store_id: store.id,
    pickup_name: 'Pizza & Friends',
    pickup_address: '43 E Ohio St, Chicago, IL 60611, USA',
    pickup_phone_number: '13125550100',
    pickup_unit: '4',
    pickup_notes: 'Back door',
    pickup_at: null,
  });
  await client.stores.update({ params: { store_id: store.id }, body: { name: 'Moved', notes: '' } });
  expect((await client.orders.get({ params: { order_id: made.id } })).data).toEqual(made);
  await client.stores.delete({ params: { store_id: store.id } });
  expect((await client.orders.get({ params: { order_id: made.id } })).data).toEqual(made);
  expect(refusalOf(await order(fixture, fromStore(store.id)))).toEqual({
    code: 'record_not_found',
    paths: ['orders[0].pickup_store_id'],
  });
});

test('a delivery of such an order names the store', async () => {
  const fixture = await startFixture();
  const { data: store } = await addStore(fixture);
  const delivery = await dispatchedOrder(fixture, fromStore(store.id));
  expect(delivery).toMatchObject({ store_id: store.id, pickup_name: 'Pizza & Friends' });
});

test('a time can be given with a store, its own pickup fields cannot, and one of the two is required', async () => {
  const fixture = await startFixture();
  const { data: store } = await addStore(fixture);
  const pickup_at = '2026-03-02T15:00:00.000Z';
  const timed = JSON.parse((await order(fixture, fromStore(store.id, { pickup_at }))).body);
  expect(timed).toMatchObject({ pickup_at, pickup_name: 'Pizza & Friends' });
  const late = fromStore(store.id, { pickup_at: '2026-03-02T11:00:00Z' });
  expect(refusalOf(await order(fixture, late))).toEqual({
    code: 'invalid_request',
    paths: ['orders[0].pickup_at'],
  });
  const pickup = ['pickup_address', 'pickup_name', 'pickup_phone_number'].map((name) => `orders[0].${name}`);
  const both = { ...orderRequest({ pickup_unit: '4', pickup_notes: 'x' }), pickup_store_id: store.id };
  expect(refusalOf(await order(fixture, both))).toEqual({
    code: 'invalid_request',
    paths: [...pickup, 'orders[0].pickup_notes', 'orders[0].pickup_unit'].sort(),
  });
  expect(refusalOf(await order(fixture, fromStore(store.id, { pickup_store_id: null })))).toEqual({
    code: 'invalid_request',
    paths: pickup,
  });
  expect(refusalOf(await order(fixture, fromStore('str_nope'))).code).toBe('record_not_found');
  const live = { 'x-api-key': fixture.keys.live };
  const body = { orders: [fromStore(store.id)] };
  const stranger = await fixture.send('POST', '/v2/orders/create', { body, headers: live });
  expect(refusalOf(stranger).code).toBe('record_not_found');
});

test('a store has coordinates until its address changes, and its orders have them', async () => {
  const fixture = await startFixture();
  const given = { latitude: 41.8925, longitude: -87.6282 };
  const { data } = await addStore(fixture, given);
  expect(data).toMatchObject({ ...given, precision: 'exact' });
  const path = `/v2/stores/${data.id}`;
  const patch = async (body: object) => {
    const answer = await fixture.send('PATCH', path, { body });
    return { status: answer.status, ...JSON.parse(answer.body) };
  };
  const made = JSON.parse((await order(fixture, fromStore(data.id))).body);
  expect([made.pickup_latitude, made.pickup_precision]).toEqual([41.8925, 'exact']);
  expect(await patch({ notes: 'Ring' })).toMatchObject({ ...given, precision: 'exact' });
  expect(await patch({ latitude: 41.893, longitude: -87.63 })).toMatchObject({ latitude: 41.893 });
  expect(await patch({ latitude: 43.04, longitude: -87.91 })).toMatchObject({ status: 400 });
  expect(await patch({ latitude: 41.9 })).toMatchObject({ status: 400 });
  expect(await patch({ address: place.address })).toMatchObject({ latitude: 41.894742, precision: 'zip' });
});

test('a logo is stored without the place and time of its photo', async () => {
  const logoOf = (bytes: string) =>
    `data:image/jpeg;base64,${Buffer.from(bytes, 'latin1').toString('base64')}`;
  const logo = logoOf('\xff\xd8\xff\xe1\0\x05GPS\xff\xda\0\x02image\xff\xd9');
  const { data } = await addStore(await startFixture(), { logo });
  expect(data.logo).toBe(logoOf('\xff\xd8\xff\xda\0\x02image\xff\xd9'));
});

test.each([
  'https://shop.example/logo.png',
  'https://shop.example/a b?c=%22#d',
  'data:image/png;base64,iVBORw0KGgo=',
  'data:image/svg+xml;base64,PHN2Zy8+',
])('%s is accepted as a logo', (text) => {
  expect(isLogo(text)).toBe(true);
});

test.each([
  'http://shop.example/logo.png',
  'https://user:secret@shop.example/logo.png',
  `https://shop.example/${'a'.repeat(2000)}`,
  'javascript:alert(1)',
  'data:text/html;base64,PGI+',
  'data:image/png,<svg>',
  'data:image/png;base64,"><script>',
  'data:image/png;base64,',
  'logo.png',
  '//shop.example/logo.png',
])('%s is refused', (text) => {
  expect(isLogo(text)).toBe(false);
});

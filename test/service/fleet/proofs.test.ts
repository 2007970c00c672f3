import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { eraseOrders } from '../../../src/service/personal-data/erase-orders.ts';
import { orderRequest } from '../fixture.ts';
import { jpeg, phone, underWay } from './fleet.ts';

/** A driver with a parcel at the door, whose recipient is asked for a PIN. */
async function atTheDoor(changes: Parameters<typeof orderRequest>[0] = {}) {
  const { fixture, ana, id } = await underWay({ requests: [orderRequest(changes)], ask_pin: true });
  await ana.tap({ kind: 'pick_up', delivery_ids: [id] });
  const now = async () =>
    (await fixture.client().deliveries.getDetailed({ params: { deliveryid: id } })).data;
  const pin = (await now()).handover_pin ?? '';
  const wrong = pin === '0000' ? '1111' : '0000';
  return { fixture, ana, now, pin, wrong, deliver: { kind: 'deliver' as const, delivery_ids: [id] } };
}

test('without a connection a wrong PIN counts with a photo, and is marked as not verified', async () => {
  const { fixture, ana, now, wrong, deliver } = await atTheDoor();
  const offline = { ...deliver, pin: wrong, was_offline: true };
  expect(await ana.tap(offline)).toEqual(['refused']);
  expect(await ana.tap({ ...offline, photo: 'data:text/html;base64,PHNjcmlwdD4=' })).toEqual(['refused']);
  expect(await ana.tap({ ...deliver, pin: wrong, photo: jpeg })).toEqual(['refused']);
  expect(await ana.tap({ ...offline, photo: jpeg })).toEqual(['done']);
  const { status, proof_of_delivery, details } = await now();
  expect([status, proof_of_delivery.map(({ type }) => type)]).toEqual(['delivered', ['photo']]);
  expect(details).toMatchObject({ pin_unverified: true, no_photo_reason: '' });
  const [event] = (await fixture.client().events.list({ query: { limit: 1 } })).data.data;
  expect(JSON.stringify(event)).toContain('"pin_unverified":true');
});

test('the photo of a handover that the dispatcher has reported meanwhile is kept', async () => {
  const { fixture, ana, now, deliver } = await atTheDoor();
  const kim = await phone(fixture, 'Kim');
  const body = { status: 'delivered', note: 'Ana called' } as const;
  const params = { deliveryid: deliver.delivery_ids[0] ?? '' };
  await fixture.client().deliveries.report({ params, body });
  const late = { ...deliver, was_offline: true };
  expect(await kim.tap({ ...late, photo: jpeg })).toEqual(['ignored']);
  expect(await ana.tap(late, { ...late, photo: jpeg }, { ...late, photo: jpeg })).toEqual([
    'ignored',
    'done',
    'ignored',
  ]);
  const { status, proof_of_delivery } = await now();
  expect([status, proof_of_delivery.map(({ type }) => type)]).toEqual(['delivered', ['photo']]);
});

test('the photo of a handover to a person who was erased meanwhile is not kept', async () => {
  const { fixture, ana, now, deliver } = await atTheDoor();
  const [deliveryid = ''] = deliver.delivery_ids;
  await fixture
    .client()
    .deliveries.report({ params: { deliveryid }, body: { status: 'delivered', note: 'Ana called' } });
  const parts = { newToken: async () => 'new', record: async () => {} };
  await eraseOrders(fixture.storage, { delivery_id: deliveryid }, parts);
  expect(await ana.tap({ ...deliver, was_offline: true, photo: jpeg })).toEqual(['ignored']);
  expect((await now()).proof_of_delivery).toEqual([]);
  const pictures = await fixture.storage.read((db) => db.selectFrom('proof_pictures').selectAll().execute());
  expect(pictures).toEqual([]);
});

test('a right PIN that was said without a connection is verified once it is sent', async () => {
  const { ana, now, pin, deliver } = await atTheDoor();
  expect(await ana.tap({ ...deliver, pin, was_offline: true, photo: jpeg })).toEqual(['done']);
  const { proof_of_delivery, details } = await now();
  expect(proof_of_delivery.map(({ type }) => type)).toEqual(['photo', 'pin']);
  expect(details.pin_unverified).toBe(false);
});

test('a locked handover stays locked without a connection', async () => {
  const { ana, now, wrong, deliver } = await atTheDoor();
  for (let tries = 0; tries < 5; tries++) await ana.tap({ ...deliver, pin: wrong });
  expect(await ana.tap({ ...deliver, pin: wrong, was_offline: true, photo: jpeg })).toEqual(['refused']);
  expect((await now()).status).toBe('pickup_complete');
});

test('why there is no photo is kept with the delivery', async () => {
  const { ana, now, pin, deliver } = await atTheDoor({ request_contactless: true });
  const no_photo_reason = ' The camera is broken ';
  expect(await ana.tap({ ...deliver, pin, no_photo_reason })).toEqual(['done']);
  const { proof_of_delivery, details } = await now();
  expect(proof_of_delivery.map(({ type }) => type)).toEqual(['pin']);
  expect(details.no_photo_reason).toBe('The camera is broken');
});

test('neither the PIN nor a hash of it is on the page', async () => {
  const { ana, pin } = await atTheDoor();
  expect(pin).toMatch(/^\d{4}$/);
  const page = await ana.page();
  expect(page).not.toContain(pin);
  for (const algorithm of ['md5', 'sha1', 'sha256']) {
    for (const encoding of ['hex', 'base64'] as const) {
      expect(page).not.toContain(hash(algorithm, pin, encoding).slice(0, 20));
    }
  }
  expect(page.match(/data-pin="[^"]*"/g)).toEqual(['data-pin="1"']);
});

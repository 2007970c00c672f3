import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { max_account_picture_bytes } from '../../../src/service/fleet/handover-proofs.ts';
import { eraseOrders } from '../../../src/service/personal-data/erase-orders.ts';
import { insertPicture } from '../../../src/storage/deliveries.ts';
import { orderRequest } from '../fixture.ts';
import { jpeg, jpegOf, neighbors, phone, underWay } from './fleet.ts';

const minute = 60_000;
const empty = 'data:image/jpeg;base64,/9j/AAAA';

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
  await fixture.pass(5 * minute);
  const at = new Date(fixture.now()).toISOString();
  await fixture.pass(5 * minute);
  const offline = { ...deliver, at, pin: wrong, was_offline: true };
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

test.each([
  ['no', () => undefined, ['photo']],
  ['a wrong', ({ wrong }: Door) => wrong, ['photo']],
  ['the right', ({ pin }: Door) => pin, ['photo', 'pin']],
] as const)(
  'the photo of a handover that the dispatcher has reported meanwhile is kept, with %s PIN',
  async (_, pinOf, proofs) => {
    const door = await atTheDoor();
    const { fixture, ana, now, deliver } = door;
    const kim = await phone(fixture, 'Kim');
    const body = { status: 'delivered', note: 'Ana called' } as const;
    const params = { deliveryid: deliver.delivery_ids[0] ?? '' };
    await fixture.client().deliveries.report({ params, body });
    const pin = pinOf(door);
    const late = { ...deliver, was_offline: true, ...(pin !== undefined && { pin }) };
    expect(await kim.tap({ ...late, photo: jpeg })).toEqual(['ignored']);
    expect(await ana.tap(late, { ...late, photo: jpeg }, { ...late, photo: jpeg })).toEqual([
      'ignored',
      'done',
      'ignored',
    ]);
    const { status, proof_of_delivery } = await now();
    expect([status, proof_of_delivery.map(({ type }) => type)]).toEqual(['delivered', proofs]);
  },
);

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

// What an order asks for is the rule of the service, whatever page or program sends the tap.
test.each([
  ['nothing is asked for', {}, {}, 'done'],
  ['a photo', { request_contactless: true }, { photo: jpeg }, 'done'],
  ['no photo', { request_contactless: true }, {}, 'refused'],
  ['six bytes for a photo', { request_contactless: true }, { photo: empty }, 'refused'],
  ['a signature for a photo', { request_contactless: true }, { signature: jpeg }, 'refused'],
  ['why there is no photo', { request_contactless: true }, { no_photo_reason: 'It is dark' }, 'done'],
  ['a blank reason', { request_contactless: true }, { no_photo_reason: ' ' }, 'refused'],
  ['a signature', { request_signature: true }, { signature: jpeg, signed_by: 'Joe' }, 'done'],
  ['no signature', { request_signature: true }, { signed_by: 'Joe' }, 'refused'],
  ['six bytes for a signature', { request_signature: true }, { signature: empty }, 'refused'],
  ['a photo for a signature', { request_signature: true }, { photo: jpeg }, 'refused'],
  ['why there is no signature', { request_signature: true }, { no_photo_reason: 'A broken arm' }, 'done'],
] as const)('a handover with %s', async (_, asked, proofs, outcome) => {
  const { fixture, ana, id } = await underWay({ requests: [orderRequest(asked)] });
  await ana.tap({ kind: 'pick_up', delivery_ids: [id] });
  expect(await ana.tap({ kind: 'deliver', delivery_ids: [id], ...proofs })).toEqual([outcome]);
  const { data } = await fixture.client().deliveries.get({ params: { deliveryid: id } });
  expect(data.status).toBe(outcome === 'done' ? 'delivered' : 'pickup_complete');
});

// Minutes since the pickup, at which the phone was in contact.
test.each([
  ['a tap in the silence', [], 5, 10, 'done', 5],
  ['a tap of now', [], 10, 10, 'refused', null],
  ['a tap of a moment ago', [5, 9.9], 9.8, 10, 'refused', null],
  ['a tap from before the last contact', [2, 8], 1, 10, 'done', 8],
  ['a tap that was sent after another one', [9.9], 5, 10, 'done', 5],
] as const)(
  'without a connection counts only for %s, at a time that the service can believe',
  async (_, contacts, tapped, sent, outcome, delivered) => {
    const { fixture, ana, now, wrong, deliver } = await atTheDoor();
    const start = fixture.now();
    for (const contact of contacts) {
      await fixture.pass(start + contact * minute - fixture.now());
      await ana.page();
    }
    await fixture.pass(start + sent * minute - fixture.now());
    const at = new Date(start + tapped * minute).toISOString();
    const tap = { ...deliver, at, pin: wrong, was_offline: true, photo: jpeg };
    expect(await ana.tap(tap)).toEqual([outcome]);
    const { status_history, proof_of_delivery } = await now();
    const timeOf = (minutes: number | null) =>
      minutes === null ? undefined : new Date(start + minutes * minute).toISOString();
    expect(proof_of_delivery[0]?.created_at).toBe(timeOf(delivered));
    // Whether it was late is counted by the time of the service.
    const arrival = status_history.find(({ status }) => status === 'delivered');
    expect(arrival?.created_at).toBe(timeOf(outcome === 'done' ? sent : null));
  },
);

test('pictures are stored only if a delivery shows them, and up to a limit of the account', async () => {
  const { fixture, ana, ids } = await underWay({ requests: neighbors(2) });
  const [returned = '', id = ''] = ids;
  const stored = () => fixture.storage.read((db) => db.selectFrom('proof_pictures').selectAll().execute());
  await ana.tap({ kind: 'pick_up', delivery_ids: ids }, { kind: 'fail', delivery_ids: [returned] });
  const pictures = { photo: jpeg, signature: jpegOf('signed') };
  const ignored = { kind: 'deliver' as const, delivery_ids: [returned], ...pictures };
  expect(await ana.tap(...Array(5).fill(ignored))).toEqual(Array(5).fill('ignored'));
  expect(await stored()).toEqual([]);
  const { account_id } = (await fixture.client().account.get({})).data;
  const full = { id: 'full', account_id, test_mode: 1, delivery_id: '', data: '', created_at: 0 } as const;
  await fixture.storage.run((db) => insertPicture(db, { ...full, bytes: max_account_picture_bytes }));
  const deliver = { kind: 'deliver' as const, delivery_ids: [id], ...pictures };
  // What was tapped after it is taken.
  expect(await ana.tap(deliver, { kind: 'duty', on: false })).toEqual(['refused', 'done']);
  expect(await ana.tap({ kind: 'deliver', delivery_ids: [id] })).toEqual(['done']);
});

test('a button that one request presses fifty times counts once', async () => {
  const { fixture, ana } = await underWay();
  const duty = Array.from({ length: 49 }, (_, index) => ({ kind: 'duty' as const, on: index % 2 === 1 }));
  const before = (await fixture.client().audit.list({ query: { limit: 100 } })).data.data.length;
  await ana.tap(...duty, { kind: 'duty', on: false });
  expect((await fixture.client().audit.list({ query: { limit: 100 } })).data.data).toHaveLength(before + 1);
});

type Door = Awaited<ReturnType<typeof atTheDoor>>;

/** What an order asks for besides the PIN, how it is handed over, and the note about what was not proved. */
const handovers: Readonly<
  Record<string, { asks?: object; tap: (door: Door) => object; note: string | null }>
> = {
  'the right PIN': { tap: ({ pin }) => ({ pin }), note: null },
  'a PIN that could not be checked': {
    tap: ({ wrong }) => ({ pin: wrong, was_offline: true, photo: jpeg }),
    note: 'Handed over without a checked PIN',
  },
  'the photo that was asked for': {
    asks: { request_contactless: true },
    tap: ({ pin }) => ({ pin, photo: jpeg }),
    note: null,
  },
  'a reason instead of the photo': {
    asks: { request_contactless: true },
    tap: ({ pin }) => ({ pin, no_photo_reason: 'camera is broken' }),
    note: 'Handed over without a photo: camera is broken',
  },
  'a reason instead of the signature': {
    asks: { request_signature: true },
    tap: ({ pin }) => ({ pin, photo: jpeg, no_photo_reason: 'hands were full' }),
    note: 'Handed over without a signature: hands were full',
  },
  'a reason that nobody asked for': {
    tap: ({ pin }) => ({ pin, no_photo_reason: 'the dog' }),
    note: null,
  },
  'neither a checked PIN nor the signature': {
    asks: { request_signature: true },
    tap: ({ wrong }) => ({ pin: wrong, was_offline: true, photo: jpeg, no_photo_reason: 'rain' }),
    note: 'Handed over without a checked PIN and without a signature: rain',
  },
};

test.each(Object.entries(handovers))(
  'a handover with %s is noted if it lacks a proof',
  async (_, handover) => {
    const door = await atTheDoor(handover.asks);
    const { fixture, ana, now, deliver } = door;
    await fixture.pass(5 * minute);
    const at = new Date(fixture.now()).toISOString();
    await fixture.pass(5 * minute);
    expect(await ana.tap({ ...deliver, at, ...handover.tap(door) })).toEqual(['done']);
    const { notes } = (await now()).details;
    expect(notes.map(({ text, tags }) => [text, tags])).toEqual(
      handover.note === null ? [] : [[handover.note, ['unverified']]],
    );
    const found = await fixture.client().deliveries.list({ query: { q: 'handed over without' } });
    expect(found.data.data).toHaveLength(notes.length);
  },
);

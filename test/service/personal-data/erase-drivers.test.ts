import { expect, test } from 'vitest';
import {
  eraseDrivers,
  exportDrivers,
  previewDrivers,
} from '../../../src/service/personal-data/erase-drivers.ts';
import { eraseOrders } from '../../../src/service/personal-data/erase-orders.ts';
import { exportOrders } from '../../../src/service/personal-data/people-in-orders.ts';
import { engines } from '../../databases.ts';
import { deliveryOf } from '../delivery-runs.ts';
import { type Fixture, startFixture } from '../fixture.ts';
import { dispatchToFleet, jpeg, phone } from '../fleet/fleet.ts';
import { dump } from './person.ts';

const digits = '13125550133';
const record = async () => {};

/** The tables that still name the driver; `1933` and `0133` alone would be found in ids. */
async function tablesNaming(fixture: Fixture): Promise<string[]> {
  const texts = await dump(fixture);
  return [...texts].flatMap(([table, text]) => (/Quill|5550133/.test(text) ? [table] : []));
}

/** Addresses in the audit, by who used them. */
async function addresses(fixture: Fixture): Promise<string[]> {
  const rows = await fixture.storage.run((db) =>
    db.selectFrom('audit_entries').select(['actor', 'address']).orderBy('id').execute(),
  );
  return rows.flatMap(({ actor, address }) => (address === null ? [] : `${actor} ${address}`));
}

async function delivered(engine: keyof typeof engines) {
  const fixture = await startFixture({ location: await engines[engine]() });
  const client = fixture.client();
  await client.account.update({ body: { fleet: { per_delivery: 100, per_mile: 0, ask_pin: false } } });
  const driver = await phone(fixture, 'Quill Ana');
  const { deliveries } = await dispatchToFleet(fixture, { driver_id: driver.id });
  const [{ id } = { id: '' }] = deliveries;
  await client.deliveries.note({
    params: { deliveryid: id },
    body: { text: 'Recipient was kind', tags: [] },
  });
  return { fixture, client, driver, id };
}

async function finish({ driver, id }: Pick<Awaited<ReturnType<typeof delivered>>, 'driver' | 'id'>) {
  await driver.at(41.88, -87.63);
  await driver.tap({ kind: 'pick_up', delivery_ids: [id] });
  await driver.tap({ kind: 'deliver', delivery_ids: [id], photo: jpeg });
}

test.each(['sqlite', 'postgres'] as const)(
  'on %s an own driver is exported, and erased once nothing is under way',
  async (engine) => {
    const made = await delivered(engine);
    const { fixture, client, driver, id } = made;
    expect(await eraseDrivers(fixture.storage, { phone: digits }, record)).toMatchObject([
      { order_id: expect.stringMatching(/^ord_/), delivery_ids: [id], outcome: 'under_way' },
      { driver_id: driver.id, delivery_ids: [id], outcome: 'under_way' },
    ]);
    await finish(made);
    const before = await deliveryOf(fixture, id);
    expect(before).toMatchObject({ status: 'delivered', courier_name: 'Quill Ana' });
    const { drivers, drives } = await exportDrivers(fixture.storage, { phone: digits });
    expect(drives).toMatchObject([{ delivery_id: id, driver: { name: 'Quill Ana', phone: digits } }]);
    expect(drivers).toMatchObject([{ driver: { id: driver.id, phone: digits }, taps: expect.any(Array) }]);
    expect(JSON.stringify(drivers)).not.toContain('link_hash');
    expect(await previewDrivers(fixture.storage, { phone: digits })).toMatchObject([
      { driver_id: driver.id, name: 'Quill Ana', delivery_ids: [id], outcome: 'would_be_erased' },
      { driver_id: driver.id, delivery_ids: [], outcome: 'would_be_erased' },
    ]);

    const results = await eraseDrivers(fixture.storage, { phone: digits }, record);
    expect(results.map(({ outcome }) => outcome)).toEqual(['erased', 'erased']);
    expect(await tablesNaming(fixture)).toEqual([]);
    const after = await deliveryOf(fixture, id);
    expect(after).toMatchObject({
      ...{ status: 'delivered', courier_name: 'erased', payment_amount: before.payment_amount },
      ...{ tracking_url: before.tracking_url, dropoffs: before.dropoffs },
    });
    expect((await client.notes.list({})).data.data).toMatchObject([{ text: 'Recipient was kind' }]);
    const link = await fixture.service.fetch({
      ...{ method: 'GET', path: `/drive/${driver.token}`, headers: {}, body: '' },
    });
    expect(link.status).toBe(404);
    expect(await eraseDrivers(fixture.storage, { phone: digits }, record)).toEqual([]);
  },
);

test('a driver who was removed before is erased from what is left', async () => {
  const made = await delivered('sqlite');
  const { fixture, client, driver } = made;
  await finish(made);
  await client.drivers.delete({ params: { driver_id: driver.id } });
  expect((await tablesNaming(fixture)).length).toBeGreaterThan(0);
  const results = await eraseDrivers(fixture.storage, { phone: digits }, record);
  expect(results.map(({ outcome }) => outcome)).toEqual(['erased']);
  expect(await tablesNaming(fixture)).toEqual([]);
});

test('a driver who gave a delivery to another one is erased from its events, and the other one stays', async () => {
  const { fixture, client, driver, id } = await delivered('sqlite');
  const other = await phone(fixture, 'Second Bea');
  const changes = { params: { driver_id: other.id }, body: { phone_number: '+13125550134' } };
  await client.drivers.update(changes);
  await client.drivers.assign({ params: { driver_id: other.id }, body: { delivery_id: id } });
  expect(await exportDrivers(fixture.storage, { phone: digits })).toMatchObject({
    drives: [{ delivery_id: id, driver: { name: 'Quill Ana' } }],
  });
  await client.deliveries.edit({ params: { deliveryid: id }, body: { dropoff_notes: 'Ring twice' } });
  await finish({ driver: other, id });
  await client.drivers.delete({ params: { driver_id: driver.id } });
  // Also after the recipient was erased.
  const newToken = async () => crypto.randomUUID();
  await eraseOrders(fixture.storage, { delivery_id: id }, { newToken, record });
  expect(await eraseDrivers(fixture.storage, { phone: digits, name: 'Quill Ana' }, record)).toMatchObject([
    { delivery_ids: [id], outcome: 'erased' },
  ]);
  expect(await tablesNaming(fixture)).toEqual([]);
  expect(await deliveryOf(fixture, id)).toMatchObject({ courier_name: 'Second Bea' });
  expect((await dump(fixture)).get('events')).toContain('Second Bea');
});

test('the addresses of a recipient and of a driver go from the audit with their data, and no others', async () => {
  const made = await delivered('sqlite');
  const { fixture, id } = made;
  await finish(made);
  const entries = [
    { actor: 'recipient', record_id: id, driver_id: null, address: '192.0.2.1' },
    { actor: 'driver', record_id: id, driver_id: made.driver.id, address: '192.0.2.2' },
    { actor: 'driver', record_id: made.driver.id, driver_id: made.driver.id, address: '192.0.2.3' },
    { actor: 'key', record_id: id, driver_id: null, address: '192.0.2.4' },
    { actor: 'recipient', record_id: 'dlv_other', driver_id: null, address: '192.0.2.5' },
  ] as const;
  const [row] = await fixture.storage.run((db) =>
    db.selectFrom('audit_entries').selectAll().limit(1).execute(),
  );
  if (row === undefined) throw new Error('the audit is empty');
  await fixture.storage.run((db) =>
    db
      .insertInto('audit_entries')
      .values(entries.map((entry, index) => ({ ...row, ...entry, id: `aud_x${index}` })))
      .execute(),
  );
  const recipient = { phone: '13125550142' };
  expect(JSON.stringify(await exportOrders(fixture.storage, recipient))).toContain('192.0.2.1');
  await eraseOrders(fixture.storage, recipient, { newToken: async () => crypto.randomUUID(), record });
  expect(await addresses(fixture)).toEqual([
    ...['driver 192.0.2.2', 'driver 192.0.2.3', 'key 192.0.2.4', 'recipient 192.0.2.5'],
  ]);
  await eraseDrivers(fixture.storage, { phone: digits }, record);
  expect(await addresses(fixture)).toEqual(['key 192.0.2.4', 'recipient 192.0.2.5']);
});

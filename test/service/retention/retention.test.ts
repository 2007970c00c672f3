import { describe, expect, onTestFinished, test } from 'vitest';
import { defaultRetention } from '../../../src/domain/operator-settings.ts';
import { realTimers } from '../../../src/service/runtime/time.ts';
import { insertAuditEntry } from '../../../src/storage/accounts.ts';
import { insertReport } from '../../../src/storage/deliveries.ts';
import { insertTap } from '../../../src/storage/drivers.ts';
import { writeGeocodedPlace } from '../../../src/storage/places.ts';
import { engines } from '../../databases.ts';
import { reportsOfDelivery } from '../../storage/read-rows.ts';
import { type Fixture, orderRequest, startFixture } from '../fixture.ts';
import { dispatchedOrder } from '../route-runs.ts';

const day = 24 * 60 * 60_000;
const keep = { ...defaultRetention, events_ms: 10 * day, quotes_ms: 10 * day, reports_ms: 5 * day };

/** A service that deletes old data at once when it is started. */
async function startKeeping(location: string): Promise<Fixture> {
  const timers = {
    ...realTimers,
    after: (ms: number, wake: () => void) => realTimers.after(ms === 10 * 60_000 ? 1 : ms, wake),
  };
  const fixture = await startFixture({ location, parts: { timers, retention: keep } });
  // The service has seen its clock, and that it does not jump, from here on.
  await fixture.service.cleaner.preview();
  return fixture;
}

/** Dispatches an order, and returns what tells its data. */
async function dispatched(fixture: Fixture, external_order_ref: string) {
  const delivery = await dispatchedOrder(fixture, orderRequest({ external_order_ref }));
  return { route_id: delivery.route_id ?? '', quote_id: delivery.quote_id, delivery_id: delivery.id };
}

const eventsOf = async ({ client }: Fixture, delivery_id: string) =>
  (await client().events.list({ query: { delivery_id } })).data.data;

const quotesOf = async ({ storage }: Fixture, route_id: string) => {
  const rows = await storage.run((db) =>
    db.selectFrom('quotes').select('id').where('route_id', '=', route_id).execute(),
  );
  return rows.map(({ id }) => id);
};

describe.each(['sqlite', 'postgres'] as const)('on %s', (engine) => {
  test('what is past its time is deleted; what deliveries need, and what is younger, stays', async () => {
    const fixture = await startKeeping(await engines[engine]());
    const { client, storage } = fixture;
    const old = await dispatched(fixture, 'OLD');
    expect((await eventsOf(fixture, old.delivery_id)).length).toBeGreaterThan(0);
    expect((await quotesOf(fixture, old.route_id)).length).toBeGreaterThan(1);
    const { account_id } = (await client().account.get()).data;
    const report = {
      ...{ provider: 'uber-direct', account_id, delivery_id: old.delivery_id, status: null },
      ...{ effect: 'none' as const, occurred_at: fixture.now(), record: '{"kept":true}' },
    };
    const receive = (provider_report_id: string) => {
      const received = { ...report, provider_report_id, received_at: fixture.now(), raw: 'a body' };
      return storage.run((db) => insertReport(db, received));
    };
    await receive('r1');
    await fixture.pass(11 * day);
    fixture.passWall(11 * day);
    const young = await dispatched(fixture, 'YOUNG');
    await receive('r2');
    const before = await eventsOf(fixture, young.delivery_id);
    const tap = { driver_id: 'drv_1', kind: 'duty', outcome: 'done' as const, occurred_at: 0 };
    for (const [id, days] of [['old', 11] as const, ['young', 0] as const])
      await storage.run((db) => insertTap(db, { ...tap, id, received_at: fixture.now() - days * day }));

    fixture.service.start();
    onTestFinished(() => fixture.service.stop());
    const oldEvents = async () =>
      (await eventsOf(fixture, old.delivery_id)).filter(
        ({ created_at }) => Date.parse(created_at) < fixture.now() - keep.events_ms,
      );
    await expect.poll(oldEvents).toEqual([]);
    await expect.poll(() => quotesOf(fixture, old.route_id)).toEqual([old.quote_id]);
    await fixture.service.stop();

    expect(await eventsOf(fixture, young.delivery_id)).toEqual(before);
    expect((await quotesOf(fixture, young.route_id)).length).toBeGreaterThan(1);
    const reports = await storage.run((db) => reportsOfDelivery(db, old.delivery_id));
    expect(reports.filter(({ provider }) => provider === 'uber-direct')).toMatchObject([
      { raw: null, record: '{"kept":true}' },
      { raw: 'a body', record: '{"kept":true}' },
    ]);
    const taps = await storage.run((db) => db.selectFrom('driver_taps').select('id').execute());
    expect(taps).toEqual([{ id: 'young' }]);
    const { data } = await client().deliveries.get({ params: { deliveryid: old.delivery_id } });
    expect(data).toMatchObject({ external_order_ref: 'OLD', quote_id: old.quote_id });
    expect(fixture.faults).toEqual([]);
  });

  test('reports of a sandbox whose clock is ahead do not keep those of live mode', async () => {
    const fixture = await startKeeping(await engines[engine]());
    const { client, storage } = fixture;
    await client().clock.advance({ body: { by: 300 * 24 * 60 * 60 } });
    const { delivery_id } = await dispatched(fixture, 'AHEAD');
    await client().clock.advance({ body: { by: 60 * 60 } });
    expect((await storage.run((db) => reportsOfDelivery(db, delivery_id))).length).toBeGreaterThan(0);
    const { account_id } = (await client().account.get()).data;
    const live_id = delivery_id.replace(/.$/, '!');
    const received = {
      ...{
        provider: 'uber-direct',
        provider_report_id: 'r1',
        account_id,
        delivery_id: live_id,
        status: null,
      },
      ...{
        effect: 'none' as const,
        occurred_at: fixture.now(),
        received_at: fixture.now(),
        record: null,
        raw: 'a body',
      },
    };
    await storage.run((db) => insertReport(db, received));
    fixture.passWall(11 * day);
    await fixture.service.cleaner.clean();
    expect(await storage.run((db) => reportsOfDelivery(db, live_id))).toMatchObject([{ raw: null }]);
    expect(fixture.faults).toEqual([]);
  });

  test('an event that an endpoint is still to receive is kept', async () => {
    const fixture = await startKeeping(await engines[engine]());
    const { client, storage } = fixture;
    await client().webhooks.create({
      body: { url: 'https://shop.example/hooks', events: ['delivery.created'] },
    });
    const { delivery_id } = await dispatched(fixture, 'WAITING');
    await fixture.pass(11 * day);
    fixture.passWall(11 * day);
    const oldTypes = async () => {
      const before = fixture.now() - keep.events_ms;
      const old = (await eventsOf(fixture, delivery_id)).filter(
        (each) => Date.parse(each.created_at) < before,
      );
      return new Set(old.map(({ type }) => type));
    };
    expect((await oldTypes()).size).toBeGreaterThan(1);
    // The endpoint does not respond: its queue stays as it is.
    const stalled = { due_at: fixture.now() + 20 * day, status: 'pending' } as const;
    await storage.run((db) => db.updateTable('webhook_messages').set(stalled).execute());
    fixture.service.start();
    onTestFinished(() => fixture.service.stop());
    await expect.poll(oldTypes).toEqual(new Set(['delivery.created']));
  });

  test('old entries of the audit trail are deleted in batches', async () => {
    const fixture = await startKeeping(await engines[engine]());
    const { storage } = fixture;
    const { account_id } = (await fixture.client().account.update({ body: { tip_limit: 500 } })).data;
    const entry = {
      ...({ account_id, test_mode: 1, key_id: 'key_1', key_last_four: 'abcd' } as const),
      ...({ actor: 'key', actor_name: null, driver_id: null, detail: null } as const),
      ...{ operation: 'UpdateAccount', record_id: null, address: null, created_at: 0 },
    };
    await storage.transaction(async (db) => {
      for (let number = 0; number < 1_200; number++) {
        await insertAuditEntry(db, { ...entry, id: `aud_${String(number).padStart(26, '0')}` });
      }
    });
    fixture.passWall(3 * day);
    fixture.service.start();
    onTestFinished(() => fixture.service.stop());
    const left = () => storage.run((db) => db.selectFrom('audit_entries').select('created_at').execute());
    await expect.poll(async () => (await left()).length).toBe(1);
    expect((await left())[0]?.created_at).toBeGreaterThan(0);
  });
});

test('answers of the geocoder are deleted after a year', async () => {
  const fixture = await startKeeping(':memory:');
  const { storage, service } = fixture;
  const write = (address: string) =>
    storage.write((db) =>
      writeGeocodedPlace(db, { address, geocoder: 'census', found: '{}', found_at: fixture.now() }),
    );
  await write('old');
  await fixture.pass(366 * day);
  fixture.passWall(366 * day);
  await write('new');
  service.start();
  onTestFinished(() => service.stop());
  const addresses = async () => {
    const rows = await storage.read((db) => db.selectFrom('geocoded_places').select('address').execute());
    return rows.map(({ address }) => address);
  };
  await expect.poll(addresses).toEqual(['new']);
});

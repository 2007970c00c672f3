import { expect, test } from 'vitest';
import { searchWordsOf } from '../../../src/domain/search-text.ts';
import { findAccount, writeAccountSettings } from '../../../src/storage/accounts.ts';
import type { Flag, Scope } from '../../../src/storage/database.ts';
import { deliveryById, listDeliveries } from '../../../src/storage/deliveries.ts';
import { listDisputes } from '../../../src/storage/disputes.ts';
import { eventsBetween } from '../../../src/storage/events.ts';
import { deliveryLife } from '../../../src/storage/migrations/delivery-life.ts';
import type { ColumnTypes } from '../../../src/storage/migrations/first-schema.ts';
import { openStorage } from '../../../src/storage/open-storage.ts';
import { listOrders } from '../../../src/storage/orders.ts';
import { readSetting } from '../../../src/storage/settings.ts';
import { dueTasks } from '../../../src/storage/tasks.ts';
import { insertWebhookEndpoint } from '../../../src/storage/webhook-endpoints.ts';
import { noon, otherMode, scope } from '../records.ts';
import { failed, record, version1Statements } from '../version-1.ts';
import { version3Statements } from '../version-3.ts';
import { endpoint, numberedEvent, waitingMessages, writeAndQueue } from '../webhook-records.ts';

/** Tests that a database of version 1 is migrated with its data. */
export function upgradeSuite(
  types: ColumnTypes,
  /** Creates a database of a version by statements, and returns its location. */
  newDatabase: (version: number, statements: readonly string[]) => Promise<string>,
): void {
  test('a database of version 1 is brought up to date when it is opened, and its deliveries with it', async () => {
    const location = await newDatabase(1, version1Statements(types));
    await (await openStorage(location)).close();
    const storage = await openStorage(location);
    const found = await storage.first(deliveryById, 'dlv_1', 'acct_a', 1);
    expect(found).toMatchObject({
      tracking_token: 'secret',
      dropoff_eta: noon + 1_800_000,
      ended_at: null,
    });
    expect(JSON.parse(found?.record ?? '')).toEqual({ ...record, ...untold, failure_message: '' });
    const other = await storage.first(deliveryById, 'dlv_2', 'acct_a', 1);
    expect(other).toMatchObject({ tracking_token: 'another', ended_at: noon + 5 });
    expect(JSON.parse(other?.record ?? '')).toEqual({
      ...{ ...failed, ...untold },
      ...{ failure_reason: 'provider_refused', failure_message: 'refused' },
    });
    const list = async (filter: object) => {
      const page = await storage.run((db) => listDeliveries(db, { ...scope, limit: 9, ...filter }));
      return page.rows.map(({ id }) => id);
    };
    expect(await list({ late_at: noon + 3_600_000 })).toEqual(['dlv_1']);
    await storage.close();
  });

  test('the orders of an older database are found by their words', async () => {
    const names = ['Éclair & Sœurs', 'Zoë "Z" O\'Neil'];
    const rows = names.map((name, number) => {
      const end = { address: '43 E Ohio St', name, phone: '13125550142', unit: '', notes: '' };
      const content = JSON.stringify({
        pickup: end,
        dropoff: end,
        items: [{ name: 'Pie' }],
        items_description: '',
      });
      return `('ord_${number}', 'acct_a', 1, 'open', '#10${number}', '${content.replaceAll("'", "''")}', ${noon}, ${noon})`;
    });
    const location = await newDatabase(3, [
      ...version3Statements(types),
      `insert into orders (id, account_id, test_mode, status, external_order_ref, record, created_at, updated_at)
      values ${rows.join(', ')}`,
    ]);
    const storage = await openStorage(location);
    const found = async (text: string) => {
      const query = { ...scope, limit: 9, words: searchWordsOf(text) };
      const { rows } = await storage.run((db) => listOrders(db, query));
      return rows.map(({ id }) => id);
    };
    expect(await found('oneil')).toEqual(['ord_1']);
    expect(await found('soeurs 0142')).toEqual(['ord_0']);
    expect(await found('pie ohio')).toEqual(['ord_1', 'ord_0']);
    expect(await found('#100')).toEqual(['ord_0']);
    await storage.close();
  });

  test.each([
    ['payment_declined', 'failed', 'payment_declined', 'the payment was declined'],
    ['the provider did not answer', 'failed', 'provider_unreachable', 'the provider did not answer'],
    ['The recipient refused the parcel', 'returned', 'recipient_refused', 'The recipient refused the parcel'],
    ['gate locked', 'enroute_to_return', 'handover_failed', 'gate locked'],
  ])(
    'the failure "%s" of a %s delivery becomes a code and a message',
    async (reason, status, code, message) => {
      const given = types.json_with('record', { failure_reason: `'${reason}'` });
      const location = await newDatabase(1, [
        ...version1Statements(types),
        `update deliveries set status = '${status}', record = ${given} where id = 'dlv_2'`,
      ]);
      const storage = await openStorage(location);
      const row = await storage.first(deliveryById, 'dlv_2', 'acct_a', 1);
      expect(JSON.parse(row?.record ?? '')).toMatchObject({ failure_reason: code, failure_message: message });
      await storage.close();
    },
  );

  test('a delivery that was disputed before has an open dispute', async () => {
    const given = types.json_with('record', { dispute_reason: "'It never came'" });
    const location = await newDatabase(2, [
      ...version1Statements(types),
      ...deliveryLife(types),
      `update deliveries set status = 'disputed', updated_at = ${noon}, record = ${given} where id = 'dlv_2'`,
    ]);
    const storage = await openStorage(location);
    const page = await storage.run((db) => listDisputes(db, { ...scope, limit: 9 }));
    expect(page.rows).toEqual([
      {
        ...{ id: 'dlv_2', account_id: 'acct_a', test_mode: 1, reason: 'It never came', outcome: null },
        ...{ amount: 0, note: '', created_at: noon, resolved_at: null },
      },
    ]);
    await storage.close();
  });

  test('a database of version 3 keeps its events, which can be followed and sent', async () => {
    const location = await newDatabase(3, version3Statements(types));
    await (await openStorage(location)).close();
    const storage = await openStorage(location);
    const follow = () =>
      storage.run((db) => {
        const types = ['delivery.created', 'delivery.updated'] as const;
        return eventsBetween(db, { ...scope, position: 0, limit: 9, types, until: 99 });
      });
    const before = await follow();
    expect(before.map(({ id, data }) => [id, data])).toEqual([
      ['evt_1', '{"dropoff_name":"Zoë"}'],
      ['evt_2', '{"dropoff_name":"Zoë"}'],
    ]);
    await storage.run((db) => insertWebhookEndpoint(db, endpoint(1)));
    await storage.transaction((db) => writeAndQueue(db, [numberedEvent(3)]));
    const after = await follow();
    expect(after.slice(0, 2)).toEqual(before);
    expect(after.map(({ id }) => id)).toEqual(['evt_1', 'evt_2', 'evt_3']);
    expect(await storage.run((db) => waitingMessages(db))).toEqual([['evt_3', 'pending', 'dlv_1', 3]]);
    await storage.close();
  });

  test('an event of an order without a delivery is found by the order', async () => {
    const event = (type: string, number: number, delivery_id: string) =>
      `insert into events (id, account_id, test_mode, type, delivery_id, data, created_at)
      values ('evt_${number}0', 'acct_a', 1, '${type}', ${delivery_id}, '{"id":"ord_${number}"}', ${noon})`;
    const location = await newDatabase(3, [
      ...version3Statements(types),
      event('order.canceled', 1, 'null'),
      event('order.failed', 2, "'dlv_2'"),
      event('batch.completed', 3, 'null'),
    ]);
    const storage = await openStorage(location);
    const found = await storage.run((db) =>
      db.selectFrom('events').select(['id', 'order_id']).where('order_id', 'is not', null).execute(),
    );
    expect(found).toEqual([{ id: 'evt_10', order_id: 'ord_1' }]);
    await storage.close();
  });

  test('the settings that both modes of an account shared become those of each', async () => {
    const shared = '{"upsell":{"kind":"fixed","value":5}}';
    const location = await newDatabase(3, [
      ...version3Statements(types),
      `update accounts set settings = '${shared}'`,
    ]);
    const storage = await openStorage(location);
    const settingsOf = async (mode: Scope) => (await storage.run((db) => findAccount(db, mode)))?.settings;
    expect([await settingsOf(scope), await settingsOf(otherMode)]).toEqual([shared, shared]);
    await storage.run((db) => writeAccountSettings(db, scope, '{}'));
    expect([await settingsOf(scope), await settingsOf(otherMode)]).toEqual(['{}', shared]);
    await storage.close();
  });

  test('the work and the seed that both modes shared become those of each', async () => {
    const batch = (id: string, test_mode: Flag) =>
      `insert into batches (id, account_id, test_mode, status, order_count, settings, created_at, updated_at)
      values ('${id}', 'acct_a', ${test_mode}, 'processing', 1, '{}', ${noon}, ${noon})`;
    const task = (subject: string) =>
      `insert into tasks (id, kind, subject, due_at, payload)
      values ('tsk of ${subject}', 'batch.close', '${subject}', ${noon}, '{}')`;
    const location = await newDatabase(3, [
      ...version3Statements(types),
      ...[batch('bat_live', 0), batch('bat_test', 1)],
      ...['bat_test', 'bat_live', 'gone'].map(task),
      "insert into settings (key, value) values ('seed', 'seven')",
    ]);
    const storage = await openStorage(location);
    const dueIn = async (test_mode: Flag) => {
      const rows = await storage.run((db) => dueTasks(db, { test_mode, now: noon, limit: 9 }));
      return rows.map(({ subject }) => subject);
    };
    expect([await dueIn(1), await dueIn(0)]).toEqual([['bat_test', 'gone'], ['bat_live']]);
    const seeds = ['test_seed', 'live_seed', 'seed'].map((name) =>
      storage.run((db) => readSetting(db, name)),
    );
    expect(await Promise.all(seeds)).toEqual(['seven', 'seven', null]);
    await storage.close();
  });
}

/** The fields that a current delivery has in addition. */
const untold = {
  store_id: null,
  cost_of_delivery: 853,
  fee: 853,
  upsell: null,
  subsidized: null,
  dispute_reason: null,
  driver: null,
  way: [],
  proof: [],
  signature: null,
  reported_at: 0,
  event_count: 0,
};

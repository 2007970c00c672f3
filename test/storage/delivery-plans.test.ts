import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import type { DeliveryRow } from '../../src/storage/database.ts';
import { type DeliveryQuery, insertDeliveries, listDeliveries } from '../../src/storage/deliveries.ts';
import { sqliteBuilder } from '../../src/storage/sqlite-driver.ts';
import { openStorage } from '../../src/storage/storage.ts';
import { temporaryFolder } from './folder.ts';
import { delivery, insertAccounts, noon, scope } from './records.ts';

type Filter = Omit<DeliveryQuery, 'account_id' | 'test_mode' | 'limit'>;

/** How SQLite tells that it searches an index: `deliveries_status (account_id=? AND test_mode=? AND status=?)`. */
const search = (index: string, ...columns: string[]) =>
  `deliveries_${index} (${['account_id=?', 'test_mode=?', ...columns].join(' AND ')})`;
const byPhone = (...more: string[]) =>
  ['pickup', 'dropoff'].map((end) => search(end, `${end}_phone=?`, ...more));
const byBeginning = ['pickup_name', 'dropoff_name', 'pickup_place', 'dropoff_place'].map((column) =>
  search(column, `${column}>?`, `${column}<?`),
);
const byEta = [search('due', 'dropoff_eta<?')];
const byStatus = [search('status', 'status=?')];

test.each<[string, Filter, string[]]>([
  ['no filter', {}, [search('newest')]],
  ['a page far back', { after_id: 'dlv_5' }, [search('newest', 'id<?')]],
  ['a time', { created_after: noon }, [search('newest', 'id>?')]],
  ['a span of time', { created_after: noon, created_before: noon + 9 }, [search('newest', 'id>?', 'id<?')]],
  ['a status', { status: 'failed' }, byStatus],
  ['some statuses', { status: ['failed', 'request'] }, [...byStatus, ...byStatus]],
  ['a status, far back', { status: 'failed', after_id: 'dlv_5' }, [search('status', 'status=?', 'id<?')]],
  [
    'a status within a span of time',
    { status: 'failed', created_after: noon, created_before: noon + 9 },
    [search('status', 'status=?', 'id>?', 'id<?')],
  ],
  ['a reference', { external_order_ref: 'A-1' }, [search('reference', 'external_order_ref=?')]],
  ['a service', { service: 'swiftly' }, [search('service', 'service=?')]],
  ['a phone', { phone: '1' }, byPhone()],
  ['a phone, far back', { phone: '1', after_id: 'dlv_5' }, byPhone('id<?')],
  ['a beginning', { starts_with: 'an' }, byBeginning],
  ['a beginning, far back', { starts_with: 'an', after_id: 'dlv_5' }, byBeginning],
  [
    'a beginning within a span of time',
    { starts_with: 'a', created_after: 0, created_before: noon },
    byBeginning,
  ],
  ['the late', { late_at: noon }, byEta],
  ['the late, far back', { late_at: noon, after_id: 'dlv_5', created_after: noon }, byEta],
  ['the unchanged', { unchanged_since: noon }, [search('changed', 'updated_at<?')]],
])('%s: one statement, by an index of its own', async (_what, filter, expected) => {
  const { plans } = await planned([], filter);
  expect(plans).toEqual([expected.toSorted()]);
});

const many = (change: (number: number) => Partial<DeliveryRow>) =>
  Array.from({ length: 1_100 }, (_, number) => delivery(number, change(number)));
const ended = { status: 'delivered', ended_at: noon } as const;

test.each<[string, DeliveryRow[], Filter, string[]]>([
  [
    'a rare beginning before a status',
    many(() => ended),
    { status: 'delivered', starts_with: 'x' },
    byBeginning,
  ],
  ['a rare status before a beginning', many(() => ended), { status: 'failed', starts_with: 'd' }, byStatus],
  ['the few late before a phone', many(() => ended), { phone: '13125550100', late_at: noon * 2 }, byEta],
  ['a rare phone before the late', many(() => ({})), { phone: '7', late_at: noon * 2 }, byPhone()],
  [
    'of two that are common the one in order of age',
    many(() => ({})),
    { late_at: noon * 2, starts_with: 'pizza', status: 'delivery_created' },
    byStatus,
  ],
  [
    'a reference before all others',
    many(() => ({ external_order_ref: 'A-1' })),
    {
      ...{ external_order_ref: 'B-1', phone: '13125550100', service: 'swiftly', status: 'delivery_created' },
      ...{ starts_with: 'pizza', late_at: noon * 2, unchanged_since: noon * 2, created_after: 0 },
    },
    [search('reference', 'external_order_ref=?', 'id>?')],
  ],
])('%s: the narrowest filter leads', async (_what, rows, filter, expected) => {
  const { plans } = await planned(rows, filter);
  expect(plans).toHaveLength(2);
  expect(plans.at(-1)).toEqual(expected.toSorted());
});

/** Which searches of indexes a list makes, by statement. Every statement reads the rows themselves by their ids. */
async function planned(rows: readonly DeliveryRow[], filter: Filter): Promise<{ plans: string[][] }> {
  const file = join(temporaryFolder(), 'waybill.db');
  const storage = await openStorage(file);
  await storage.run(async (db) => {
    await insertAccounts(db);
    await insertDeliveries(db, rows);
  });
  await storage.close();
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  const prepare = database.prepare.bind(database);
  const statements: string[] = [];
  database.prepare = (statement) => {
    statements.push(statement);
    return prepare(statement);
  };
  await listDeliveries(sqliteBuilder(database), { ...scope, limit: 20, ...filter });
  const plans = statements.map((statement) => {
    const steps = prepare(`explain query plan ${statement}`).all();
    return steps.map(({ detail }) => String(detail));
  });
  expect(plans.flat().filter((step) => /^SCAN deliveries/.test(step))).toEqual([]);
  expect(plans.at(-1)?.[0]).toBe('SEARCH deliveries USING INDEX sqlite_autoindex_deliveries_1 (id=?)');
  return { plans: plans.map((steps) => steps.slice(1).flatMap(searched).sort()) };
}

function searched(step: string): string[] {
  const found = /^SEARCH deliveries USING (?:COVERING )?INDEX (.*)/.exec(step)?.[1];
  return found === undefined ? [] : [found];
}

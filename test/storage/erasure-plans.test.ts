import { expect, test } from 'vitest';
import { insertOrders } from '../../src/storage/orders.ts';
import {
  deleteBesidesOrder,
  endedDeliveries,
  endedOrders,
  readKeptOfOrder,
  writeKeptOfOrder,
} from '../../src/storage/personal-data.ts';
import { planning } from './planning.ts';
import { insertAccounts, order } from './records.ts';

test('ended records that are not erased are found by their own indexes', async () => {
  const { db, plan } = await planning();
  const query = { test_mode: 1, before: 2, after: null, limit: 3 } as const;
  await endedDeliveries(db, query);
  expect(plan()).toMatch(/INDEX deliveries_ended \(test_mode=\? AND/);
  await endedOrders(db, query);
  expect(plan()).toMatch(/INDEX orders_ended \(test_mode=\? AND/);
  expect(plan()).not.toContain('TEMP B-TREE');
});

test('no table that grows is read whole for one order', async () => {
  const { db, plans } = await planning();
  await insertAccounts(db);
  await insertOrders(db, [order(1, { route_id: 'rte_1' })]);
  const before = plans().length;
  const kept = await readKeptOfOrder(db, order(1).id);
  if (kept === null) throw new Error('the order is missing');
  const some = {
    ...kept,
    routes: [{ id: 'rte_1', order_ids: '[]', stops: '[]' }],
    plans: [{ id: 'drv_1', plan: '[]' }],
    events: [{ position: 1, id: 'evt_1', data: '{}' }],
    reports: [{ sequence: 1, record: '{}' }],
    disputes: [{ id: 'dlv_1', reason: '', note: '' }],
  };
  await writeKeptOfOrder(db, some, some);
  await deleteBesidesOrder(db, some, { pictures: true });
  const used = plans().slice(before);
  expect(used.length).toBeGreaterThan(15);
  // What was given up is a short list.
  const whole = used.flatMap((each) => each.match(/SCAN [a-z_]+/g) ?? []);
  expect(whole).toEqual(['SCAN failed_tasks']);
});

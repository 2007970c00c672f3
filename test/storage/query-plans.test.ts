import { expect, test } from 'vitest';
import { deleteOldAuditEntries, listAuditEntries } from '../../src/storage/accounts.ts';
import { knownReports, listCharges } from '../../src/storage/deliveries.ts';
import {
  type EventQuery,
  eventsBetween,
  firstSince,
  insertEvent,
  listEvents,
  positionBefore,
} from '../../src/storage/events.ts';
import { insertOrders } from '../../src/storage/orders.ts';
import {
  deleteBesidesOrder,
  endedDeliveries,
  endedOrders,
  readKeptOfOrder,
  writeKeptOfOrder,
} from '../../src/storage/personal-data.ts';
import { planning } from './planning.ts';
import { noon, order, scope } from './records.ts';
import { numberedEvent } from './webhook-records.ts';

const page = { ...scope, limit: 20 } as const;

test('audit entries are found by the order of their account or the index of their record', async () => {
  const { db, plan } = await planning();
  await listAuditEntries(db, { ...page, created_after: 1 });
  expect(plan()).toContain('USING INDEX audit_entries_scope (account_id=? AND test_mode=? AND id>?)');
  await listAuditEntries(db, { ...page, record_ids: ['dlv_1'], operations: ['CancelDelivery'] });
  expect(plan()).toContain('USING INDEX audit_entries_record (record_id=?)');
});

test('old audit entries are found by their id', async () => {
  const { db, plan } = await planning();
  await deleteOldAuditEntries(db, { created_before: 1, limit: 10 });
  expect(plan()).toContain('(id<?)');
});

test('charges are found by the delivery’s index, the account’s order, or the index of rare kinds', async () => {
  const { db, plan } = await planning();
  await listCharges(db, page);
  expect(plan()).toContain('USING INDEX charges_newest (account_id=? AND test_mode=?)');
  await listCharges(db, { ...page, delivery_id: 'dlv_1', created_after: 1 });
  expect(plan()).toContain('USING INDEX charges_delivery (delivery_id=? AND id>?)');
  await listCharges(db, { ...page, kind: 'return', created_after: 1 });
  expect(plan()).toContain('USING INDEX charges_kind (account_id=? AND test_mode=? AND kind=? AND id>?)');
  await listCharges(db, { ...page, kind: 'delivery' });
  expect(plan()).toContain('USING INDEX charges_newest (account_id=? AND test_mode=?)');
  await listCharges(db, { ...page, kind: 'return', delivery_id: 'dlv_1' });
  expect(plan()).toContain('USING INDEX charges_delivery (delivery_id=?)');
});

// A delivery gets many reports, and each is looked up before it is recorded.
test('received reports are found by the index of their delivery', async () => {
  const { db, plan } = await planning();
  const reports = [
    { delivery_id: 'dlv_1', provider: 'simulated_one', provider_report_id: 'r1' },
    { delivery_id: 'dlv_2', provider: 'simulated_two', provider_report_id: 'r2' },
  ];
  expect(await knownReports(db, reports)).toEqual([]);
  expect(plan()).toMatch(/SEARCH reports USING INDEX reports_delivery \(delivery_id=\?\)/);
});

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

const followed = {
  ...page,
  position: 1,
  until: 1_000_000,
  types: ['order.failed', 'delivery.updated'],
} as const;

/** Matches the search of an index, covering or not. */
const found = (index: string) => new RegExp(`USING (COVERING )?INDEX ${index.replace(/[()?]/g, '\\$&')}`);
const within = '(account_id=? AND test_mode=?';

test('events of a delivery and of a batch are found by their indexes, those of an account by order', async () => {
  const { db, plan } = await planning();
  const since = 1_700_000_000_000;
  for (const [narrow, index] of [
    [{}, 'events_newest (account_id=? AND test_mode=?'],
    [{ delivery_id: 'dlv_1', since }, 'events_delivery (delivery_id=?'],
    [{ batch_id: 'bat_1', since }, 'events_batch (batch_id=?'],
  ] as const) {
    await listEvents(db, { ...page, ...narrow });
    expect(plan()).toMatch(found(index));
    await eventsBetween(db, { ...followed, ...narrow });
    expect(plan()).toMatch(found(index));
  }
});

test('recent events are found by time, and each of several rare types by its own index', async () => {
  const { db, plan } = await planning();
  await listEvents(db, { ...page, since: noon });
  expect(plan()).toMatch(found(`events_time ${within} AND created_at>?)`));
  expect(plan()).toMatch(found(`events_newest ${within} AND position>?)`));
  const types = ['order.failed', 'order.unfulfilled'] as const;
  await listEvents(db, { ...page, types });
  expect(plan().match(/SEARCH events USING COVERING INDEX events_type/g)).toHaveLength(types.length);
  await listEvents(db, { ...page, types: ['delivery.updated'] });
  expect(plan()).toMatch(found(`events_newest ${within})`));
  await eventsBetween(db, { ...followed, types: ['order.failed'] });
  expect(plan()).toMatch(found(`events_type ${within} AND type=? AND position>?`));
  await insertEvent(db, numberedEvent(1));
  await positionBefore(db, scope, noon);
  expect(plan()).toMatch(found(`events_time ${within} AND created_at>?)`));
});

test('however many events there are since, the newest fill the pages', async () => {
  const { db } = await planning();
  const count = 1_002;
  // One per second, except the first, which is later than all of them.
  for (let number = 1; number <= count; number += 1) {
    await insertEvent(
      db,
      numberedEvent(number, { created_at: noon + (number === 1 ? 2_000 : number) * 1_000 }),
    );
  }
  const listed = async (query: Partial<EventQuery>) => {
    const { rows, has_more } = await listEvents(db, { ...scope, limit: 2, ...query });
    return [...rows.map(({ sequence }) => sequence), ...(has_more ? ['more'] : [])];
  };
  const position = async (since: number) =>
    (await firstSince(db, scope, since).executeTakeFirstOrThrow()).position;
  for (const [since_seconds, first, expected] of [
    [2, 0, [1_002, 1_001, 'more']],
    [3, 0, [1_002, 1_001, 'more']],
    [4, 1, [1_002, 1_001, 'more']],
    [1_001, 1, [1_002, 1_001, 'more']],
    [1_002, 1, [1_002, 1]],
    [2_000, 1, [1]],
    [2_001, null, []],
  ] as const) {
    const since = noon + since_seconds * 1_000;
    expect(await position(since)).toBe(first);
    expect(await listed({ since })).toEqual(expected);
    expect(await listed({ since, types: ['order.failed', 'delivery.updated'] })).toEqual(expected);
  }
  expect(await listed({ since: noon + 2_000, after_id: 'evt_3' })).toEqual([2, 1]);
});

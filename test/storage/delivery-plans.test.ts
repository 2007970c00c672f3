import { expect, test } from 'vitest';
import { readSearchWords } from '../../src/domain/search-text.ts';
import type { DeliveryRow } from '../../src/storage/database.ts';
import { insertDeliveries, listDeliveries } from '../../src/storage/deliveries.ts';
import { type DeliveryQuery, idsUnderWay } from '../../src/storage/delivery-queries.ts';
import { planning } from './planning.ts';
import { delivery, insertAccounts, noon, scope } from './records.ts';

type Filter = Omit<DeliveryQuery, 'account_id' | 'test_mode' | 'limit'>;

/** SQLite's plan for an index search: `deliveries_status (account_id=? AND test_mode=? AND status=?)`. */
const search = (index: string, ...columns: string[]) =>
  `deliveries_${index} (${['account_id=?', 'test_mode=?', ...columns].join(' AND ')})`;
const byPhone = (...more: string[]) =>
  ['pickup', 'dropoff'].map((end) => search(end, `${end}_phone=?`, ...more));
const byEta = [search('due', '<expr><?')];
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
  ['a store', { store_id: 'str_1' }, [search('store', 'store_id=?')]],
  ['a phone', { phone: '1' }, byPhone()],
  ['a phone, far back', { phone: '1', after_id: 'dlv_5' }, byPhone('id<?')],
  ['an order', { found_by: { column: 'order_id', value: 'ord_1' } }, ['deliveries_order (order_id=?)']],
  [
    'a route, far back',
    { found_by: { column: 'route_id', value: 'rte_1' }, after_id: 'dlv_5' },
    ['deliveries_route (route_id=? AND id<?)'],
  ],
  [
    'a tracking link',
    { found_by: { column: 'tracking_token', value: 'token' } },
    ['deliveries_tracking (tracking_token=?)'],
  ],
  [
    'a part of an id',
    { id_part: '0042' },
    ['deliveries_id_end (<expr>=?)', 'sqlite_autoindex_deliveries_1 (id>? AND id<?)'],
  ],
  ['the late', { late_at: noon }, byEta],
  ['the late, far back', { late_at: noon, after_id: 'dlv_5', created_after: noon }, byEta],
  ['the overdue', { report_due_by: noon }, [search('changed', 'updated_at<?')]],
  ['the unchanged', { unchanged_since: noon }, [search('changed', 'updated_at<?')]],
])('%s: one statement, by an index of its own', async (_what, filter, expected) => {
  const plansOf = await planner([]);
  expect(await plansOf(filter)).toEqual([expected.toSorted()]);
});

test('the deliveries of a provider that are under way are found by an index of those', async () => {
  const { db, plan } = await planning();
  await idsUnderWay(db, scope, 'swiftly');
  expect(plan()).toMatch(/SEARCH deliveries USING (COVERING )?INDEX deliveries_(due|changed) /);
});

test('a search reads the index of words from its newest row, and sorts no more than a page', async () => {
  const { db, plans } = await planning();
  for (const text of ['chicago', 'chicago 60606', '5550142']) {
    await listDeliveries(db, { ...scope, limit: 20, words: readSearchWords(text) });
    const steps: { parent: number; detail: string }[] = JSON.parse(plans().at(-1) ?? '[]');
    const [parent] = steps.flatMap((step) =>
      step.detail.startsWith('SCAN search_index') ? step.parent : [],
    );
    const beside = steps.filter((step) => step.parent === parent).map(({ detail }) => detail);
    expect(beside.at(0)).toMatch(/^SCAN search_index VIRTUAL TABLE/);
    expect(beside.filter((detail) => detail.includes('TEMP B-TREE'))).toEqual([]);
  }
});

/** Each filter with a frequent value, a rare one, and its index. */
const filters: { common: Filter; rare: Filter; index: readonly string[] }[] = [
  {
    common: { external_order_ref: 'A-1' },
    rare: { external_order_ref: 'B-1' },
    index: [search('reference', 'external_order_ref=?')],
  },
  { common: { phone: '13125550100' }, rare: { phone: '7' }, index: byPhone() },
  { common: { service: 'swiftly' }, rare: { service: 'haulvan' }, index: [search('service', 'service=?')] },
  { common: { status: 'enroute_dropoff' }, rare: { status: 'failed' }, index: byStatus },
  { common: { late_at: noon * 2 }, rare: { late_at: noon }, index: byEta },
  {
    common: { unchanged_since: noon * 2 },
    rare: { unchanged_since: noon - 1 },
    index: [search('changed', 'updated_at<?')],
  },
];
const many = Array.from({ length: 1_100 }, (_, number) =>
  delivery(number, { external_order_ref: 'A-1', status: 'enroute_dropoff' }),
);

test('of two filters the more selective leads; if many rows match both, the order by age does', async () => {
  const plansOf = await planner(many);
  for (const [first, { rare, common, index }] of filters.entries()) {
    for (const [second, other] of filters.entries()) {
      if (first === second) continue;
      const narrow = { ...other.common, ...rare };
      expect((await plansOf(narrow)).at(-1), JSON.stringify(narrow)).toEqual(index.toSorted());
      const wide = { ...common, ...other.common };
      const wanted = filters[Math.min(first, second)]?.index ?? [];
      expect((await plansOf(wide)).at(-1), JSON.stringify(wide)).toEqual(wanted.toSorted());
    }
  }
});

test('a time bounds the leading index, or the order if no filter leads', async () => {
  const plansOf = await planner(many);
  const all = Object.assign({}, ...filters.map(({ common }) => common));
  const plans = await plansOf({ ...all, external_order_ref: 'B-1', created_after: 0 });
  expect(plans.at(-1)).toEqual([search('reference', 'external_order_ref=?', 'id>?')]);
});

/** Returns the index searches of a list, by statement. Every page is read by id, and no list reads all rows. */
async function planner(rows: readonly DeliveryRow[]): Promise<(filter: Filter) => Promise<string[][]>> {
  const { again, plans } = await planning(async (filled) => {
    await insertAccounts(filled);
    await insertDeliveries(filled, rows);
  });
  return async (filter) => {
    const before = plans().length;
    await listDeliveries(again(), { ...scope, limit: 20, ...filter });
    const steps = plans().slice(before).map(detailsOf);
    expect(steps.flat().filter((step) => /^SCAN deliveries/.test(step))).toEqual([]);
    expect(steps.at(-1)?.[0]).toBe('SEARCH deliveries USING INDEX sqlite_autoindex_deliveries_1 (id=?)');
    return steps.map((each) => each.slice(1).flatMap(searched).sort());
  };
}

function detailsOf(plan: string): string[] {
  const steps: { detail: string }[] = JSON.parse(plan);
  return steps.map(({ detail }) => detail);
}

function searched(step: string): string[] {
  const found = /^SEARCH deliveries USING (?:COVERING )?INDEX (.*)/.exec(step)?.[1];
  return found === undefined ? [] : [found];
}

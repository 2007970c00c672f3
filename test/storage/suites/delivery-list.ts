import { expect, test } from 'vitest';
import type { DeliveryRow } from '../../../src/storage/database.ts';
import { insertDeliveries, listDeliveries } from '../../../src/storage/deliveries.ts';
import type { DeliveryQuery } from '../../../src/storage/delivery-filters.ts';
import { delivery, noon, otherAccount, otherMode, scope } from '../records.ts';
import type { FreshDatabase, FreshStorage } from '../suite.ts';

type Filter = Omit<DeliveryQuery, 'account_id' | 'test_mode' | 'limit'>;

export function deliveryListSuite(fresh: FreshStorage): void {
  test('deliveries are found by how a name or an address of either end begins', async () => {
    const { db } = await fresh();
    const [first, second, third, fourth] = [
      delivery(1, { pickup_name: 'ann’s deli', dropoff_name: 'anna', pickup_place: 'ann st 1' }),
      delivery(2, { dropoff_name: 'zoë annan' }),
      delivery(3, { dropoff_place: 'ann arbor rd 5, plymouth, mi 48170, usa' }),
      delivery(4, { pickup_place: 'éclair way 2', dropoff_name: 'anna' }),
    ];
    const rows = [first, second, third, fourth];
    await insertDeliveries(db, rows);
    await insertDeliveries(db, [delivery(5, { ...otherMode, dropoff_name: 'anna' })]);
    await insertDeliveries(db, [delivery(6, { ...otherAccount, dropoff_name: 'anna' })]);
    const list = async (starts_with: string, more: Filter = {}) =>
      (await listDeliveries(db, { ...scope, limit: 9, starts_with, ...more })).rows;
    expect(await list('ann')).toEqual([fourth, third, first]);
    expect(await list('Anna')).toEqual([fourth, first]);
    expect(await list('ZOË A')).toEqual([second]);
    expect(await list('ÉCL')).toEqual([fourth]);
    expect(await list('annan')).toEqual([]);
    expect(await list('')).toEqual(rows.toReversed());
    expect(await list('ann', { after_id: fourth.id })).toEqual([third, first]);
    expect(await listDeliveries(db, { ...scope, limit: 2, starts_with: 'ann' })).toEqual({
      rows: [fourth, third],
      has_more: true,
    });
  });

  test('no character of what is looked for has a meaning of its own', async () => {
    const { db } = await fresh();
    const names = [
      '100% fresh',
      '100 fresh',
      'a_b',
      'acb',
      "o'neil",
      'back\\slash',
      '?',
      '\u{10ffff}',
      '\ud7ff',
      '\ue000',
    ];
    await insertDeliveries(
      db,
      names.map((dropoff_name, number) => delivery(number, { dropoff_name })),
    );
    const list = async (starts_with: string) => {
      const { rows } = await listDeliveries(db, { ...scope, limit: 20, starts_with });
      return rows.map(({ dropoff_name }) => dropoff_name);
    };
    for (const name of names) expect(await list(name)).toEqual([name]);
    expect(await list('100')).toEqual(['100 fresh', '100% fresh']);
    expect(await list('%')).toEqual([]);
    expect(await list('_')).toEqual([]);
    expect(await list("' or 1=1 --")).toEqual([]);
  });

  test('the late are initiated, past their dropoff ETA and have not ended', async () => {
    const { db } = await fresh();
    const now = noon + 10;
    const late = delivery(1, { dropoff_eta: now - 1 });
    const rest = [
      delivery(2, { dropoff_eta: now }),
      delivery(3, { dropoff_eta: now - 1, ended_at: now, status: 'delivered' }),
      delivery(4, { dropoff_eta: now + 1 }),
      delivery(8, { dropoff_eta: now - 1, status: 'request' }),
    ];
    const later = delivery(5, { dropoff_eta: now - 9, pickup_phone: '12125550123' });
    const strangers = [delivery(6, otherMode), delivery(7, otherAccount)];
    await insertDeliveries(db, [
      late,
      ...rest,
      later,
      ...strangers.map((row) => ({ ...row, dropoff_eta: 0 })),
    ]);
    const list = async (more: Filter) =>
      (await listDeliveries(db, { ...scope, limit: 9, late_at: now, ...more })).rows;
    expect(await list({})).toEqual([later, late]);
    expect(await list({ phone: '12125550123' })).toEqual([later]);
    expect(await list({ after_id: later.id })).toEqual([late]);
    expect(await list({ late_at: 0 })).toEqual([]);
  });

  test('the unchanged are initiated, have not ended and were last changed by then', async () => {
    const { db } = await fresh();
    const since = noon + 10;
    const old = delivery(1, { updated_at: since - 5 });
    const edge = delivery(2, { updated_at: since, service: 'haulvan' });
    const rest = [
      delivery(3, { updated_at: since + 1 }),
      delivery(4, { updated_at: since - 5, ended_at: since - 5, status: 'failed' }),
      delivery(7, { updated_at: since - 5, status: 'request' }),
    ];
    await insertDeliveries(db, [old, edge, ...rest, delivery(5, otherMode), delivery(6, otherAccount)]);
    const list = async (more: Filter) =>
      (await listDeliveries(db, { ...scope, limit: 9, unchanged_since: since, ...more })).rows;
    expect(await list({})).toEqual([edge, old]);
    expect(await list({ service: 'haulvan' })).toEqual([edge]);
    expect(await list({ status: [] })).toEqual([]);
  });

  test('any filters together give what each row says of itself, page by page', async () => {
    const storage = await fresh();
    const { next, pick } = dice();
    // More rows than a narrow filter has, so that each filter leads in some of the queries.
    const rows = Array.from({ length: 1_500 }, (_, number) => anyDelivery(number, pick));
    await insertDeliveries(storage.db, rows);
    for (let round = 0; round < 60; round += 1) {
      const filter = anyFilter(pick);
      const limit = 1 + Math.floor(next() * 40);
      const wanted = rows.filter((row) => isWanted(row, filter)).map(({ id }) => id);
      const found = await firstPages(storage, { ...scope, ...filter, limit }, 4);
      expect(found, JSON.stringify(filter)).toEqual(wanted.sort().reverse().slice(0, found.length));
      expect(found.length, JSON.stringify(filter)).toBe(Math.min(wanted.length, 4 * limit));
    }
  });
}

async function firstPages({ db }: FreshDatabase, query: DeliveryQuery, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 0; page < count; page += 1) {
    const { rows, has_more } = await listDeliveries(db, { ...query, after_id: ids.at(-1) });
    ids.push(...rows.map(({ id }) => id));
    if (!has_more) break;
  }
  return ids;
}

type Pick = <T>(first: T, ...others: readonly T[]) => T;

/** Repeatable random numbers (a linear congruential generator). */
function dice(): { next: () => number; pick: Pick } {
  let state = 7;
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  return { next, pick: (first, ...others) => others[Math.floor(next() * (others.length + 1))] ?? first };
}

function anyDelivery(number: number, pick: Pick): DeliveryRow {
  const status = pick('delivered', 'delivered', 'delivered', 'failed', 'request', 'enroute_dropoff');
  const created_at = noon + number * 10;
  return delivery(number, {
    created_at,
    status,
    service: pick('swiftly', 'swiftly', 'swiftly', 'swiftly', 'swiftly', 'haulvan'),
    external_order_ref: pick('', '', '', 'A-1', 'B-2'),
    pickup_phone: pick('1', '1', '1', '1', '2'),
    dropoff_phone: pick('1', '3', '4', '5', '6', '7', '8', '9'),
    pickup_name: pick('deli', 'deli', 'deli', 'deli', 'bakery'),
    dropoff_name: pick('ann', 'anna', 'bob', 'carl', 'dana', 'debra'),
    dropoff_place: pick('1 main st', '12 main st', '2 main st'),
    dropoff_eta: created_at + pick(0, 500, 5_000),
    updated_at: created_at + pick(0, 20, 4_000),
    ended_at: status === 'delivered' || status === 'failed' ? created_at : null,
  });
}

function anyFilter(pick: Pick): Filter {
  const some = <T>(...values: readonly T[]) => pick<T | undefined>(undefined, undefined, ...values);
  return {
    status: some<DeliveryQuery['status']>(
      'delivered',
      'failed',
      ['request', 'enroute_dropoff'],
      ['failed', 'delivered'],
    ),
    service: some('swiftly', 'haulvan'),
    external_order_ref: some('A-1', 'nobody'),
    phone: some('1', '3', '7'),
    starts_with: some('de', 'ANN', 'anna', '1', 'x'),
    late_at: some(noon + 6_000, noon + 20_000),
    unchanged_since: some(noon + 3_000, noon + 12_000),
    created_after: some(noon + 1_000, noon + 9_000),
    created_before: some(noon + 11_000, noon + 14_000),
  };
}

/** The meaning of the filters, without an index. */
function isWanted(row: DeliveryRow, filter: Filter): boolean {
  const { status, service, external_order_ref, phone, starts_with, late_at, unchanged_since } = filter;
  const isUnderWay = row.ended_at === null && row.status !== 'request';
  const texts = [row.pickup_name, row.dropoff_name, row.pickup_place, row.dropoff_place];
  const checks = [
    status === undefined || [status].flat().includes(row.status),
    service === undefined || row.service === service,
    external_order_ref === undefined || row.external_order_ref === external_order_ref,
    phone === undefined || row.pickup_phone === phone || row.dropoff_phone === phone,
    starts_with === undefined || texts.some((text) => text.startsWith(starts_with.toLowerCase())),
    late_at === undefined || (isUnderWay && row.dropoff_eta < late_at),
    unchanged_since === undefined || (isUnderWay && row.updated_at <= unchanged_since),
    row.created_at > (filter.created_after ?? 0),
    row.created_at < (filter.created_before ?? Number.POSITIVE_INFINITY),
  ];
  return checks.every(Boolean);
}

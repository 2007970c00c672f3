import { expect, test } from 'vitest';
import { isLate, late_tolerance_ms, lateBy, measureLateness } from '../../../src/domain/lateness.ts';
import { readSearchWords } from '../../../src/domain/search-text.ts';
import type { DeliveryRow } from '../../../src/storage/database.ts';
import { insertCharges, insertDeliveries, listDeliveries } from '../../../src/storage/deliveries.ts';
import type { DeliveryQuery } from '../../../src/storage/delivery-queries.ts';
import { insertOrders, listOrders } from '../../../src/storage/orders.ts';
import type { OrderTests } from '../../../src/storage/periods.ts';
import { insertSearchDocuments, updateSearchDocument } from '../../../src/storage/search.ts';
import { type ReportQuery, reportSums } from '../../../src/storage/shop-report-sums.ts';
import { overdueCases } from '../../domain/overdue-cases.ts';
import { charge, delivery, noon, order, otherAccount, otherMode, scope } from '../records.ts';
import type { FreshDatabase, FreshStorage } from '../suite.ts';

type Filter = Omit<DeliveryQuery, 'account_id' | 'test_mode' | 'limit'>;

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
  const status = pick(
    'delivered',
    'delivered',
    'delivered',
    'failed',
    'request',
    'enroute_dropoff',
    'enroute_to_return',
  );
  const created_at = noon + number * 10;
  const promise_ms = pick<number | 'none'>(0, 500, 5_000, 'none');
  return delivery(number, {
    created_at,
    status,
    service: pick('swiftly', 'swiftly', 'swiftly', 'swiftly', 'swiftly', 'haulvan'),
    external_order_ref: pick('', '', '', 'A-1', 'B-2'),
    pickup_phone: pick('1', '1', '1', '1', '2'),
    dropoff_phone: pick('1', '3', '4', '5', '6', '7', '8', '9'),
    promised_at: promise_ms === 'none' ? null : created_at + promise_ms,
    dropoff_eta: created_at + pick(0, 5_000, late_tolerance_ms + 2_000),
    updated_at: created_at + pick(0, 20, 4_000),
    ended_at:
      status === 'delivered' || status === 'failed' ? created_at + pick(0, late_tolerance_ms + 6_000) : null,
  });
}

function anyText(pick: Pick): string {
  const shop = pick('deli', 'deli', 'deli', 'deli', 'bakery');
  return ` ${shop} ${pick('ann', 'anna', 'bob', 'carl', 'dana', 'debra')} ${pick('1', '12', '212')} `;
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
    service: some<DeliveryQuery['service']>('swiftly', 'haulvan', ['swiftly', 'haulvan']),
    external_order_ref: some('A-1', 'nobody'),
    phone: some('1', '3', '7'),
    words: some(...['de', 'ANN', 'anna', '12', 'xyz', 'eli ann', 'ke'].map(readSearchWords)),
    late_at: some(noon + late_tolerance_ms + 6_000, noon + late_tolerance_ms + 20_000),
    was_late_at: some(noon + late_tolerance_ms + 6_000, noon + late_tolerance_ms + 20_000),
    unchanged_since: some(noon + 3_000, noon + 12_000),
    due: some({ after: noon + 1_000, before: noon + 9_000 }, { after: noon + 9_000, before: undefined }),
    delivered: some(
      { after: undefined, before: noon + 8_000 },
      { after: noon + late_tolerance_ms, before: noon + late_tolerance_ms + 9_000 },
    ),
    created_after: some(noon + 1_000, noon + 9_000),
    created_before: some(noon + 11_000, noon + 14_000),
  };
}

function isIn(time: number | null, period: Filter['due']): boolean {
  const { after = 0, before = Number.POSITIVE_INFINITY } = period ?? {};
  return period === undefined || (time !== null && time > after && time < before);
}

/** The meaning of the filters, without an index. */
function isWanted(row: DeliveryRow, filter: Filter, text = ''): boolean {
  const { status, service, external_order_ref, phone, words = [] } = filter;
  const { late_at, was_late_at, unchanged_since, due, delivered } = filter;
  const isUnderWay = row.ended_at === null && row.status !== 'request';
  const checks = [
    status === undefined || [status].flat().includes(row.status),
    service === undefined || [service].flat().includes(row.service),
    external_order_ref === undefined || row.external_order_ref === external_order_ref,
    phone === undefined || row.pickup_phone === phone || row.dropoff_phone === phone,
    words.every(({ patterns }) => patterns.some((pattern) => text.includes(pattern))),
    late_at === undefined ||
      (isUnderWay &&
        row.status !== 'enroute_to_return' &&
        row.promised_at !== null &&
        isLate(lateBy({ promised_at: row.promised_at, dropoff_eta: row.dropoff_eta }, late_at))),
    was_late_at === undefined || isLate(lateByDomain(row, was_late_at)),
    unchanged_since === undefined || (isUnderWay && row.updated_at <= unchanged_since),
    isIn(row.promised_at ?? row.dropoff_at, due),
    isIn(row.status === 'delivered' ? row.ended_at : null, delivered),
    row.created_at > (filter.created_after ?? 0),
    row.created_at < (filter.created_before ?? Number.POSITIVE_INFINITY),
  ];
  return checks.every(Boolean);
}

/** The lateness by the rule of the domain. */
function lateByDomain(row: DeliveryRow, now: number): number | null {
  const at = (time: number) => new Date(time).toISOString();
  const isArrived = row.status === 'delivered' || row.status === 'disputed';
  const status_history =
    isArrived && row.ended_at !== null
      ? [{ status: 'delivered' as const, created_at: at(row.ended_at) }]
      : [];
  const texts = { dropoff_address: '', dropoff_name: '', dropoff_notes: '', dropoff_unit: '' };
  const dropoff = { ...texts, dropoff_phone_number: '', dropoff_at: null, dropoff_eta: at(row.dropoff_eta) };
  const promised_at = row.promised_at === null ? null : at(row.promised_at);
  return measureLateness({ status: row.status, dropoffs: [dropoff], status_history }, { promised_at }, now);
}

const minute = 60_000;
const day = 24 * 60 * minute;
const ended_at = noon + 30 * minute;

/** Promised in an hour. */
const rows: DeliveryRow[] = [
  delivery(1, { status: 'delivered', ended_at, store_id: 'str_1' }),
  delivery(2, { status: 'delivered', ended_at: noon + 66 * minute, dropoff_at: noon + 60 * minute }),
  delivery(3, { status: 'enroute_dropoff', dropoff_eta: noon + 66 * minute }),
  delivery(4, { status: 'request', promised_at: null }),
  delivery(5, { status: 'delivered', ended_at, ...otherMode }),
  delivery(6, { status: 'delivered', ended_at, ...otherAccount }),
  delivery(7, { status: 'delivered', ended_at, created_at: noon - minute }),
];

const query: ReportQuery = {
  ...{ ...scope, created_after: noon - 1, created_before: noon + 1, by: [], now: noon },
  due: { after: noon - 1, before: noon + day },
};

export function deliveryQueriesSuite(fresh: FreshStorage): void {
  test('deliveries whose next report is overdue are found by the rule of the domain', async () => {
    const { db } = await fresh();
    const at = (minutes: number | null) => (minutes === null ? undefined : noon + minutes * minute);
    const rows = overdueCases.map(({ status, updated_at, pickup_eta, dropoff_eta }, number) =>
      delivery(number, {
        status,
        updated_at: at(updated_at) ?? 0,
        dropoff_eta: at(dropoff_eta) ?? 0,
        record: JSON.stringify({ pickup: { eta: at(pickup_eta) } }),
      }),
    );
    await insertDeliveries(db, rows);
    const found = async (by: number) => {
      const query = { ...scope, limit: 99, report_due_by: noon - by * minute };
      return (await listDeliveries(db, query)).rows.map(({ id }) => id).sort();
    };
    for (const by of [0, 1, 5, 11, 12, 15, 16]) {
      const expected = rows.filter((_, number) => (overdueCases[number]?.overdue ?? -1) >= by);
      expect(await found(by)).toEqual(expected.map(({ id }) => id));
    }
  });

  test('deliveries are found by words of their order, in the sequence of the orders, newest first', async () => {
    const { db } = await fresh();
    const rows = [1, 2, 3, 4].map((number) => delivery(number));
    const [first, second, third, fourth] = rows;
    const again = delivery(9, { order_id: 'ord_1' });
    await insertDeliveries(db, [...rows, again, delivery(5, otherMode), delivery(6, otherAccount)]);
    await insertSearchDocuments(db, [
      { ...scope, order_id: 'ord_1', text: ' ann s deli t13125550142 ' },
      { ...scope, order_id: 'ord_2', text: ' zoe annan 12 a a12 ' },
      { ...scope, order_id: 'ord_3', text: ' joannas 23 rd ' },
      { ...scope, order_id: 'ord_4', text: ' eclair 2 中村 ' },
      { ...otherMode, order_id: 'ord_5', text: ' ann ' },
      { ...otherAccount, order_id: 'ord_6', text: ' ann ' },
    ]);
    const list = async (text: string, more: Filter = {}) =>
      (await listDeliveries(db, { ...scope, limit: 9, words: readSearchWords(text), ...more })).rows;
    expect(await list('ann')).toEqual([third, second, again, first]);
    expect(await list('ÁNN zoë')).toEqual([second]);
    expect(await list('annas')).toEqual([third]);
    expect(await list('0142')).toEqual([again, first]);
    expect(await list('(312) 555-0142')).toEqual([again, first]);
    expect(await list('1312')).toEqual([]);
    expect(await list('中村')).toEqual([fourth]);
    expect(await list('rd')).toEqual([third]);
    expect(await list('nd')).toEqual([]);
    expect(await list('2')).toEqual([fourth]);
    expect(await list('a 12')).toEqual([second]);
    expect(await list('ann', { after_id: second?.id })).toEqual([again, first]);
    expect(await list('ann', { after_id: again.id })).toEqual([first]);
    expect(await list('ann', { status: 'failed' })).toEqual([]);
    expect(await listDeliveries(db, { ...scope, limit: 2, words: readSearchWords('ann') })).toEqual({
      rows: [third, second],
      has_more: true,
    });
    await updateSearchDocument(db, { order_id: 'ord_3', text: ' grace ' });
    expect(await list('annas')).toEqual([]);
    expect(await list('grace')).toEqual([third]);
  });

  test('a word of old deliveries alone is found behind any number of newer ones', async () => {
    const { db } = await fresh();
    const rows = Array.from({ length: 2_200 }, (_, number) => delivery(number));
    await insertDeliveries(db, rows);
    await insertSearchDocuments(
      db,
      rows.map(({ order_id }, number) => ({
        ...scope,
        order_id,
        text: number < 3 ? ' old ada ' : ' new ada ',
      })),
    );
    const list = async (text: string, after_id?: string) => {
      const query = { ...scope, limit: 2, words: readSearchWords(text), after_id };
      return (await listDeliveries(db, query)).rows;
    };
    expect(await list('old')).toEqual([rows[2], rows[1]]);
    expect(await list('old', rows[1]?.id)).toEqual([rows[0]]);
    expect(await list('ada')).toEqual([rows[2_199], rows[2_198]]);
  });

  test('deliveries are found by their order, route or link, and by the beginning or end of their id', async () => {
    const { db } = await fresh();
    const rows = [1, 2, 3].map((number) => delivery(number, { route_id: `rte_${number}` }));
    const [first, second] = rows;
    await insertDeliveries(db, [...rows, delivery(11, otherAccount)]);
    const list = async (more: Filter) => (await listDeliveries(db, { ...scope, limit: 9, ...more })).rows;
    expect(await list({ found_by: { column: 'order_id', value: 'ord_2' } })).toEqual([second]);
    expect(await list({ found_by: { column: 'route_id', value: 'rte_1' } })).toEqual([first]);
    expect(await list({ found_by: { column: 'tracking_token', value: `token of ${second?.id}` } })).toEqual([
      second,
    ]);
    expect(await list({ id_part: '00002' })).toEqual([second]);
    expect(await list({ id_part: '00011' })).toEqual([]);
    expect(await list({ id_part: first?.id.slice(4, 14) ?? '' })).toEqual(rows.toReversed());
    expect(await list({ id_part: first?.id.slice(4) ?? '' })).toEqual([first]);
  });

  test('any filters together give what each row says of itself, page by page', async () => {
    const storage = await fresh();
    const { next, pick } = dice();
    // More rows than a narrow filter has, so that each filter leads in some of the queries.
    const rows = Array.from({ length: 1_500 }, (_, number) => anyDelivery(number, pick));
    const strangers = [otherMode, otherAccount].map((owner, index) => delivery(2_000 + index, owner));
    await insertDeliveries(storage.db, [...rows, ...strangers]);
    const texts = new Map(rows.map(({ order_id }) => [order_id, anyText(pick)]));
    const documents = [...texts].map(([order_id, text]) => ({ ...scope, order_id, text }));
    await insertSearchDocuments(storage.db, documents);
    for (let round = 0; round < 60; round += 1) {
      const filter = anyFilter(pick);
      const limit = 1 + Math.floor(next() * 40);
      const wanted = rows.filter((row) => isWanted(row, filter, texts.get(row.order_id))).map(({ id }) => id);
      const found = await firstPages(storage, { ...scope, ...filter, limit }, 4);
      expect(found, JSON.stringify(filter)).toEqual(wanted.sort().reverse().slice(0, found.length));
      expect(found.length, JSON.stringify(filter)).toBe(Math.min(wanted.length, 4 * limit));
    }
  });

  test.each([
    ['as late as is tolerated', late_tolerance_ms, 0],
    ['later', late_tolerance_ms + 1, 1],
  ])('the database counts what is %s as its record does', async (_, late_ms, count) => {
    const { db } = await fresh();
    const late = noon + late_ms;
    const promise = { promised_at: noon, dropoff_eta: noon };
    await insertDeliveries(db, [
      delivery(1, { ...promise, status: 'enroute_dropoff' }),
      delivery(2, { ...promise, dropoff_eta: late, status: 'enroute_pickup' }),
      delivery(3, { ...promise, status: 'delivered', ended_at: late }),
    ]);
    const listed = async (late_at: number) =>
      (await listDeliveries(db, { ...scope, limit: 9, late_at })).rows.length;
    expect([await listed(noon + late_tolerance_ms), await listed(late)]).toEqual([count, 2 * count]);
    const sums = await reportSums(db, { ...query, now: noon });
    expect(sums.find(({ status }) => status === 'delivered')?.late).toBe(count);
    expect(sums.find(({ status }) => status === 'enroute_pickup')?.late).toBe(count);
    expect(isLate(late_ms)).toBe(count === 1);
  });

  test('a report sums up the goods, quotes and waits of deliveries, by customer', async () => {
    const { db } = await fresh();
    const status_history = [{ status: 'arrived_at_pickup', at: noon + 2 * minute }];
    const dropoff = { name: 'Joe', phone: '13125550142', email: 'Joe@mail.example' };
    const record = { order_value: 1250, payment_amount: 700, tip: 50, dropoff, status_history };
    const picked = JSON.stringify({ ...record, pickup: { eta: noon + 6 * minute } });
    const ended = { status: 'delivered', created_at: noon, ended_at: noon + 20 * minute } as const;
    // A try stands at the hour of its order.
    const ordered = order(1, { created_at: noon - 180 * minute });
    await insertOrders(db, [ordered]);
    await insertDeliveries(db, [delivery(1, { ...ended, order_id: ordered.id, record: picked })]);
    const by = ['customer_name', 'customer_contact', 'hour'] as const;
    const [sums] = await reportSums(db, { ...query, by, now: noon });
    expect(sums).toMatchObject({
      ...{ customer_name: 'Joe', customer_contact: 'joe@mail.example', order_value: 1250, quoted_cost: 750 },
      ...{ waited: 1, wait_ms: 4 * minute, pickup_ms: 6 * minute },
      hour: Math.floor(ordered.created_at / (60 * minute)),
    });
  });

  test('a report sums up the dispatched deliveries of a period, an account and a mode', async () => {
    const { db } = await fresh();
    await insertDeliveries(db, rows);
    const delivery_id = rows[0]?.id ?? '';
    const refund = charge(2, { delivery_id, amount: -150, kind: 'refund' });
    await insertCharges(db, [charge(1, { delivery_id, amount: 700 }), refund]);
    const none = {
      ...{ courier: null, store_id: null, driver_id: null, driver_name: null },
      ...{ reason: null, failure_message: null },
      ...{
        hour: null,
        declined: 0,
        tips: 0,
        tipped: 0,
        customer_name: null,
        customer_contact: null,
        address: null,
      },
      ...{ pickup_ms: 0, waited: 0, wait_ms: 0, order_value: 0, quoted_cost: 0, late_ms: expect.any(Number) },
      ...{
        assigned: 0,
        assigned_ms: 0,
        service_fees: 0,
        return_fees: 0,
        cancellation_fees: 0,
        adjustments: 0,
      },
      ...{ prices: 0, over_quote: 0, over_quote_cost: 0, passed_list: null },
    };
    const sums = await reportSums(db, query);
    expect(sums).toHaveLength(2);
    expect(sums).toContainEqual({
      ...{ ...none, status: 'delivered', deliveries: 2, orders: 2, late: 1, cost: 550, last_cost: 550 },
      ...{ promised_arrived: 3, timed: 1, passed_ms: 30 * minute, newest_id: expect.stringMatching(/^dlv_/) },
      ...{ prices: 700, passed_list: `${30 * minute}` },
    });
    expect(sums).toContainEqual({
      ...{ ...none, status: 'enroute_dropoff', deliveries: 1, orders: 1, late: 1 },
      ...{ promised_arrived: 0, cost: 0, last_cost: 0, timed: 0, passed_ms: 0 },
      newest_id: expect.stringMatching(/^dlv_/),
    });
    const later = await reportSums(db, { ...query, now: noon + 65 * minute });
    expect(later.map(({ late }) => late)).toEqual([1, 1]);
  });

  test('a report counts deliveries as they were at a time', async () => {
    const { db } = await fresh();
    const status_history = [
      { status: 'delivery_created', at: noon },
      { status: 'enroute_dropoff', at: noon + 10 * minute },
      { status: 'failed', at: noon + 20 * minute },
    ];
    const record = JSON.stringify({ status_history, failure_reason: 'provider_refused' });
    const failed = {
      status: 'failed',
      ended_at: noon + 20 * minute,
      updated_at: noon + 20 * minute,
    } as const;
    const came = { status: 'delivered', ended_at, updated_at: ended_at, promised_at: noon } as const;
    await insertDeliveries(db, [
      // It was late before it failed.
      delivery(1, { ...failed, created_at: noon, promised_at: noon + 8 * minute, record }),
      delivery(2, {
        ...came,
        created_at: noon,
        record: '{"status_history":[{"status":"driver_assigned","at":0}]}',
      }),
      // It was stored, and sent half an hour later.
      delivery(3, {
        ...{ ...failed, created_at: noon, ended_at: noon + 50 * minute, updated_at: noon + 50 * minute },
        record: JSON.stringify({ status_history: [{ status: 'failed', at: noon + 50 * minute }] }),
      }),
    ]);
    const at = async (minutes: number) => {
      const as_of = noon + minutes * minute + 1;
      const sums = await reportSums(db, {
        ...query,
        by: ['reason'],
        now: noon + day,
        created_before: as_of,
        as_of,
      });
      return sums.map(({ status, reason, declined, late }) => [status, reason, declined, late]).sort();
    };
    expect(await at(5)).toEqual([
      ['delivery_created', null, 0, 0],
      ['driver_assigned', null, 0, 1],
    ]);
    expect(await at(15)).toEqual([
      ['driver_assigned', null, 0, 1],
      ['enroute_dropoff', null, 0, 1],
    ]);
    expect(await at(60)).toEqual([
      ['delivered', null, 0, 1],
      ['failed', null, 0, 0],
      ['failed', 'provider_refused', 1, 0],
    ]);
  });

  test('what is late or on time counts for the period for which it was promised, as the list has it', async () => {
    const { db } = await fresh();
    const promised_at = noon + 2 * day;
    const late = promised_at + late_tolerance_ms + 1;
    await insertDeliveries(db, [
      delivery(1, { status: 'delivered', promised_at, ended_at: late }),
      delivery(2, { status: 'delivered', promised_at, ended_at: promised_at }),
      delivery(3, { status: 'enroute_dropoff', promised_at, dropoff_eta: late }),
      delivery(4, { status: 'delivered', created_at: promised_at, ended_at: late + 2 * day }),
      delivery(5, { status: 'failed', promised_at, ended_at: late }),
      delivery(6, { status: 'delivered', promised_at: null, dropoff_at: promised_at, ended_at: late }),
    ]);
    const counted = async (days: number) => {
      const [after, before] = [noon + days * day - 1, noon + (days + 1) * day];
      const sums = await reportSums(db, { ...query, due: { after, before }, now: noon });
      const sum = (field: 'late' | 'promised_arrived') => sums.reduce((total, row) => total + row[field], 0);
      const page = { ...scope, limit: 9, was_late_at: noon, due: { after, before } };
      const listed = (await listDeliveries(db, page)).rows.length;
      return [sum('promised_arrived'), sum('late'), listed];
    };
    expect(await counted(0)).toEqual([0, 0, 0]);
    expect(await counted(2)).toEqual([4, 3, 3]);
    expect(await counted(3)).toEqual([0, 0, 0]);
  });

  test('orders are found by when they are due and when they arrived', async () => {
    const { db } = await fresh();
    const at = (days: number) => noon + days * day;
    const ends = (pickup: number | null, dropoff: number | null) =>
      JSON.stringify({ pickup: { at: pickup }, dropoff: { at: dropoff } });
    const tries = [
      delivery(1, { promised_at: at(2), status: 'delivered', ended_at: at(3) }),
      delivery(2, { promised_at: null, dropoff_at: at(2), status: 'request' }),
      delivery(3, { promised_at: at(2), status: 'failed', ended_at: at(3) }),
    ];
    await insertDeliveries(db, tries);
    await insertOrders(db, [
      order(1, { delivery_id: tries[0]?.id ?? '', record: ends(null, at(5)) }),
      order(2, { delivery_id: tries[1]?.id ?? '', record: ends(null, at(2)) }),
      order(3, { delivery_id: tries[2]?.id ?? '', record: ends(null, null) }),
      order(4, { record: ends(at(1), at(2)) }),
      order(5, { record: ends(at(2), null) }),
      order(6, { record: ends(null, null) }),
    ]);
    const documents = [1, 2, 3, 4, 5, 6].map((number) => ({
      ...{ ...scope, order_id: order(number).id, text: ' ann ' },
    }));
    await insertSearchDocuments(db, documents);
    const found = async (periods: OrderTests) => {
      const page = { ...scope, limit: 9, ...periods };
      const [listed, searched] = await Promise.all([
        listOrders(db, page),
        listOrders(db, { ...page, words: readSearchWords('ann') }),
      ]);
      expect(searched).toEqual(listed);
      return listed.rows.map(({ id }) => Number(id.slice(-2))).sort();
    };
    const [after, before] = [at(2) - 1, at(2) + 1];
    expect(await found({ due: { after, before } })).toEqual([1, 2, 3, 4, 5]);
    expect(await found({ due: { after: before, before: undefined } })).toEqual([]);
    expect(await found({ delivered: { after: at(3) - 1, before: undefined } })).toEqual([1]);
    expect(await found({ delivered: { after: undefined, before: at(3) } })).toEqual([]);
    expect(await found({ ended: { after: at(3) - 1, before: undefined } })).toEqual([1, 3]);
    expect(await found({ ended: { after: undefined, before: at(3) } })).toEqual([]);
    expect(await found({})).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('money counts by the time at which it was charged', async () => {
    const { db } = await fresh();
    const before = { created_at: noon - day, status: 'delivered', ended_at } as const;
    const [today, yesterday] = [delivery(1, { status: 'delivered', ended_at }), delivery(2, before)];
    await insertDeliveries(db, [today, yesterday]);
    await insertCharges(db, [
      charge(1, { delivery_id: today.id, amount: 700 }),
      // A tip of the day after, and a refund of what was delivered the day before.
      charge(2, { delivery_id: today.id, amount: 200, kind: 'tip', created_at: noon + day }),
      charge(3, { delivery_id: yesterday.id, amount: 500, created_at: noon - day }),
      charge(4, { delivery_id: yesterday.id, amount: -500, kind: 'refund' }),
    ]);
    const costs = async (from: number) => {
      const period = { created_after: from - 1, created_before: from + 1 };
      const sums = await reportSums(db, { ...query, ...period });
      return sums.map(({ deliveries, orders, cost, last_cost, over_quote_cost }) => [
        ...[deliveries, orders, cost, last_cost, over_quote_cost],
      ]);
    };
    expect(await costs(noon - day)).toEqual([[1, 1, 500, 500, 0]]);
    expect(await costs(noon)).toEqual([[1, 1, 200, 700, 0]]);
    // The tip is as agreed: it makes no order dearer than its quote.
    expect(await costs(noon + day)).toEqual([[0, 0, 200, 0, 0]]);
  });

  test('an order counts once, by its last delivery of the period', async () => {
    const { db } = await fresh();
    const refused = '{"failure_reason":"provider_refused","cancellation_reason":null}';
    const failed = { order_id: 'ord_9', status: 'failed', ended_at, record: refused } as const;
    const tries = [
      delivery(1, failed),
      delivery(2, failed),
      delivery(3, { ...failed, status: 'delivered', record: '{}' }),
    ];
    await insertDeliveries(db, tries);
    const charges = tries.map(({ id }, index) =>
      charge(index, { delivery_id: id, amount: 100 * 2 ** index }),
    );
    await insertCharges(db, charges);
    const sums = await reportSums(db, { ...query, by: ['reason'] });
    const counts = sums.map((each) => [
      each.status,
      each.reason,
      each.deliveries,
      each.orders,
      each.cost,
      each.last_cost,
    ]);
    expect(counts.sort()).toEqual([
      ['delivered', null, 1, 1, 400, 400],
      ['failed', 'provider_refused', 2, 0, 300, 0],
    ]);
  });

  test('a report is divided by courier, store and own driver', async () => {
    const { db } = await fresh();
    await insertDeliveries(db, [
      delivery(1, { service: 'fleet', record: '{"driver":{"id":"drv_1"}}' }),
      delivery(4, { service: 'fleet', record: '{"driver":{"id":"drv_2"}}' }),
      delivery(2, { route_id: 'rte_2', service: 'swiftly', store_id: 'str_1' }),
      delivery(3, { route_id: 'rte_3', service: 'swiftly', store_id: 'str_1' }),
    ]);
    const sums = await reportSums(db, { ...query, by: ['courier', 'store_id', 'driver_id'] });
    const groups = sums.map(({ courier, store_id, driver_id, deliveries }) => [
      ...[courier, store_id, driver_id, deliveries],
    ]);
    expect(groups.sort()).toEqual([
      ['fleet', null, 'drv_1', 1],
      ['fleet', null, 'drv_2', 1],
      ['swiftly', 'str_1', null, 2],
    ]);
  });

  test('half of a character in a record keeps nothing from being found or counted', async () => {
    const { db } = await fresh();
    // As a program writes a text that it has cut within an emoji; and as a person writes about one.
    const names = [
      'Ann \ud83d',
      'Ann \ud83d\ud83d',
      'Ann \ude00\u0000',
      String.raw`Ann \ud83d`,
      'Ann \u0007',
    ];
    const rows = names.map((name, index) => {
      const status_history = [{ status: 'arrived_at_pickup', at: noon }];
      const record = JSON.stringify({ store_id: 'str_1', dropoff: { name, at: noon }, status_history });
      return { delivery: delivery(index, { record }), order: order(index, { record }) };
    });
    await insertDeliveries(
      db,
      rows.map((row) => row.delivery),
    );
    await insertOrders(
      db,
      rows.map((row) => row.order),
    );
    const tests: OrderTests = { store_id: 'str_1', due: { after: noon - 1, before: noon + 1 } };
    expect((await listOrders(db, { ...scope, limit: 9, ...tests })).rows).toHaveLength(names.length);
    expect((await listDeliveries(db, { ...scope, limit: 9, report_due_by: noon })).rows).toEqual([]);
    for (const as_of of [undefined, noon + 1]) {
      const sums = await reportSums(db, { ...query, as_of, by: ['customer_name'] });
      expect(sums.reduce((sum, { deliveries }) => sum + deliveries, 0)).toBe(names.length);
      const found = sums.map(({ customer_name }) => customer_name);
      expect(found).toEqual(expect.arrayContaining([names[3], names[4]]));
    }
  });
}

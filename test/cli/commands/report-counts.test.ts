import { expect, test } from 'vitest';
import { rowsByGroup } from '../../../src/cli/nouns/report-periods.ts';
import { reportColumns } from '../../../src/cli/nouns/report-row.ts';
import { columnOrder, readSort } from '../../../src/cli/session/record-sort.ts';
import type { ReportRow } from '../../../src/contract/accounting.ts';
import type { Transport } from '../../../src/contract/operation.ts';
import { expandStatusNames, type StatusGroup, weekdayNames } from '../../../src/contract/vocabulary.ts';
import { dollars } from '../../../src/domain/money.ts';
import { sortColumns } from '../../../src/domain/report-words.ts';
import { newDelivery, newStore, sandbox, stored } from '../sandbox.ts';

const box = await sandbox();
const hour = 3_600_000;
const stores = [await newStore(box, 'Grill'), await newStore(box, 'Deli')];

/** What happens to the orders of each day, by store. */
const outcomes = [
  ['happy_path', 'customer_unreachable', 'payment_declined_once'],
  ['no_capacity', 'happy_path', 'no_driver', 'happy_path'],
];
/** Hours from one day to the next: Monday, Tuesday, Sunday, Monday and Tuesday, in Chicago. */
const hours_between = [0, 24, 120, 24, 24];

const to = ['--dropoff-address', '233 S Wacker Dr, Chicago, IL 60606', '--dropoff-name', 'Joe'];
const order = [...to, '--dropoff-phone', '+13125550142', '--item', 'Brisket', '--order-value', '12.50'];

async function sent(...flags: string[]): Promise<string> {
  const { stdout } = await box.run(['deliveries', 'create', ...order, '--initiate', ...flags, '--json']);
  return JSON.parse(stdout).id;
}

for (const [day, hours] of hours_between.entries()) {
  box.advance(hours * hour);
  const later: string[] = [];
  for (const [place, scenarios] of outcomes.entries())
    for (const scenario of scenarios.slice(day % 2)) {
      const id = await sent('--store', stores[place] ?? '', '--simulate', scenario);
      // One order is tried three times, and fails three times.
      for (let tries = 0; scenario === 'no_capacity' && tries < 2; tries += 1)
        await box.run(['deliveries', 'retry', id]);
      if (scenario === 'payment_declined_once') later.push(id);
    }
  const own = await newDelivery(box, '--initiate');
  await box.json(['deliveries', 'cancel', own, '--yes']);
  // An hour later; on the first day after midnight, in the next one.
  const until_retry = (day === 0 ? 21 : 1) * hour;
  box.advance(until_retry);
  for (const id of later) await box.run(['deliveries', 'retry', id]);
  box.advance(-until_retry);
}
box.advance(5 * hour);

/** The first day of each period, and the first one after it. */
const periods: [period: string, from: string, to: string][] = [
  ['today', '2026-03-10T05:00Z', '2026-03-11T05:00Z'],
  ['yesterday', '2026-03-09T05:00Z', '2026-03-10T05:00Z'],
  ['2026-03-02', '2026-03-02T06:00Z', '2026-03-03T06:00Z'],
  ['this week', '2026-03-09T05:00Z', '2026-03-16T05:00Z'],
  ['last week', '2026-03-02T06:00Z', '2026-03-09T05:00Z'],
  ['month', '2026-03-01T06:00Z', '2026-04-01T05:00Z'],
];

/** The local time of an order's creation, in seconds: its tries stand there, too. */
const ordered = '(select orders.created_at from orders where orders.id = order_id)';
const local = `(${ordered} - case when ${ordered} < 1772953200000 then 21600000 else 18000000 end) / 1000`;

/** What each group is in the table, and in a row. */
const groups: [by: string, column: string, field: keyof ReportRow][] = [
  ['courier', 'service', 'courier'],
  ['status', 'status', 'status'],
  ['store', 'store_id', 'store_id'],
  ['customers', "record ->> '$.dropoff.name'", 'customer_name'],
  ['streets', "record ->> '$.dropoff.address'", 'address'],
  ['zip', "substr(record ->> '$.dropoff.address', -10, 5)", 'zip'],
  ['date', `date(${local}, 'unixepoch')`, 'day'],
  ['weekday', `'${JSON.stringify(weekdayNames)}' ->> (strftime('%u', ${local}, 'unixepoch') - 1)`, 'weekday'],
  ['hour', `cast(strftime('%H', ${local}, 'unixepoch') as integer)`, 'hour'],
  ['reason', "coalesce(record ->> '$.failure_reason', record ->> '$.cancellation_reason')", 'reason'],
];

const counted = [
  'orders',
  'deliveries',
  'active',
  'delivered',
  'failed',
  'canceled',
  'order_value',
  'total_cost',
  'declined',
  'service_fees',
  'return_fees',
  'over_quote',
  'over_quote_cost',
] as const;

/** What the total consists of. */
const parts = [
  ...(['courier_prices', 'service_fees', 'tips', 'return_fees'] as const),
  ...(['cancellation_fees', 'adjustments', 'refunds'] as const),
] as const;

const statusesIn = (...names: StatusGroup[]) =>
  expandStatusNames(names)
    .map((each) => `'${each}'`)
    .join(',');

const selected = (query: string, values?: Record<string, number>) => stored(box, query, values);

/** The counts as the tables have them: the outcome of an order is that of its last delivery. */
function countedBySql([, from, to]: (typeof periods)[number], column: string) {
  const rows = selected(
    `
      with sent as (select *, ${column} as part from deliveries
          where service <> '' and status <> 'request' and created_at >= :from and created_at < :to),
        last as (select *, (select sum(amount) from charges where delivery_id in
            (select id from sent as tried where tried.order_id = sent.order_id)) -
            (record ->> '$.payment_amount') - coalesce(record ->> '$.tip', 0) as over from sent where not exists
          (select 1 from sent as later where later.order_id = sent.order_id and later.id > sent.id))
      select part,
        sum(coalesce(record ->> '$.failure_reason' = 'provider_refused', 0)) as declined,
        sum(case when (select group_concat(kind) from charges where delivery_id = sent.id) in ('delivery', 'delivery,return')
          then (record ->> '$.payment_amount') - (record ->> '$.cost_of_delivery') else 0 end) as service_fees,
        sum(coalesce((select sum(amount) from charges where delivery_id = sent.id and kind = 'return'), 0)) as return_fees,
        (select count(*) from last where last.part is sent.part and over > 0) as over_quote,
        (select coalesce(sum(over), 0) from last where last.part is sent.part and over > 0) as over_quote_cost,
        (select count(*) from last where last.part is sent.part) as orders, count(*) as deliveries,
        (select count(*) from last where last.part is sent.part and status in (${statusesIn('initial', 'in_transit')})) as active,
        (select count(*) from last where last.part is sent.part and status in (${statusesIn('fulfilled')})) as delivered,
        (select count(*) from last where last.part is sent.part and status in (${statusesIn('failed')})) as failed,
        (select count(*) from last where last.part is sent.part and status in (${statusesIn('canceled')})) as canceled,
        (select coalesce(sum(record ->> '$.order_value'), 0) from last where last.part is sent.part) as order_value,
        sum(coalesce((select sum(amount) from charges where delivery_id = sent.id), 0)) as total_cost
      from sent group by part`,
    { from: Date.parse(from), to: Date.parse(to) },
  );
  return rows.map((row) => [row.part, ...counted.map((name) => row[name])]);
}

const inOrder = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).sort();

test.each(periods.flatMap((period) => groups.map((group) => [...group, ...period] as const)))(
  'by %s (%s, %s): the counts of %s are those of the database',
  async (by, column, field, ...period) => {
    const { stdout } = await box.run(['report', ...period[0].split(' '), '--by', by, '--json']);
    const rows: ReportRow[] = JSON.parse(stdout);
    const found = rows.map((row) => [row[field], ...counted.map((name) => row[name])]);
    expect(rows.length).toBeGreaterThan(0);
    expect(inOrder(found)).toEqual(inOrder(countedBySql([...period], column)));
    const [all] = JSON.parse((await box.run(['report', ...period[0].split(' '), '--json'])).stdout);
    for (const name of counted) expect(rows.reduce((sum, row) => sum + row[name], 0)).toBe(all[name]);
    for (const row of rows) expect(parts.reduce((sum, name) => sum + row[name], 0)).toBe(row.total_cost);
  },
);

test('a list with several deliveries of one order leads to the order that has the most', async () => {
  const { stderr } = await box.run(['deliveries', 'list', '--all']);
  const [, command = ''] =
    /deliveries are of 36 orders. One has 2 of them: waybill (deliveries list --search ord_\w+)/.exec(
      stderr,
    ) ?? [];
  expect(JSON.parse((await box.run([...command.split(' '), '--json'])).stdout)).toHaveLength(2);
  const own = await box.run(['deliveries', 'list', '--search', command.split(' ').at(-1) ?? '']);
  expect(own.stderr).toMatch(
    /These 2 deliveries are of 1 order. How it ended: waybill deliveries explain ord_/,
  );
  const counts = await box.run(['orders', 'list', '--tries', '2', '--columns', 'tries', '--all']);
  expect(counts.stdout).toMatch(/^(2\n)+$/);
  const terminal = { tty: true, columns: 200, env: { NO_COLOR: '1' } };
  const table = await box.run(['orders', 'list', '--tries', '2'], terminal);
  expect(table.stdout).toMatch(/ DELIVERIES\n/);
});

test('a list of failures begins with the most failed orders, not with the most tries', async () => {
  const first = async (...flags: string[]) =>
    JSON.parse((await box.run(['report', 'month', ...flags, '--json'])).stdout).map((row: ReportRow) => [
      row.store_name ?? row.reason,
      row.failed,
    ])[0];
  expect(await first('--by', 'store', '--sort', 'tries')).toEqual(['Deli', 3]);
  expect(await first('--by', 'store', '--sort', 'failed')).toEqual(['Grill', 5]);
  expect(await first('--by', 'store', '--sort', 'problems')).toEqual(['Deli', 3]);
  expect((await first('--by', 'reason'))[0]).not.toBeNull();
});

test('the slowest from pickup to arrival are first, with those minutes', async () => {
  const line = ['report', 'month', '--by', 'store', '--sort', 'pickup_to_dropoff'];
  const rows: ReportRow[] = JSON.parse((await box.run([...line, '--json'])).stdout);
  const driven = selected(`select store_id, avg(ended_at - (record ->> '$.pickup.eta')) / 60000.0 as minutes
    from deliveries where status = 'delivered' group by store_id`);
  const minutes = rows.map((row) => row.average_driving_minutes);
  const ofStore = new Map(driven.map((row) => [row.store_id, rounded(Number(row.minutes))]));
  expect(minutes).toEqual(rows.map((row) => ofStore.get(row.store_id) ?? null));
  expect(minutes).toEqual(minutes.toSorted((a, b) => (b ?? 0) - (a ?? 0)));
  const [head = '', first = ''] = (await box.run([...line, '-o', 'table'])).stdout.split('\n');
  expect([head, first]).toEqual([
    expect.stringMatching(/PICKUP TO ARRIVAL$/),
    expect.stringMatching(new RegExp(`\\b${minutes[0]}$`)),
  ]);
});

/** The share that is shown; below zero without one. */
function onTime({ on_time, late, late_active }: ReportRow): number {
  const arrived = on_time + late - late_active;
  return arrived === 0 ? -1 : on_time / arrived;
}

test.each([
  ['--sort orders:asc', (row: ReportRow) => row.orders],
  ['--sort spent:asc', (row: ReportRow) => row.total_cost],
  ['--sort each:desc', (row: ReportRow) => -(row.average_cost ?? 0)],
  ['--sort cheapest', (row: ReportRow) => row.average_cost ?? 1e9],
  ['--sort goods', (row: ReportRow) => -row.order_value],
  ['--sort under_way:up', (row: ReportRow) => row.active],
  ['--sort on_time', (row: ReportRow) => -onTime(row)],
  ['--sort on_time:asc', (row: ReportRow) => onTime(row) + (onTime(row) < 0 ? 10 : 0)],
  ['--sort refused', (row: ReportRow) => -row.declined / row.deliveries],
])('%s puts the rows in this order', async (flags, placeOf) => {
  const places = (await rowsOf('month', '--by', 'day,store', ...flags.split(' '))).map(placeOf);
  expect(places.length).toBeGreaterThan(5);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

test('a share that people see as counts is sorted by the share, and last without one', async () => {
  const [row] = await rowsOf('month');
  if (row === undefined) throw new Error('nothing is counted');
  const shares = [
    [6, 0],
    [7, 2],
    [0, 0],
  ] as const;
  const rows = shares.map(([on_time, late]) => ({
    ...{ ...row, on_time, late, late_active: 0 },
    ...{ from: '', to: '', time_zone: null },
  }));
  for (const [direction, expected] of [
    ['asc', [7, 6, 0]],
    ['desc', [6, 7, 0]],
  ] as const) {
    const sort = readSort(`on_time:${direction}`, reportColumns, { others: sortColumns });
    expect(rows.toSorted(columnOrder(sort, reportColumns)).map(({ on_time }) => on_time)).toEqual(expected);
  }
});

test('two periods stand beside each other, however they are asked for', async () => {
  const rows = async (...line: string[]) => JSON.parse((await box.run([...line, '--json'])).stdout);
  const [yesterday] = await rows('report', 'yesterday');
  const [today] = await rows('report', 'today');
  const both = [
    { period: 'yesterday', ...yesterday },
    { period: 'today', ...today },
  ];
  const midnight = '2026-03-10T05:00:00.000Z';
  expect([yesterday.to, today.from, today.time_zone]).toEqual([midnight, midnight, 'America/Chicago']);
  expect(await rows('report', 'yesterday', 'today')).toEqual(both);
  expect(await rows('report', 'yesterday', 'vs', 'today')).toEqual(both);
  expect(await rows('report', 'yesterday', '--compare', 'today')).toEqual(both);
  const named = (format: string) =>
    box.run(['report', 'yesterday', 'today', '--by', 'store', '--columns', 'store,delivered', '-o', format]);
  expect((await named('table')).stdout).toMatch(/^PERIOD +STORE +DELIVERED\nyesterday /);
  expect((await named('csv')).stdout).toMatch(/^store,delivered\n/);
  const halves = await box.run(['report', 'yesterday', '2020-01-02', '--by', 'store', '-o', 'csv']);
  expect(halves.stderr).toContain('No deliveries in 2020-01-02: every row is of yesterday.');
  expect(halves.stderr).toMatch(/yesterday: Dispatched since .+ 2020-01-02: Dispatched since 2020-01-02/);
  const days = await box.run(['report', 'month', '--by', 'day', '-o', 'csv', '--no-raw']);
  expect(days.stdout).toMatch(/^Period,From \(America\/Chicago\),.*,Day,.*,Total \(USD\),/);
  expect(days.stdout).toMatch(/^,2026-03-01 00:00:00,.*,\d{4}-\d\d-\d\d,.*,-?\d+\.\d\d,/m);
  expect(days.stdout).not.toContain('$');
  const byStore = await rows('report', 'last', 'week', 'this', 'week', '--by', 'stores', '--sort', 'cost');
  const [first, second] = byStore;
  expect([first.period, second.period, first.store_id]).toEqual(['last week', 'this week', second.store_id]);
});

const rowsOf = async (...line: string[]): Promise<ReportRow[]> =>
  JSON.parse((await box.run(['report', ...line, '--json'])).stdout);

test.each(['refunds by store', '--by store --columns store,refunds', '--fees --by store --sort total'])(
  'report month %s: what was given back is said, also where the prices are without it',
  async (flags) => {
    const sums = new Map<string, number>();
    const list = ['charges', 'list', '--kind', 'refund', '--period', 'month', '--all'];
    for (const { store_name, amount } of JSON.parse((await box.run([...list, '--json'])).stdout))
      sums.set(store_name ?? 'no store', (sums.get(store_name ?? 'no store') ?? 0) - amount);
    expect(sums.size).toBeGreaterThan(1);
    const byStore = [...sums].toSorted(([, left], [, right]) => right - left);
    const parts = (sign: number) => byStore.map(([name, sum]) => `${name} ${dollars(sign * sum)}`).join(', ');
    const total = dollars(byStore.reduce((all, [, sum]) => all + sum, 0));
    const { stdout, stderr } = await box.run(['report', 'month', ...flags.split(' '), '-o', 'table']);
    expect(stderr).toContain(`Given back in the period: ${total} (${parts(1)}): waybill ${list.join(' ')}\n`);
    expect(stdout).not.toMatch(/(?<!other )refunds\b|(?<!OTHER )REFUNDS/);
    expect((await box.run(list)).stderr).toContain(`By store: ${parts(-1)}.\n`);
  },
);

test.each([
  [{ courier_prices: 500, refunds: -500 }, 3],
  [{}, 0],
])('of rows without deliveries, but with %j, %d are shown', async (money, shown) => {
  const nothing = { deliveries: 0, orders: 0, late: 0, on_time: 0, total_cost: 0, quotes: 0 };
  const unpaid = { courier_prices: 0, adjustments: 0, refunds: 0 };
  const transport: Transport = async (request) => {
    const answer = await box.transport(request);
    if (!request.path.startsWith('/v2/report')) return answer;
    const { data, ...rest } = JSON.parse(answer.body);
    const rows = data.map((row: ReportRow) => ({ ...row, ...nothing, ...unpaid, ...money }));
    return { ...answer, body: JSON.stringify({ ...rest, data: rows }) };
  };
  const { stdout } = await box.run(['report', 'month', '--by', 'store', '--json'], { transport });
  expect(JSON.parse(stdout)).toHaveLength(shown);
});

test('a courier is shown with its quotes, also if it was never chosen', async () => {
  const quotes = selected(`
    select provider, count(distinct route_id) as quotes,
      count(distinct (select route_id from dispatches where dispatches.route_id = quotes.route_id
        and dispatches.provider = quotes.provider)) as quotes_taken
    from quotes where route_id <> '' group by provider`);
  const rows = await rowsOf('month', '--rates', '--by', 'courier');
  expect(rows.map((row) => [row.courier, row.quotes, row.quotes_taken]).sort()).toEqual(
    quotes.map((row) => [row.provider, row.quotes, row.quotes_taken]).sort(),
  );
  const chosen = await rowsOf('month', '--by', 'courier');
  const { stdout, stderr } = await box.run(['report', 'month', '--by', 'courier', '-o', 'wide']);
  expect(stderr).toContain('Counted by when they were dispatched, or sent again.');
  expect(stderr).toContain('Canceled are orders, whoever canceled them.');
  expect(stdout).toMatch(/ LOST TRIES +OF THESE +PROBLEMS /);
  expect(chosen.map(({ courier }) => courier).sort()).toEqual(
    rows.flatMap((row) => (row.quotes_taken === 0 ? [] : [row.courier])).sort(),
  );
});

const rounded = (minutes: number | null) => minutes && Math.round(10 * minutes) / 10;

test.each<[string, Partial<ReportRow>, Partial<ReportRow>]>([
  ['reason', { reason: 'unreachable', reason_messages: ['Nobody home'] }, { reason_messages: ['No answer'] }],
  ['customer', { customer_name: 'Joe', customer_contact: '13125550142' }, { customer_name: 'JOE' }],
  ['driver, who was renamed', { driver_id: 'drv_1', driver_name: 'Ana' }, { driver_name: 'Ana B' }],
  ['store, which was renamed', { store_id: 'str_1', store_name: 'Grill' }, { store_name: 'Deli' }],
])('the rows of two periods of one %s are below each other', async (_, known, later) => {
  const [row]: ReportRow[] = JSON.parse((await box.run(['report', 'month', '--json'])).stdout);
  if (row === undefined) throw new Error('nothing is counted');
  const first = { ...row, ...known, from: '', to: '', time_zone: null };
  const created = { created_after: '2026-03-02T06:00Z', created_before: undefined };
  const rows = rowsByGroup([
    { label: 'yesterday', created, rows: [first, { ...first, zip: '60601' }] },
    { label: 'today', created, rows: [{ ...first, ...later }] },
  ]);
  expect(rows.map(({ period, zip }) => [period, zip])).toEqual([
    ['yesterday', null],
    ['today', null],
    ['yesterday', '60601'],
  ]);
});

test('the longest wait at a store is listed by the command below the average', async () => {
  const own = await sandbox();
  const ids = [await newDelivery(own, '--initiate'), await newDelivery(own, '--initiate')];
  for (const id of ids) await own.json(['sandbox', 'step', id, 'arrived_at_pickup']);
  await own.json(['sandbox', 'step', ids[0] ?? '', 'pickup_complete']);
  // The other driver waits until the food is ready.
  own.advance(2 * hour);
  const { stderr } = await own.run(['report', 'today', '--minutes']);
  const [, line = ''] = /Who waited longest at a store: waybill (.*)/.exec(stderr) ?? [];
  const { stdout } = await own.run([...line.split(' '), '--columns', 'id,at_store_minutes']);
  expect(stdout).toMatch(new RegExp(`^${ids[1]}\t[1-9]\\d*\n${ids[0]}\t0\n$`));
});

test('the median, the fastest and the slowest are those of the deliveries', async () => {
  const rows = selected(`select store_id, (ended_at - created_at) / 60000.0 as minutes from deliveries
    where status = 'delivered' order by minutes`);
  for (const row of await rowsOf('month', '--by', 'store', '--minutes')) {
    const own = rows.filter(({ store_id }) => store_id === row.store_id);
    const at = (place: number) => Number(own.at(place)?.minutes);
    const [low, high] = [Math.floor((own.length - 1) / 2), Math.ceil((own.length - 1) / 2)];
    const expected = own.length === 0 ? [] : [at(0), (at(low) + at(high)) / 2, at(-1)];
    const found = [row.shortest_minutes, row.median_minutes, row.longest_minutes];
    expect(found).toEqual([0, 1, 2].map((index) => expected[index] ?? null).map(rounded));
  }
});

test('a day that is over is counted as it stood at this time', async () => {
  for (const scenario of ['happy_path', 'customer_unreachable', 'no_driver', 'happy_path'])
    for (const minutes of [9, 7]) {
      await sent('--store', stores[0] ?? '', '--simulate', scenario);
      box.advance(minutes * 60_000);
    }
  // Forecasts of lateness are not kept.
  const told = (rows: ReportRow[]) =>
    rows.map(({ late, late_active, ...row }) => ({ ...row, period: null, to: null, from: null }));
  const then = await rowsOf('today', '--by', 'store,status');
  box.advance(24 * hour);
  const later = await rowsOf('yesterday', 'today', '--so-far', '--by', 'store,status');
  expect(told(later)).toEqual(told(then));
  expect(told(await rowsOf('yesterday', '--by', 'store,status'))).not.toEqual(told(then));
  for (const line of ['yesterday vs today so far', 'today --same-time', 'by store,status --same-time'])
    expect(told(await rowsOf(...line.split(' '), '--by', 'store,status'))).toEqual(told(then));
  const { stderr } = await box.run(['report', 'fees', 'yesterday', 'today', '--store', stores[0] ?? '']);
  expect(stderr).toMatch(/yesterday is counted to its end, today until /);
  expect(stderr).toContain(`waybill report yesterday today --store ${stores[0]} --fees --same-time`);
  expect((await box.run(['report', 'monday', '--same-time'])).exit).toBe(2);
  const same = await box.run(['report', 'today', 'today']);
  expect([same.exit, same.stderr]).toEqual([
    2,
    expect.stringMatching(/today is compared with itself.*\n.*waybill report yesterday today /),
  ]);
  const narrow = await box.run(['report', 'month', '--by', 'store'], { tty: true, columns: 120 });
  expect(narrow.stdout).toContain('EACH DELIVERED');
  const fees = await box.run(['report', 'month', '--fees', '--by', 'store'], { tty: true, columns: 200 });
  expect(fees.stdout).toMatch(/without what was given back: .*; no .*cancellation fees.*\.\n/);
  const words = ['report', 'month', 'by', 'store', 'fees', '-o', 'csv'];
  expect(await box.run(words)).toEqual(
    await box.run(['report', 'month', '--by', 'store', '--fees', '-o', 'csv']),
  );
  expect(await box.run(['report', 'late', 'month', 'by', 'store', '-o', 'csv'])).toEqual(
    await box.run(['report', 'month', '--by', 'store', '--sort', 'late', '-o', 'csv']),
  );
});

test.each(['phone', 'email'])('--by %s is refused, as a customer has either', async (by) => {
  const { exit, stderr } = await box.run(['report', '--by', by]);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('customer')]);
});

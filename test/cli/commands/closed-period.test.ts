import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { newDelivery, newStore, sandbox, stored } from '../sandbox.ts';

// The money of a period is the same in a CSV of deliveries, in the charges and in the report, and what is booked after
// its end does not change it.

const box = await sandbox();
const hour = 3_600_000;
const stores = [await newStore(box, 'Grill'), await newStore(box, 'Deli')];
const scenarios = ['happy_path', 'payment_declined', 'provider_cancel_before_pickup', 'customer_unreachable'];
const first: string[] = [];

const to = ['--dropoff-address', '233 S Wacker Dr, Chicago, IL 60606', '--dropoff-name', 'Joe'];
const order = [...to, '--dropoff-phone', '+13125550142', '--item', 'Brisket', '--initiate', '--tip', '2'];

for (const hours of [0, 24, 22]) {
  box.advance(hours * hour);
  for (const store of stores)
    for (const scenario of scenarios) {
      box.advance(1);
      const line = ['deliveries', 'create', ...order, '--store', store, '--simulate', scenario];
      const { stdout } = await box.run([...line, '--json']);
      if (hours === 0) first.push(JSON.parse(stdout).id);
    }
  await box.json(['sandbox', 'advance', '--by', '2h']);
}
const [delivered = '', , , returned = ''] = first;
const disputed = await box.run([
  'deliveries',
  'dispute',
  delivered,
  '--reason',
  'One soup was missing',
  '--yes',
]);
const refund = ['--outcome', 'refunded', '--amount', '1.50'];
const resolved = await box.run(['disputes', 'resolve', delivered, ...refund, '--yes']);

/** The rows of a query on the tables of the service. */
const table = (query: string): unknown[][] => stored(box, query).map((row) => Object.values(row));

const between = (time: string, from: string, to: string) =>
  `${time} >= ${Date.parse(from)} and ${time} < ${Date.parse(to)}`;

const periods: [period: string, from: string, to: string][] = [
  ['2026-03-02', '2026-03-02T06:00Z', '2026-03-03T06:00Z'],
  ['yesterday', '2026-03-03T06:00Z', '2026-03-04T06:00Z'],
  ['today', '2026-03-04T06:00Z', '2026-03-05T06:00Z'],
  ['month', '2026-03-01T06:00Z', '2026-04-01T06:00Z'],
];
const filters: [store: string[], condition: string][] = [
  [[], '1 = 1'],
  [['--store', 'grill'], `store_id = '${stores[0]}'`],
  [['--store', 'Deli'], `store_id = '${stores[1]}'`],
];
const cases = periods.flatMap((period) => filters.map((filter) => [...period, ...filter] as const));

const sumOf = (rows: readonly Record<string, unknown>[], field: string) =>
  rows.reduce((sum, row) => sum + Number(row[field] || 0), 0);
const read = async (...line: string[]) => JSON.parse((await box.run([...line, '--json'])).stdout);
const csv = async (...line: string[]) =>
  parse<Record<string, string>>((await box.run([...line, '--all', '-o', 'csv'])).stdout, { columns: true });

test('the delivery of a closed day was refunded later', () => {
  expect([disputed.exit, resolved.exit, resolved.stderr]).toEqual([0, 0, expect.any(String)]);
  expect(table("select amount from charges where kind = 'refund' order by id desc limit 1")).toEqual([
    [-150],
  ]);
});

test.each(cases)(
  '%s from %s to %s %j: deliveries, charges and report agree',
  async (period, from, to, store, where) => {
    const [sum = []] = table(
      `select coalesce(sum(amount), 0) from charges join deliveries on deliveries.id = delivery_id
     where ${where} and ${between('charges.created_at', from, to)}`,
    );
    const charges = await csv('charges', 'list', '--on', period, ...store);
    const deliveries = await csv('deliveries', 'list', '--charged', period, ...store);
    const [report] = await read('report', period, ...store);
    expect([
      sumOf(charges, 'amount_cents'),
      sumOf(deliveries, 'total_cost_cents'),
      report.total_cost,
    ]).toEqual(Array(3).fill(sum[0]));
    const created = await csv('deliveries', 'list', '--on', period, ...store);
    const ofCreated = `select coalesce(sum(amount), 0) from charges join deliveries on deliveries.id = delivery_id
    where ${where} and ${between('deliveries.created_at', from, to)}`;
    const isOver = period !== 'today' && period !== 'month';
    const late = isOver ? table(`${ofCreated} and charges.created_at >= ${Date.parse(to)}`)[0] : [0];
    expect([sumOf(created, 'total_cost_cents'), sumOf(created, 'later_cost_cents')]).toEqual([
      table(ofCreated)[0]?.[0],
      late?.[0],
    ]);
    const orders = await read('orders', 'list', '--on', period, '--all', ...store);
    expect(sumOf(orders, 'total_cost')).toBe(table(ofCreated)[0]?.[0]);
    const counted = `select count(distinct order_id) from deliveries where ${where} and service <> '' and ${between('created_at', from, to)}`;
    expect([[report.orders]]).toEqual(table(counted));
  },
);

test('what was refunded of a closed day is said, and was not before', async () => {
  const [row] = (await csv('deliveries', 'list', '--on', '2026-03-02')).filter(({ id }) => id === delivered);
  expect(row).toMatchObject({ later_cost_cents: '-150', 'charges.refund_cents': '-150' });
});

test.each(periods)('%s: tips are those that were not given back', async (period, from, to) => {
  const [kept = []] =
    table(`select coalesce(sum(amount), 0), round(avg(amount)) from charges where kind = 'tip' and
    ${between('created_at', from, to)} and delivery_id not in (
      select id from deliveries where status = 'failed' or status like '%canceled')`);
  const [report] = await read('report', period);
  expect([report.tips, report.average_tip]).toEqual(kept);
  const listed = (await read('charges', 'list', '--kind', 'tip', '--on', period, '--all')) as {
    amount: number;
    given_back: boolean;
  }[];
  expect(listed.filter((each) => each.given_back).length).toBeGreaterThan(0);
  expect(
    sumOf(
      listed.filter((each) => !each.given_back),
      'amount',
    ),
  ).toBe(kept[0]);
  const { stderr } = await box.run(['charges', 'list', '--kind', 'tip', '--on', period, '--all']);
  expect(stderr).toContain(`given back: $${(Number(kept[0]) / 100).toFixed(2)}.`);
});

test('a refund, a return and a cancellation say why, and of which order', async () => {
  const charges = (await read('charges', 'list', '--all')) as Record<string, unknown>[];
  const isWhy = (kind: string, id: string) =>
    charges.find((each) => each.kind === kind && each.delivery_id === id)?.reason;
  expect(isWhy('refund', delivered)).toBe('One soup was missing');
  expect(isWhy('return', returned)).toMatch(/recipient/);
  expect(charges.filter(({ kind, reason }) => kind === 'refund' && !reason)).toEqual([]);
  const orders = new Map(table('select id, order_id from deliveries').map(([id, order]) => [id, order]));
  expect(charges.filter(({ delivery_id, order_id }) => orders.get(delivery_id) !== order_id)).toEqual([]);
});

const shifted = (from: string) => (Date.parse(from) % (24 * hour)) / hour;

test.each(periods)('%s: by courier, hour and weekday as the tables have it', async (period, from, to) => {
  const created = `from deliveries where service <> '' and status <> 'request' and ${between('created_at', from, to)}`;
  const lost = table(`select service, count(*), sum(record ->> '$.failure_reason' = 'provider_refused'),
    sum(status = 'provider_canceled') ${created} group by 1`);
  const byCourier = await read('report', period, '--by', 'courier');
  const told = byCourier.map((row: Record<string, unknown>) => [
    row.courier,
    row.deliveries,
    row.declined,
    row.dropped,
  ]);
  expect(told.filter((row: unknown[]) => row[1] !== 0).sort()).toEqual(
    lost.map((row) => row.map((each) => each ?? 0)).sort(),
  );
  // The store's clocks are those of the offset of midnight.
  const at = `(created_at - ${shifted(from) * hour})`;
  const hours = table(
    `select ${at} / ${hour} % 24, count(distinct order_id) ${created} group by 1 order by 1`,
  );
  const byHour = await read('report', period, '--by', 'hour');
  const rows = byHour.filter((row: Record<string, unknown>) => row.orders !== 0);
  expect(rows.map((row: Record<string, unknown>) => [row.hour, row.orders])).toEqual(hours);
  const names = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
  const days = table(
    `select (${at} / ${24 * hour} + 3) % 7, count(distinct order_id) ${created} group by 1 order by 1`,
  );
  const byDay = await read('report', period, '--by', 'weekday');
  const dayRows = byDay.filter((row: Record<string, unknown>) => row.orders !== 0);
  expect(
    dayRows.map((row: Record<string, unknown>) => [names.indexOf(String(row.weekday)), row.orders]),
  ).toEqual(days);
});

const costOf = '(select coalesce(sum(amount), 0) from charges where delivery_id = deliveries.id)';
const costs: [flags: string[], condition: string][] = [
  [['--min-cost', '6'], `${costOf} >= 600`],
  [['--max-cost', '0'], `${costOf} <= 0`],
  [
    ['--min-cost', '1', '--max-cost', '9.50', '--store', 'Deli'],
    `${costOf} between 100 and 950 and store_id = '${stores[1]}'`,
  ],
];

test.each(costs)('deliveries list %j', async (flags, condition) => {
  const { stdout } = await box.run(['deliveries', 'list', ...flags, '--all', '-o', 'id']);
  const stored = table(`select id from deliveries where ${condition} order by id desc`).flat();
  expect(stdout.split('\n').filter(Boolean)).toEqual(stored);
  expect(stored).not.toEqual([]);
});

test('notes and problems of a store are those of its deliveries', async () => {
  for (const id of first.slice(0, 5)) await box.run(['deliveries', 'note', id, 'Rang twice']);
  const ofStore = table(`select id from deliveries where store_id = '${stores[0]}'`).flat();
  const notes = (await read('notes', '--store', 'Grill')) as { delivery_id: string }[];
  expect(notes.map((note) => note.delivery_id).sort()).toEqual(first.slice(0, 4));
  const all = (await read('today')).items as { id: string }[];
  const some = (await read('today', '--store', 'Grill')).items as { id: string }[];
  expect(some).toEqual(all.filter(({ id }) => ofStore.includes(id)));
  expect([some.length > 0, all.length > some.length]).toEqual([true, true]);
});

test.each([['report'], ['charges', 'list'], ['notes'], ['today'], ['orders', 'list']])(
  'an unknown store is refused with the one that was meant: %s %s',
  async (...line) => {
    const { exit, stderr } = await box.run([...line, '--store', 'Gril']);
    expect([exit, stderr]).toEqual([5, expect.stringMatching(/no store named "Gril"[\s\S]*Grill/)]);
  },
);

test('what canceled deliveries cost in a period is without what was given back after it', async () => {
  const night = await sandbox();
  night.advance(20 * hour - 30_000);
  const ids = [await newDelivery(night, '--initiate'), await newDelivery(night, '--initiate')];
  night.advance(60_000);
  for (const id of ids) await night.json(['deliveries', 'cancel', id, '--yes']);
  const line = ['deliveries', 'list', '--status', 'canceled', '--charged', 'yesterday'];
  expect((await night.run(line)).stderr).toMatch(/^These 2 cost \$[1-9][\d.]*\.$/m);
});

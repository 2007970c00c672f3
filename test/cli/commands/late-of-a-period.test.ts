import { expect, test } from 'vitest';
import { late_tolerance_ms } from '../../../src/domain/lateness.ts';
import { newDelivery, sandbox, stored } from '../sandbox.ts';

// What a list calls late in a period is what the report of that period counts, and what the tables have: a delivery is
// late on the day for which it was promised, whenever it was ordered. Everything else counts on the day of its creation.

const box = await sandbox();
const hour = 3_600_000;
const scenarios = ['happy_path', 'customer_unreachable', 'no_capacity', 'happy_path', 'slow_assignment'];

/** The hours since the day before, and the pre-orders of a day. */
const days: [hours: number, preOrders: string[]][] = [
  [0, []],
  [24, ['2026-03-07 18:00', '2026-03-07 18:10', '2026-03-07 18:20']],
  [120, []],
  [24, ['2026-03-10 23:00', '2026-03-12 18:00', '2026-03-12 18:10']],
  [23.5, []],
];

for (const [hours, preOrders] of days) {
  box.advance(hours * hour);
  for (const scenario of scenarios) await newDelivery(box, '--initiate', '--simulate', scenario);
  for (const at of preOrders) await newDelivery(box, '--initiate', '--dropoff-at', at);
}
await box.json(['sandbox', 'advance', '--by', '30m']);

const table = (query: string, values?: Record<string, number>) => stored(box, query, values);

// Every other delivery of any status was promised an hour earlier.
table('update deliveries set promised_at = promised_at - :by where rowid % 2 = 0', { by: hour });

const periods: [period: string, from: string, to: string][] = [
  ['today', '2026-03-10T05:00Z', '2026-03-11T05:00Z'],
  ['yesterday', '2026-03-09T05:00Z', '2026-03-10T05:00Z'],
  ['2026-03-02', '2026-03-02T06:00Z', '2026-03-03T06:00Z'],
  ['saturday', '2026-03-07T06:00Z', '2026-03-08T06:00Z'],
  ['last week', '2026-03-02T06:00Z', '2026-03-09T05:00Z'],
  ['month', '2026-03-01T06:00Z', '2026-04-01T05:00Z'],
];

const formats: [format: string, ids: (stdout: string) => string[]][] = [
  ['json', (stdout) => JSON.parse(stdout).map(({ id }: { id: string }) => id)],
  ['csv', (stdout) => stdout.match(/^dlv_\w+/gm) ?? []],
  ['id', (stdout) => stdout.match(/^dlv_\w+/gm) ?? []],
];

const now = Date.parse(String((await box.json(['sandbox', 'clock'])).now));
const boundsOf = (from: string, to: string) => ({ start: Date.parse(from), end: Date.parse(to) });
const isArrived = "status in ('delivered', 'disputed')";
const isLate = `promised_at + ${late_tolerance_ms} < case when ${isArrived} then ended_at
  when ended_at is null and status not in ('request', 'enroute_to_return') then max(dropoff_eta, ${now}) end`;
const isPromised = 'promised_at >= :start and promised_at < :end';

test.each(periods)('%s: the late ones of the list are those of the report', async (period, from, to) => {
  const rows = table(
    `select id, status from deliveries where ${isPromised} and ${isLate}`,
    boundsOf(from, to),
  );
  const ids = rows.map(({ id }) => String(id)).sort();
  for (const [format, idsOf] of formats) {
    const { stdout } = await box.run(['deliveries', 'list', '--late', '--on', period, '--all', '-o', format]);
    expect([format, idsOf(stdout).sort()]).toEqual([format, ids]);
  }
  const [report] = JSON.parse((await box.run(['report', ...period.split(' '), '--json'])).stdout);
  const active = rows.filter(({ status }) => status !== 'delivered').length;
  expect([report.late, report.late_active]).toEqual([ids.length, active]);
});

/** The groups of a report: its field, and the expression in SQL. */
const groups: [by: string, field: string, sql: string][] = [
  ['courier', 'courier', 'service'],
  ['status', 'status', 'status'],
  ['store', 'store_id', 'store_id'],
  ['driver', 'driver_name', "record ->> '$.driver.name'"],
];

/** The sums of a group in the tables: orders by their creation, lateness by the promise. */
const sums = (group: string) => `select grouped, sum(orders), sum(delivered), sum(late), sum(on_time) from (
  select ${group} as grouped, 1 as orders, ${isArrived} as delivered, 0 as late, 0 as on_time from deliveries
    where created_at >= :start and created_at < :end and service <> '' and status <> 'request' and id in (
      select max(id) from deliveries where created_at >= :start and created_at < :end group by order_id)
  union all
  select ${group}, 0, 0, coalesce(${isLate}, 0), ${isArrived} and not (${isLate}) from deliveries
    where ${isPromised} and service <> '' and status <> 'request' and (${isArrived} or ended_at is null)
) group by grouped`;

test.each(periods.flatMap((period) => groups.map((group) => [...period, ...group] as const)))(
  '%s: the report from %s to %s by %s is what the tables have',
  async (period, from, to, by, field, group) => {
    const sum = table(sums(group), boundsOf(from, to)).map((row) => Object.values(row));
    const reported = JSON.parse(
      (await box.run(['report', ...period.split(' '), '--by', by, '--json'])).stdout,
    );
    const told = reported.map((row: Record<string, unknown>) => [
      ...[row[field], row.orders, row.delivered, row.late, row.on_time],
    ]);
    expect(told.sort()).toEqual(sum.sort());
  },
);

test('the periods have late ones that have arrived, and today also some under way', async () => {
  const counts = async (period: string) => {
    const [{ late, late_active }] = JSON.parse((await box.run(['report', period, '--json'])).stdout);
    return [late, late_active];
  };
  const [all = 0, active = 0] = await counts('month');
  expect([all - active > 0, active > 0]).toEqual([true, true]);
  expect((await counts('2026-03-02'))[0]).toBeGreaterThan(0);
  // Nothing was created on that Saturday: these were ordered before.
  expect((await counts('saturday'))[0]).toBeGreaterThan(0);
  expect((await box.run(['report', 'month'], { tty: true, columns: 160 })).stdout).toMatch(
    new RegExp(` ${all} \\(${active} under way\\) `),
  );
});

test('without a period only what is under way is late', async () => {
  const { stdout } = await box.run(['deliveries', 'list', '--late', '--all', '--json']);
  const listed: { status: string }[] = JSON.parse(stdout);
  expect(listed.length).toBeGreaterThan(0);
  expect(listed.filter(({ status }) => status === 'delivered')).toEqual([]);
  const now = await box.run([
    'deliveries',
    'list',
    '--late',
    '--filter',
    'promised_at < now',
    '--all',
    '--json',
  ]);
  const count = JSON.parse(now.stdout).length;
  const counted = await box.run(['deliveries', 'list', '--late', '--all', '--columns', 'ref']);
  const coming = listed.length - count;
  const already = count === 0 ? 'None is late yet:' : `${count} ${count === 1 ? 'is' : 'are'} late now,`;
  expect(counted.stderr).toContain(coming === 0 ? '' : `${already} ${coming} will be.`);
  const arrived = await box.run(['deliveries', 'list', '--late', '--status', 'delivered', '--all', '--json']);
  expect(JSON.parse(arrived.stdout).length).toBeGreaterThan(0);
});

const due = (from: string, to: string) =>
  `coalesce(promised_at, dropoff_at) >= ${Date.parse(from)} and coalesce(promised_at, dropoff_at) < ${Date.parse(to)}`;
const arrived = (from: string, to: string) =>
  `${isArrived} and ended_at >= ${Date.parse(from)} and ended_at < ${Date.parse(to)}`;

/** The flags of a list, and what the tables have for them. */
const lists: [flags: string, condition: string][] = [
  ['--due today', due('2026-03-10T05:00Z', '2026-03-11T05:00Z')],
  ['--due thursday', due('2026-03-12T05:00Z', '2026-03-13T05:00Z')],
  ['--due 2026-03-07', due('2026-03-07T06:00Z', '2026-03-08T06:00Z')],
  ["--due 'this week'", due('2026-03-09T05:00Z', '2026-03-16T05:00Z')],
  [
    '--due yesterday --status delivered',
    `status = 'delivered' and ${due('2026-03-09T05:00Z', '2026-03-10T05:00Z')}`,
  ],
  ['--delivered saturday', arrived('2026-03-07T06:00Z', '2026-03-08T06:00Z')],
  ['--delivered --on yesterday', arrived('2026-03-09T05:00Z', '2026-03-10T05:00Z')],
  ["--delivered 'last week'", arrived('2026-03-02T06:00Z', '2026-03-09T05:00Z')],
  ['--delivered', isArrived],
  ['--scheduled --due thursday', due('2026-03-12T05:00Z', '2026-03-13T05:00Z')],
  ['--late --delivered saturday', `${isLate} and ${arrived('2026-03-07T06:00Z', '2026-03-08T06:00Z')}`],
  ['--late --on thursday --due 2026-03-07', '1 = 0'],
];

test.each(lists)('deliveries list %s lists what the tables have', async (flags, condition) => {
  const ids = table(`select id from deliveries where ${condition} order by id desc`).map(({ id }) => id);
  const words = [...flags.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  const { stdout, exit } = await box.run(['deliveries', 'list', ...words, '--all', '-o', 'id']);
  const found = stdout.split('\n').filter(Boolean);
  const isSorted = ['--late', '--due'].some((word) => words.includes(word));
  expect([exit, isSorted ? found.toSorted().toReversed() : found]).toEqual([0, ids]);
  if (condition !== '1 = 0') expect(ids).not.toEqual([]);
  if (words.some((word) => ['--late', '--scheduled', '--status'].includes(word))) return;
  // Every order here has one delivery.
  const orders = table(`select order_id from deliveries where ${condition} order by order_id desc`);
  const listed = await box.run(['orders', 'list', ...words, '--all', '-o', 'id']);
  expect(listed.stdout.split('\n').filter(Boolean)).toEqual(orders.map(({ order_id }) => order_id));
});

test.each([['--on tomorrow'], ['--on', '2026-03-12']])(
  'a period of the creation that is to come names the list of what is due then: %s',
  async (...flags) => {
    const { exit, stderr } = await box.run(['deliveries', 'list', ...flags.join(' ').split(' ')]);
    expect([exit, stderr]).toEqual([
      2,
      expect.stringMatching(/still to come[\s\S]*deliveries list --due \S+/),
    ]);
    const late = await box.run(['deliveries', 'list', '--late', ...flags.join(' ').split(' '), '--json']);
    expect([late.exit, late.stderr]).toEqual([0, '']);
  },
);

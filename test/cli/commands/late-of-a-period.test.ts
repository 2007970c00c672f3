import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { late_tolerance_ms } from '../../../src/domain/lateness.ts';
import { newDelivery, sandbox } from '../sandbox.ts';

// What a list calls late in a period is what the report of that period counts, and what the tables have.

const box = await sandbox();
const hour = 3_600_000;

for (const hours of [0, 24, 120, 24, 23.5]) {
  box.advance(hours * hour);
  const scenarios = ['happy_path', 'customer_unreachable', 'no_capacity', 'happy_path', 'slow_assignment'];
  for (const scenario of scenarios) await newDelivery(box, '--initiate', '--simulate', scenario);
}
await box.json(['sandbox', 'advance', '--by', '30m']);

/** Runs a query on the tables of the service. */
function table(text: string, ...values: number[]) {
  const database = new DatabaseSync(box.file);
  try {
    return database.prepare(text).all(...values);
  } finally {
    database.close();
  }
}

// Every other delivery of any status was promised an hour earlier.
table('update deliveries set promised_at = promised_at - ? where rowid % 2 = 0', hour);

const periods: [period: string, from: string, to: string][] = [
  ['today', '2026-03-10T05:00Z', '2026-03-11T05:00Z'],
  ['yesterday', '2026-03-09T05:00Z', '2026-03-10T05:00Z'],
  ['2026-03-02', '2026-03-02T06:00Z', '2026-03-03T06:00Z'],
  ['last week', '2026-03-02T06:00Z', '2026-03-09T05:00Z'],
  ['month', '2026-03-01T06:00Z', '2026-04-01T05:00Z'],
];

const formats: [format: string, ids: (stdout: string) => string[]][] = [
  ['json', (stdout) => JSON.parse(stdout).map(({ id }: { id: string }) => id)],
  ['csv', (stdout) => stdout.match(/^dlv_\w+/gm) ?? []],
  ['id', (stdout) => stdout.match(/^dlv_\w+/gm) ?? []],
];

test.each(periods)('%s: the late ones of the list are those of the report', async (period, from, to) => {
  const now = Date.parse(String((await box.json(['sandbox', 'clock'])).now));
  const rows = table(
    `select id, status from deliveries where created_at >= ? and created_at < ? and promised_at + ? <
      case when status in ('delivered', 'disputed') then ended_at
        when ended_at is null and status not in ('request', 'enroute_to_return') then max(dropoff_eta, ?) end`,
    ...[Date.parse(from), Date.parse(to), late_tolerance_ms, now],
  );
  const ids = rows.map(({ id }) => String(id)).sort();
  for (const [format, idsOf] of formats) {
    const { stdout } = await box.run(['deliveries', 'list', '--late', '--on', period, '--all', '-o', format]);
    expect([format, idsOf(stdout).sort()]).toEqual([format, ids]);
  }
  const [report] = JSON.parse((await box.run(['report', ...period.split(' '), '--json'])).stdout);
  const active = rows.filter(({ status }) => status !== 'delivered').length;
  expect([report.late, report.late_active]).toEqual([ids.length, active]);
  expect(report.delivered).toBe(report.on_time + report.late - report.late_active);
});

test('the periods have late ones that have arrived, and today also some under way', async () => {
  const counts = async (period: string) => {
    const [{ late, late_active }] = JSON.parse((await box.run(['report', period, '--json'])).stdout);
    return [late, late_active];
  };
  const [all = 0, active = 0] = await counts('month');
  expect([all - active > 0, active > 0]).toEqual([true, true]);
  expect((await counts('2026-03-02'))[0]).toBeGreaterThan(0);
  expect((await box.run(['report', 'month'], { tty: true, columns: 160 })).stdout).toMatch(
    new RegExp(` ${all} \\(${active} under way\\) `),
  );
});

test('without a period only what is under way is late', async () => {
  const { stdout } = await box.run(['deliveries', 'list', '--late', '--all', '--json']);
  const listed: { status: string }[] = JSON.parse(stdout);
  expect(listed.length).toBeGreaterThan(0);
  expect(listed.filter(({ status }) => status === 'delivered')).toEqual([]);
  const arrived = await box.run(['deliveries', 'list', '--late', '--status', 'delivered', '--all', '--json']);
  expect(JSON.parse(arrived.stdout).length).toBeGreaterThan(0);
});

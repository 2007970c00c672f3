import { expect, test } from 'vitest';
import { displayWidth } from '../../../../src/cli/kit/output/terminal-lines.ts';
import { linesIn, type RunOptions, rowsIn } from '../../harness.ts';
import { newDelivery, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const minute = 60_000;

const made = (...flags: string[]) => newDelivery(box, ...flags);

async function listed(...flags: string[]): Promise<string[]> {
  const { stdout } = await box.run(['deliveries', 'list', ...flags, '-o', 'id']);
  return linesIn(stdout);
}

const slow = ['--initiate', '--simulate', 'slow_assignment'];
const stuck = await made(...slow, '--ref', '#1', '--dropoff-name', 'Ann Lee');
await made('--ref', '#2', '--dropoff-name', 'Ben Ray');
const fast = await made('--initiate', '--ref', '#3', '--dropoff-name', 'Cy Young');
box.advance(24.8 * minute);

test.each([
  ['--stuck', true],
  ['--stuck 10m', true],
  ['--stuck=10m', true],
  ['--stuck --ref #1', true],
  ['--stuck 24m', false],
  ['--unchanged-since 20m', true],
  ['--unchanged-since 25m', false],
  ['--unchanged-since 2026-03-02T10:00:30Z', true],
])('%s: what is overdue, or has not changed', async (flags, isListed) => {
  expect(await listed(...flags.split(' '))).toEqual(isListed ? [stuck] : []);
});

test('the command for the next page repeats all filters, with times as instants', async () => {
  const { stderr } = await box.run(['deliveries', 'list', '--search', 'wa', '--since', '1d', '--limit', '1']);
  expect(stderr).toContain('waybill deliveries list --search wa --since 2026-03-01T10:24:48.');
});

const terminal = (columns: number): RunOptions => ({ tty: true, columns, env: { NO_COLOR: '1' } });

test.each([60, 200])(
  'at %d columns it is a table that fits, with id, status and reference',
  async (columns) => {
    const { stdout, stderr } = await box.run(['deliveries', 'list'], terminal(columns));
    const [head = '', ...rows] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^ID +STATUS +/);
    expect(head).toContain('REF');
    expect(rows).toHaveLength(3);
    for (const row of [head, ...rows]) expect(displayWidth(row)).toBeLessThanOrEqual(columns);
    expect(head.includes('CREATED')).toBe(columns === 200);
    expect(stderr.includes('-o wide')).toBe(columns < 200);
  },
);

test('people see lateness by service time; programs get the ETA', async () => {
  const slow = ['--simulate', 'slow_assignment', '--ref', '#4', '--dropoff-name', 'Dee Fox'];
  const late = await made('--initiate', ...slow);
  box.advance(20 * minute);
  const soon = await box.run(['deliveries', 'list', '--ref', '#4'], terminal(100));
  expect(soon.stdout).toMatch(/Dee Fox +in \d+ min/);
  expect(await listed('--late')).not.toContain(late);
  box.advance(6 * minute);
  const { stdout } = await box.run(['deliveries', 'list'], terminal(100));
  expect(stdout).toMatch(
    new RegExp(`^${late.slice(-5)} .* Dee Fox +\\d\\d:\\d\\d, now \\d\\d:\\d\\d, in \\d+ min`, 'm'),
  );
  const tsv = await box.run(['deliveries', 'list', '--ref', '#4']);
  expect(tsv.stdout.split('\t')[5]).toMatch(/^2026-03-02T11:\d\d:\d\d\.\d{3}Z$/);
  expect(tsv.stdout).not.toContain('late');
  const colour = { ...terminal(100), env: { FORCE_COLOR: '1' } };
  const painted = await box.run(['deliveries', 'list', '--ref', '#4'], colour);
  expect(painted.stdout).toContain('\u001b[33m0');
  expect(await listed('--late')).toEqual([late]);
  box.advance(40 * minute);
  expect(await listed('--late')).toEqual([]);
});

test('a record has every field that is set, with -o tsv each that may be, and its history', async () => {
  box.advance(60 * minute);
  const { stdout } = await box.run(['deliveries', 'get', fast, '-o', 'tsv']);
  const fields = new Map(rowsIn(stdout).map(([name, value]) => [name, value]));
  for (const field of ['courier_name', 'vehicle', 'courier_location', 'proof_of_delivery', 'fee', 'store_id'])
    expect([...fields.keys()]).toContain(field);
  expect(fields.get('vehicle')).toMatch(/^\w+ \w+ \w+, \S+$/);
  expect(fields.get('courier_location')).toMatch(/^41\.\d+, -87\.\d+$/);
  expect(fields.get('proof_of_delivery')).toMatch(/^photo https:/);
  expect(stdout).toMatch(/status_history\.5\.status\t\w+\nstatus_history\.5\.created_at\t2026-\S+Z\n/);
});

test('with little room the recipient has priority over a due time that has no room, and over the price', async () => {
  const { stdout, stderr } = await box.run(['deliveries', 'list'], terminal(40));
  expect(stdout).toMatch(/^ID +STATUS +REF +DROPOFF\n/);
  expect(stderr).toContain('-o wide shows all columns.');
});

test('the ETA of an ended delivery shows no remaining time; programs get it unchanged', async () => {
  const id = await made('--initiate', '--simulate', 'happy_path', '--ref', '#eta');
  const going = await box.run(['deliveries', 'get', id], terminal(100));
  expect(going.stdout).toMatch(/^Dropoff ETA +\d\d:\d\d \(in /m);
  const { dropoffs } = await box.json(['deliveries', 'get', id]);
  const eta = JSON.stringify(dropoffs).match(/"dropoff_eta":"([^"]+)"/)?.[1];
  await box.run(['deliveries', 'cancel', id, '--yes']);
  const ended = await box.run(['deliveries', 'get', id], terminal(100));
  expect(ended.stdout).toMatch(/^Promised +\d\d:\d\d$/m);
  expect(ended.stdout).not.toContain('Dropoff ETA');
  expect((await box.run(['deliveries', 'get', id])).stdout).toContain(`\ndropoff_eta\t${eta}\n`);
});

test('a name from right to left is isolated on a terminal, keeps its columns, and is plain for programs', async () => {
  const box = await sandbox();
  const name = 'محمد علي';
  box.advance(1);
  await newDelivery(box, '--ref', 'A-1', '--dropoff-name', name);
  await newDelivery(box, '--ref', 'A-2', '--dropoff-name', 'Joe Diner');
  const id = String((await box.json(['deliveries', 'get', 'A-1'])).id);
  const people = { tty: true, columns: 100, env: { NO_COLOR: '1' } };
  const shown = await box.run(['deliveries', 'get', id], people);
  expect(shown.stdout).toContain(`\u2068${name}\u2069`);
  const list = await box.run(['deliveries', 'list', '--columns', 'dropoff_name,external_order_ref'], people);
  const places = linesIn(list.stdout).flatMap((line) => {
    const at = line.search(/A-[12]/);
    return at === -1 ? [] : [displayWidth(line.slice(0, at).replaceAll(/[\u2068\u2069]/g, ''))];
  });
  expect(places).toHaveLength(2);
  expect(new Set(places).size).toBe(1);
  for (const format of ['json', 'csv', 'tsv'])
    expect((await box.run(['deliveries', 'list', '-o', format], people)).stdout).not.toMatch(
      /[\u2068\u2069]/,
    );
});

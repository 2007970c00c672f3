import { parse as parseCsv } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { linesIn } from '../../harness.ts';
import { newDelivery, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const made = (...flags: string[]) => newDelivery(box, '--initiate', ...flags);

await made('--ref', 'old', '--simulate', 'happy_path');
box.advance(26 * 3_600_000);
const waiting = await made('--ref', 'waiting', '--simulate', 'slow_assignment');
const driven = await made('--ref', 'driven');
await box.run(['sandbox', 'step', driven, 'enroute_pickup']);
const carried = await made('--ref', 'carried');
await box.run(['sandbox', 'step', carried, 'pickup_complete']);
const gone = await made('--ref', 'gone', '--simulate', 'slow_assignment');
await box.run(['deliveries', 'cancel', gone, '--yes']);
await newDelivery(box, '--ref', 'stored');

const list = ['deliveries', 'list'];

test.each(['not picked up', 'not-picked-up', 'Not yet picked up', 'waiting for pickup', 'to be picked up'])(
  '--status "%s" is all that is dispatched and not picked up',
  async (words) => {
    const { stdout } = await box.run([...list, '--status', words, '-o', 'id']);
    expect(linesIn(stdout)).toEqual([driven, waiting]);
  },
);

test('the help has the group, and an empty list of initial ones names it', async () => {
  expect((await box.run([...list, '--help'])).stdout).toContain('not_picked_up');
  const none = await box.run([...list, '--status', 'initial', '--search', 'driven']);
  expect(none.stderr.replaceAll('\n', ' ')).toMatch(
    /initial are those without a driver yet\. .*: waybill deliveries list --status not_picked_up /,
  );
});

test.each([
  ['deliveries', '--due 2h', [waiting, driven, carried]],
  ['deliveries', '--due 2h --status canceled', [gone]],
  ['deliveries', '--due today', [waiting, driven, carried, gone]],
  ['orders', '--due 2h', ['carried', 'driven', 'waiting']],
])('%s list %s: what has ended badly is not due in a period to come', async (noun, flags, expected) => {
  const { stdout } = await box.run([noun, 'list', ...flags.split(' '), '--json']);
  const found = JSON.parse(stdout).map((each: Record<string, unknown>) =>
    noun === 'orders' ? each.external_order_ref : each.id,
  );
  expect(found).toEqual(expected);
});

/** The cells of a list in a file: the header, then a row by its reference. */
async function fileOf(ref: string, ...flags: string[]): Promise<Record<string, string>> {
  const { stdout } = await box.run([...list, '--ref', ref, '-o', 'csv', ...flags]);
  const [names = [], cells = []] = parseCsv(stdout);
  return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']));
}

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const plainTime = /^\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?$/;

test.each<[string, string[], Record<string, RegExp>]>([
  ['old', [], { delivered_at: iso }],
  ['driven', [], { delivered_at: /^$/ }],
  ['old', ['--columns', 'zip,picked_up', '--raw'], { zip: /^\d{5}$/, picked_up: iso }],
  ['old', ['--columns', 'delivered,due', '--raw'], { delivered: iso, due: iso }],
  [
    'old',
    ['--columns', 'late,wait_minutes,courier'],
    { late_minutes: /^-?\d+$/, wait_minutes: /^\d+$/, service: /^[a-z]+$/ },
  ],
  [
    'driven',
    ['--columns', 'due,pickup_due,dropoff_eta', '--raw'],
    { due: iso, pickup_due: iso, dropoff_eta: iso },
  ],
  ['gone', ['--columns', 'pickup_eta,dropoff_eta', '--raw'], { pickup_eta: iso, dropoff_eta: iso }],
  [
    'gone',
    ['--columns', 'pickup_eta,dropoff_eta', '--no-raw'],
    { 'pickup_eta (America/Chicago)': /^$/, 'dropoff_eta (America/Chicago)': /^$/ },
  ],
  ['old', ['--columns', 'delivered_at', '--no-raw'], { 'delivered_at (America/Chicago)': plainTime }],
  ['old', ['--no-raw'], { 'Delivered (America/Chicago)': plainTime, 'Due (America/Chicago)': plainTime }],
  [
    'driven',
    ['--no-raw'],
    {
      'Delivered (America/Chicago)': /^$/,
      'Due (America/Chicago)': plainTime,
      'Pickup due (America/Chicago)': plainTime,
    },
  ],
])('a file with %s %j has plain times, and when it arrived', async (ref, flags, times) => {
  const cells = await fileOf(ref, ...flags);
  for (const [name, text] of Object.entries(times))
    expect([name, cells[name]]).toEqual([name, expect.stringMatching(text)]);
});

test('a table and JSON have the column of the arrival, too', async () => {
  const line = [...list, '--ref', 'old', '--columns', 'delivered'];
  expect((await box.run(line, { tty: true, env: { NO_COLOR: '1' } })).stdout).toMatch(
    /DELIVERED\n.*\d\d:\d\d/,
  );
  expect(JSON.parse((await box.run([...line, '--json'])).stdout)).toEqual([
    { delivered: expect.stringMatching(iso) },
  ]);
});

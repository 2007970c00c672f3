import { expect, test } from 'vitest';
import { errorOf, waybill } from '../../harness.ts';
import { orderLine, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const delivery = ['deliveries', ...orderLine.slice(1)];

test.each([
  [['--ref', '--dry-run'], '--ref'],
  [['--external-order-ref', '-q'], '--external-order-ref'],
  [['--dropoff-notes', '--no-initiate'], '--dropoff-notes'],
  [['--ref', '--json=id'], '--ref'],
  [['--ref', '--tip=2'], '--ref'],
  [['--ref', '--yes'], '--ref'],
  [['--ref', '--'], '--ref'],
  [['-f', '--dry-run'], '-f'],
  [['-qo', '--dry-run'], '-qo'],
])('%j: a flag is not the value of the previous one, and nothing is sent', async (end, label) => {
  const before = box.requests.length;
  const { stdout, stderr, exit } = await box.run([...delivery, ...end]);
  expect([exit, stdout, box.requests.length]).toEqual([2, '', before]);
  const message = stderr.startsWith('{') ? errorOf(stderr).message : stderr;
  expect(message).toContain(`${label} needs a value.`);
});

test('a value that begins with a dash needs =, or is an unknown flag', async () => {
  const ref = async (...words: string[]) => (await box.json([...delivery, ...words])).external_order_ref;
  expect(await ref('--ref=--dry-run')).toBe('--dry-run');
  expect(await ref('--ref', '--dry-run-7')).toBe('--dry-run-7');
  expect(await ref('--ref', '-12')).toBe('-12');
  expect(await ref('--ref', '-', '-q', '--dropoff-notes', 'Ring - twice')).toBe('-');
});

test('a switch, or a flag that requires =value, consumes no word', async () => {
  const { exit } = await waybill(['profiles', 'list', '-q', '--json', '--no-input']);
  expect(exit).toBe(0);
});

test('at the end of the line the error is the same', async () => {
  const { exit, stderr } = await box.run([...delivery, '--ref', '--json']);
  expect([exit, errorOf(stderr)]).toMatchObject([
    2,
    { code: 'missing_value', message: '--ref needs a value.' },
  ]);
  expect((await box.run([...delivery, '--ref'])).stderr).toMatch(/^Error: --ref needs a value\.\n/);
});

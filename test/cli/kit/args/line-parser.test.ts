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
  expect(await ref('--ref', 'R1', '--external-order-ref=R2', '--ref', 'R3')).toBe('R3');
  expect(await ref('--ref', '-', '-q', '--dropoff-notes', 'Ring - twice')).toBe('-');
});

test('at the end of the line the error is the same', async () => {
  const { exit, stderr } = await box.run([...delivery, '--ref', '--json']);
  expect([exit, errorOf(stderr)]).toMatchObject([
    2,
    { code: 'missing_value', message: '--ref needs a value.' },
  ]);
  expect((await box.run([...delivery, '--ref'])).stderr).toMatch(/^Error: --ref needs a value\.\n/);
});

test('a switch, or a flag that requires =value, consumes no word', async () => {
  const { exit } = await waybill(['profiles', 'list', '-q', '--json', '--no-input']);
  expect(exit).toBe(0);
  expect((await waybill(['profiles', 'list', '-qo', 'id'])).stdout).toBe('sandbox\n');
});

test.each([
  [['--json', '--', '--json'], '--json'],
  [['--json', '-5'], '-5'],
])('%j has an argument that begins with a dash', async (words, argument) => {
  const { stderr } = await box.run(['orders', 'get', ...words]);
  expect(errorOf(stderr).message).toContain(`"${argument}"`);
});

test('what is parsed before an unknown flag counts for its error', async () => {
  const { stderr } = await box.run(['-o', 'json', 'orders', 'list', '--made-up']);
  expect(errorOf(stderr).code).toBe('unknown_flag');
});

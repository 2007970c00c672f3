import { expect, test } from 'vitest';
import { durationText, readDuration } from '../../../../src/cli/kit/args/flags.ts';
import { keys } from '../../fake-service.ts';
import { errorOf, waybill } from '../../harness.ts';
import { orderLine, sandbox } from '../../sandbox.ts';

test.each([
  ['-o', 'xml', '--output'],
  ['--color', 'sometimes', '--color'],
  ['--request-timeout', 'soon', '--request-timeout'],
])('%s %s is exit 2 and names the flag', async (flag, value, label) => {
  const { stdout, stderr, exit } = await waybill(['profiles', 'list', flag, value]);
  expect({ stdout, exit }).toEqual({ stdout: '', exit: 2 });
  expect(stderr).toMatch(`Error: ${label} must be `);
});

test.each([
  ['WAYBILL_OUTPUT', 'bogus'],
  ['WAYBILL_QUIET', 'maybe'],
  ['WAYBILL_REQUEST_TIMEOUT', 'xx'],
  ['WAYBILL_LIMIT', 'many'],
])('%s=%s is exit 2 and names the variable', async (name, value) => {
  const { stderr, exit } = await waybill(['keys', 'list'], { env: { [name]: value }, transport: keys() });
  expect([exit, stderr]).toEqual([2, expect.stringContaining(`Error: ${name} must be `)]);
});

test('all invalid values are reported at once', async () => {
  const line = ['keys', 'list', '--limit', 'x', '-o', 'xml', '--json'];
  const { message } = errorOf((await waybill(line)).stderr);
  expect(message).toBe('--json and --output xml cannot be used together.');
  const both = await waybill(['keys', 'list', '--limit', 'x', '-o', 'xml']);
  expect(both.stderr).toMatch(/--output must be [\s\S]*--limit must be /);
});

test('a format flag overrides a format variable', async () => {
  const env = { WAYBILL_JSON: '1' };
  expect((await waybill(['profiles', 'list', '-o', 'id'], { env })).stdout).toBe('sandbox\n');
  const csv = { WAYBILL_OUTPUT: 'csv' };
  expect((await waybill(['profiles', 'list', '--json=name'], { env: csv })).stdout).toBe(
    '[\n{"name":"sandbox"}\n]\n',
  );
});

test('--json with another format is exit 2', async () => {
  const { stderr, exit } = await waybill(['profiles', 'list', '--json', '-o', 'csv']);
  expect([exit, errorOf(stderr).code]).toEqual([2, 'usage']);
  const env = { WAYBILL_JSON: '1', WAYBILL_OUTPUT: 'csv' };
  expect((await waybill(['profiles', 'list'], { env })).stderr).toContain(
    'WAYBILL_JSON and WAYBILL_OUTPUT csv',
  );
  for (const format of ['json', 'ndjson']) {
    expect((await waybill(['profiles', 'list', '--json', '-o', format])).exit).toBe(0);
  }
});

test.each([
  [['keys', 'create', '--permission', 'read', '--idempotency-key', ''], '--idempotency-key'],
  [['keys', 'create', '--permission', 'read', '--name', ' '], '--name'],
  [['keys', 'list', '--profile='], '--profile'],
])('%j is exit 2: an empty text is not a value', async (line, label) => {
  const { stderr, exit } = await waybill(line, { transport: keys() });
  expect([exit, stderr]).toEqual([2, expect.stringContaining(`Error: ${label} must not be empty.\n`)]);
});

test.each([
  [['deliveries', 'list', '--status', 'delivrd'], '--status must be one of ', 'Did you mean delivered?'],
  [
    ['keys', 'create', '--permission', 'wrte'],
    '--permission must be one of read, write, admin',
    'Did you mean write?',
  ],
  [
    ['sandbox', 'clock', 'manul'],
    'MODE must be one of real, scaled, manual, not "manul"',
    'Did you mean manual?',
  ],
])('%j gets the intended value', async (line, message, hint) => {
  const { stdout, stderr, exit } = await waybill([...line, '--json'], { transport: keys() });
  expect({ stdout, exit }).toEqual({ stdout: '', exit: 2 });
  expect(errorOf(stderr)).toMatchObject({ message: expect.stringContaining(message), hint });
});

test('an unknown word without a similar one lists all choices', async () => {
  const { stderr, exit } = await waybill(['sandbox', 'step', 'dlv_1', 'lost']);
  expect(exit).toBe(2);
  expect(stderr).toContain('STATUS must be one of 19 names, not "lost".\nChoose from: request, ');
});

test('a choice is prompted for as a list', async () => {
  const box = await sandbox();
  const { id } = await box.json(['deliveries', 'create', ...orderLine.slice(2), '--initiate']);
  const line = ['sandbox', 'step', String(id), '--dry-run', '--json=body'];
  const { stderr, exit } = await waybill(line, { tty: true });
  expect([exit, errorOf(stderr).missing]).toEqual([2, ['STATUS']]);
  const asked = await box.run(line.slice(0, -1), { tty: true, answers: ['delivered'] });
  expect(asked.stdout).toContain('"status": "delivered"');
});

test('a flag whose own name begins with no- does not negate another', async () => {
  const line = ['sandbox', 'provider', 'swiftly', '--no-capacity', '--dry-run', '--json'];
  const { stdout } = await waybill(line, { transport: keys() });
  expect(JSON.parse(stdout)).toMatchObject({ body: { state: 'no_capacity' } });
});

test('a duration is shown in the largest unit without a remainder', () => {
  const given = ['0s', '250ms', '20s', '90m', '2h', '1d'];
  expect(given.map((text) => durationText(readDuration(text)))).toEqual(given);
  expect(durationText(0)).toBe('0s');
});

import { expect, test } from 'vitest';
import { errorOf, waybill } from '../harness.ts';
import { keys } from '../made-up.ts';

test.each([
  ['-o', 'xml', '--output'],
  ['--color', 'sometimes', '--color'],
  ['--request-timeout', 'soon', '--request-timeout'],
])('%s %s is exit 2 and names the flag', async (flag, value, label) => {
  const { stdout, stderr, exit } = await waybill(['profiles', 'list', flag, value]);
  expect({ stdout, exit }).toEqual({ stdout: '', exit: 2 });
  expect(stderr).toMatch(`Error: ${label} takes `);
});

test.each([
  ['WAYBILL_OUTPUT', 'bogus'],
  ['WAYBILL_QUIET', 'maybe'],
  ['WAYBILL_REQUEST_TIMEOUT', 'xx'],
  ['WAYBILL_LIMIT', 'many'],
])('%s=%s is exit 2 and names the variable', async (name, value) => {
  const { stderr, exit } = await waybill(['keys', 'list'], { env: { [name]: value }, transport: keys() });
  expect([exit, stderr]).toEqual([2, expect.stringContaining(`Error: ${name} takes `)]);
});

test('all wrong values are named at once', async () => {
  const line = ['keys', 'list', '--limit', 'x', '-o', 'xml', '--json'];
  const { message } = errorOf((await waybill(line)).stderr);
  expect(message).toBe('--json and --output xml contradict each other: give one.');
  const both = await waybill(['keys', 'list', '--limit', 'x', '-o', 'xml']);
  expect(both.stderr).toMatch(/--output takes [\s\S]*--limit takes /);
});

test('a flag of the format goes before a variable of it', async () => {
  const env = { WAYBILL_JSON: '1' };
  expect((await waybill(['profiles', 'list', '-o', 'id'], { env })).stdout).toBe('sandbox\n');
  const csv = { WAYBILL_OUTPUT: 'csv' };
  expect((await waybill(['profiles', 'list', '--json=name'], { env: csv })).stdout).toBe(
    '[\n{"name":"sandbox"}\n]\n',
  );
});

test('--json together with a format that is no JSON is exit 2', async () => {
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
])('%j is exit 2: an empty text is no value', async (line, label) => {
  const { stderr, exit } = await waybill(line, { transport: keys() });
  expect([exit, stderr]).toEqual([
    2,
    expect.stringContaining(`Error: ${label} takes a value that is not empty.\n`),
  ]);
});

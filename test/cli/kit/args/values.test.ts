import { expect, test } from 'vitest';
import { flagsOfEnvVar, nameEnvVar, positionalLabel } from '../../../../src/cli/kit/args/command-input.ts';
import { addContextFlags, noContextFlags } from '../../../../src/cli/kit/args/context-flags.ts';
import { durationText, readDuration } from '../../../../src/cli/kit/args/flags.ts';
import { globalFlags } from '../../../../src/cli/kit/args/global-flags.ts';
import type { Interruption } from '../../../../src/cli/kit/host/host.ts';
import { type Invocation, invocation, shellLine } from '../../../../src/cli/kit/result/message.ts';
import { commands } from '../../commands-of-tree.ts';
import { keys, page, service } from '../../fake-service.ts';
import { errorOf, waybill } from '../../harness.ts';
import { quotedRoute, sandbox } from '../../sandbox.ts';

test.each([
  ['WAYBILL_OUTPUT', 'bogus'],
  ['WAYBILL_QUIET', 'maybe'],
  ['WAYBILL_REQUEST_TIMEOUT', 'xx'],
  ['WAYBILL_LIMIT', 'many'],
])('%s=%s is exit 2 and names the variable', async (name, value) => {
  const { stderr, exit } = await waybill(['keys', 'list'], { env: { [name]: value }, transport: keys() });
  expect([exit, stderr]).toEqual([2, expect.stringContaining(`Error: ${name} must be `)]);
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

test('an unknown word without a similar one lists all choices', async () => {
  const { stderr, exit } = await waybill(['sandbox', 'step', 'dlv_1', 'lost']);
  expect(exit).toBe(2);
  expect(stderr).toContain('STATUS must be one of 19 names, not "lost".\nChoose from: request, ');
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

const names = new Set([
  ...Object.keys(globalFlags),
  ...commands.flatMap(({ command }) => Object.keys(command.flags)),
]);

test.each([...names])('the variable of %s is mapped back to it, also in lower case', (name) => {
  expect(flagsOfEnvVar(nameEnvVar(name))).toEqual([name]);
  expect(flagsOfEnvVar(nameEnvVar(name).toLowerCase())).toEqual([name]);
});

test('other variables have no flag', () => {
  expect(['PATH', 'WAYBILL', 'MY_WAYBILL_OUTPUT', ''].flatMap(flagsOfEnvVar)).toEqual([]);
});

const box = await sandbox();
const placed = commands.flatMap(({ path, words, command }) =>
  Object.keys(command.positionals).map((name, index) => ({
    path,
    words,
    index,
    label: positionalLabel(name),
  })),
);

test.each(placed)('$words refuses an empty $label, such as an unset variable', async (place) => {
  const before = box.requests.length;
  for (const blank of ['', '  ']) {
    const words = [...Array.from({ length: place.index }, () => 'set'), blank];
    const { exit, stdout, stderr } = await box.run([...place.path, ...words, '--json']);
    expect([exit, stdout]).toEqual([2, '']);
    const { message, next } = errorOf(stderr);
    expect(message).toContain(`${place.label} must not be empty.`);
    expect(JSON.stringify(next), 'no suggested command has the empty word').not.toMatch(/"\s*"/);
  }
  expect(box.requests).toHaveLength(before);
});

test('an empty extra argument is named, and an empty flag refused as well', async () => {
  const excess = await box.run(['deliveries', 'list', '', '--json']);
  expect([excess.exit, errorOf(excess.stderr).message]).toEqual([
    2,
    expect.stringMatching(/^"" is an unexpected argument/),
  ]);
  const flag = await box.run(['charges', 'list', '--delivery', '', '--json']);
  expect([flag.exit, errorOf(flag.stderr).message]).toEqual([2, expect.stringContaining('--delivery')]);
});

const shop = { account: ['--profile', 'my shop'], format: [] };

test.each<[Invocation, string]>([
  [invocation('dispatch', ['rte_1']), "waybill --profile 'my shop' dispatch rte_1"],
  [invocation('login', [], { profile: 'far' }), 'waybill login --profile far'],
  [invocation('profiles list'), 'waybill profiles list'],
  [invocation('orders list', ['--base-url=http://a.test']), 'waybill orders list --base-url=http://a.test'],
  [{ command: '', args: ['keys', 'list'] }, "waybill --profile 'my shop' keys list"],
])('a command gets the account of the line, unless it has its own or none: %o', (line, placed) => {
  expect(shellLine(addContextFlags(line, shop))).toBe(placed);
  expect(addContextFlags(line, noContextFlags)).toBe(line);
});

const far = ['--base-url', 'https://far.test', '--api-key-file', 'the key'];

test('the command for the next page keeps the context and format of the line', async () => {
  const transport = service({ '/v2/api_keys': { ...page, has_more: true, next_cursor: 'c1' } });
  const env = { WAYBILL_API_KEY: 'wb_test_0123456789abcdef' };
  const line = ['keys', 'list', '--limit', '1', '--base-url', 'https://far.test'];
  expect((await waybill([...line, '--json=id'], { transport, env })).stderr).toBe(
    'There is more: waybill --base-url https://far.test keys list --limit 1 --cursor c1 --json=id\n',
  );
  const twin = { ...env, WAYBILL_BASE_URL: 'https://far.test', WAYBILL_OUTPUT: 'id' };
  expect((await waybill(['keys', 'list', '--limit', '1'], { transport, env: twin })).stderr).toBe(
    'There is more: waybill keys list --limit 1 --cursor c1\n',
  );
});

test('the next command of an error keeps the context of the line', async () => {
  const { stderr } = await waybill(['whoami', '--base-url', 'https://far.test', '--json']);
  expect(errorOf(stderr).next).toMatchObject([{ command: 'waybill --base-url https://far.test login' }]);
  const people = await waybill(['whoami', ...far.slice(0, 2)]);
  expect(people.stderr).toContain('  waybill --base-url https://far.test login');
});

test('the next command of a result keeps the context of the line', async () => {
  const { stderr } = await box.run(['orders', 'get', 'ord_1', '--profile', 'sandbox']);
  expect(stderr).toContain('waybill --profile sandbox orders list');
});

test('the message of an interruption keeps the context of the line', async () => {
  const route = await quotedRoute(box);
  const interruption: Interruption = { status: () => null, work: [], listen: () => {} };
  await box.run(['quotes', 'list', route, '--watch', '--profile', 'sandbox'], {
    interruption,
  });
  expect(interruption.status()?.text).toContain(`waybill --profile sandbox quotes list ${route}`);
});

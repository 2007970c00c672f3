import { expect, test } from 'vitest';
import { Interrupted } from '../../src/cli/kit/errors/failure.ts';
import type { Transport, WireRequest } from '../../src/contract/operation.ts';
import { account, created, key, keys, page, service } from './fake-service.ts';
import { contextLine, errorOf, jsonOf, waybill } from './harness.ts';

test.each(['--version', '-V', '-v'])('%s prints the version', async (flag) => {
  expect(await waybill([flag])).toEqual({ stdout: '0.0.0-test\n', stderr: '', exit: 0 });
});

test('no arguments print help', async () => {
  const { stdout, exit } = await waybill([]);
  expect({ exit, first: stdout.split('\n')[0] }).toEqual({
    exit: 0,
    first: 'The command line for last-mile deliveries.',
  });
});

test('only --json is exit 2', async () => {
  const { stderr, exit } = await waybill(['keys', '--json']);
  expect({ exit, error: errorOf(stderr) }).toMatchObject({ exit: 2, error: { missing: ['COMMAND'] } });
});

test.each([
  [['ordrs', 'list'], 'Did you mean orders'],
  [['keys', 'lst'], 'Did you mean list'],
  [['keys', 'list', '--limt', '3'], 'Did you mean --limit'],
])('%j gets a similar word', async (argv, hint) => {
  const { stderr, exit } = await waybill(argv);
  expect(exit).toBe(2);
  expect(stderr).toContain(hint);
});

test('global flags work before, between and after the words of a command', async () => {
  const transport = keys();
  const lines = [
    ['-o', 'id', 'keys', 'list'],
    ['keys', '--output', 'id', 'list'],
    ['key', 'ls', '--output=id'],
    ['keys', 'list', '-oid'],
  ];
  for (const line of lines) expect((await waybill(line, { transport })).stdout).toBe('key_1\n');
});

test('--json never consumes the next word', async () => {
  const { stdout } = await waybill(['--json', 'keys', 'list'], { transport: keys() });
  expect(JSON.parse(stdout)).toEqual([key]);
});

test('every flag has an environment variable and overrides it', async () => {
  const env = { WAYBILL_OUTPUT: 'id', WAYBILL_LIMIT: '7' };
  const sent: WireRequest[] = [];
  expect((await waybill(['keys', 'list'], { env, transport: keys(sent) })).stdout).toBe('key_1\n');
  await waybill(['keys', 'list', '--limit', '8'], { env, transport: keys(sent) });
  expect(sent.map(({ path }) => path)).toEqual(['/v2/api_keys?limit=7', '/v2/api_keys?limit=8']);
});

test('an empty list is [] in JSON, and exit 0', async () => {
  const transport = service({ '/v2/api_keys': { ...page, data: [] } });
  expect(await waybill(['keys', 'list', '--json'], { transport })).toEqual({
    stdout: '[]\n',
    stderr: '',
    exit: 0,
  });
});

test('a terminal gets a table with service times and without control characters of others', async () => {
  const { stdout } = await waybill(['keys', 'list'], {
    transport: keys(),
    tty: true,
    env: { NO_COLOR: '1' },
  });
  expect(stdout).toContain('(4 min ago)');
  expect(stdout).toContain('Eve ');
  expect(stdout).not.toContain('\u001b');
});

test('a table wider than the terminal becomes cards', async () => {
  const { stdout } = await waybill(['keys', 'list'], {
    transport: keys(),
    tty: true,
    columns: 20,
    env: { NO_COLOR: '1' },
  });
  expect(stdout).toMatch(/^Key +key_1\nName +Eve\n/);
});

test('a list with further pages names the next command on stderr', async () => {
  const transport = service({ '/v2/api_keys': { ...page, has_more: true, next_cursor: 'c1' } });
  const { stderr } = await waybill(['keys', 'list', '--limit', '1'], { transport });
  expect(stderr).toMatch(/waybill keys list .*--cursor c1/);
});

test('a write prints its profile and mode on stderr, with --json as JSON, not with --quiet', async () => {
  const line = ['keys', 'create', '--permission', 'read'];
  expect((await waybill(line, { transport: created })).stderr).toContain('sandbox · test mode\n');
  expect((await waybill([...line, '-q'], { transport: created })).stderr).toBe('');
  expect((await waybill([...line, '--json'], { transport: created })).stderr).toContain(contextLine);
});

test('a response of the other mode is exit 6', async () => {
  const live = service({ '/v2/api_keys': { ...key, test_mode: false, key: null } });
  const { stdout, exit } = await waybill(['keys', 'create', '--permission', 'read'], { transport: live });
  expect({ stdout, exit }).toEqual({ stdout: '', exit: 6 });
});

test('a key of the environment is checked for its mode before anything is written', async () => {
  const sent: WireRequest[] = [];
  const live = service({ '/v2/account': { ...account, test_mode: false } }, sent);
  const env = { WAYBILL_API_KEY: 'wb_live_0123456789abcdef' };
  const { exit } = await waybill(['keys', 'create', '--permission', 'read'], { transport: live, env });
  expect({ exit, methods: sent.map(({ method }) => method) }).toEqual({ exit: 6, methods: ['GET'] });
});

test('--dry-run prints the request and sends nothing', async () => {
  const sent: WireRequest[] = [];
  const line = ['keys', 'create', '--permission', 'read', '--dry-run', '--idempotency-key', 'once'];
  const { stdout, exit } = await waybill([...line, '--json'], { transport: keys(sent) });
  expect({ exit, sent }).toEqual({ exit: 0, sent: [] });
  expect(jsonOf(stdout)).toMatchObject({
    dry_run: true,
    method: 'POST',
    url: '/v2/api_keys',
    headers: { 'idempotency-key': 'once', 'x-api-key': 'wb_test_…0000' },
    body: { permission: 'read' },
  });
  expect((await waybill(line, { transport: keys(sent) })).stdout).toMatch(/^POST \/v2\/api_keys\n/);
  expect((await waybill(['api', 'GET', '/v2/account', '--dry-run'], { transport: keys(sent) })).exit).toBe(0);
  expect(sent).toEqual([]);
});

test('--curl prints a command with the key as a variable and sends the request', async () => {
  const sent: WireRequest[] = [];
  const { stderr } = await waybill(['keys', 'list', '--curl'], { transport: keys(sent) });
  expect(sent).toHaveLength(1);
  expect(stderr).toContain('"x-api-key: $WAYBILL_API_KEY"');
  expect(stderr).not.toContain('wb_test_');
});

test('--debug shows requests and responses, with keys cut', async () => {
  const { stderr } = await waybill(['keys', 'create', '--permission', 'read', '--debug'], {
    transport: created,
  });
  expect(stderr).toContain('> POST /v2/api_keys');
  expect(stderr).toContain('< 200');
  expect(stderr).toContain('wb_test_…cdef');
  expect(stderr).not.toMatch(/wb_test_[0-9A-Za-z]/);
});

test('a terminal prompts for missing input', async () => {
  const sent: WireRequest[] = [];
  const transport = service({ '/v2/api_keys': { ...key, key: null } }, sent);
  await waybill(['keys', 'create'], { tty: true, answers: ['write'], transport });
  expect(sent.map(({ body }) => body)).toEqual(['{"permission":"write"}']);
});

test.each([
  ['--json', {}, ['--json']],
  ['--no-input', {}, ['--no-input']],
  ['CI', { CI: 'true' }, []],
])('%s disables prompts', async (_, env, flags) => {
  const { exit } = await waybill(['keys', 'create', ...flags], { tty: true, env });
  expect(exit).toBe(2);
});

test('no as an answer is exit 3, and a missing terminal is exit 2', async () => {
  const line = ['keys', 'revoke', 'key_1'];
  expect((await waybill(line, { tty: true, answers: [false], transport: keys() })).exit).toBe(3);
  const { exit, stderr } = await waybill([...line, '--json'], { transport: keys() });
  expect({ exit, error: errorOf(stderr) }).toMatchObject({ exit: 2, error: { missing: ['--yes'] } });
});

test('a raw call prints the response body, and an error like any other', async () => {
  const body = await waybill(['api', 'get', '/v2/account', '--json=test_mode']);
  expect(body).toMatchObject({ stdout: '{"test_mode":true}\n', exit: 0 });
  const { stderr, exit } = await waybill(['api', 'GET', '/nope', '--json']);
  expect({ exit, error: errorOf(stderr) }).toMatchObject({
    exit: 1,
    error: { code: 'not_found', status: 404 },
  });
  expect((await waybill(['api', 'GET', 'https://elsewhere.example'])).exit).toBe(2);
});

test('an internal error has no stack without --debug', async () => {
  const broken: Transport = async () => {
    throw new TypeError('broken');
  };
  const calm = await waybill(['keys', 'list'], { transport: broken });
  expect(calm.exit).toBe(1);
  expect(calm.stderr).not.toContain('    at ');
  expect((await waybill(['keys', 'list', '--debug'], { transport: broken })).stderr).toContain('    at ');
});

test('Ctrl+C at a prompt prints what was done and is exit 130', async () => {
  const { stdout, stderr, exit } = await waybill(['keys', 'create'], {
    tty: true,
    answers: [new Interrupted()],
  });
  expect({ stdout, exit }).toEqual({ stdout: '', exit: 130 });
  expect(stderr).toBe('\nInterrupted. Nothing was changed at the service.\n');
});

test('a line break in --idempotency-key is a usage error', async () => {
  for (const given of ['ci-1\r\nx-api-key: other', 'ci\n', 'schl\u00fcssel']) {
    const line = ['keys', 'create', '--permission', 'read', '--idempotency-key', given, '--json'];
    const { exit, stderr } = await waybill(line, { transport: created });
    expect([exit, errorOf(stderr).message]).toEqual([
      2,
      expect.stringContaining('printable ASCII characters'),
    ]);
  }
});

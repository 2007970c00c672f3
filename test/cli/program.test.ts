import { expect, test } from 'vitest';
import type { Transport, WireRequest } from '../../src/contract/operation.ts';
import { account, created, key, keys, service } from './fake-service.ts';
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

test('a write prints its profile and mode on stderr, with --json as JSON, not with --quiet', async () => {
  const line = ['keys', 'create', '--permission', 'read'];
  expect((await waybill(line, { transport: created })).stderr).toContain('sandbox · test mode\n');
  expect((await waybill([...line, '-q'], { transport: created })).stderr).toBe('');
  expect((await waybill([...line, '--json'], { transport: created })).stderr).toContain(contextLine);
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

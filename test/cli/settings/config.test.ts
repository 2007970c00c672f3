import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keys } from '../fake-service.ts';
import { errorOf, freshHome, jsonOf, objectsIn, type RunOptions, waybill } from '../harness.ts';

const fileOf = (home: string) => join(home, '.config/waybill/profiles.json');

async function list(options: RunOptions, ...flags: string[]) {
  const { stdout } = await waybill(['config', 'list', '--show-origin', '-o', 'ndjson', ...flags], options);
  return Object.fromEntries(objectsIn(stdout).map(({ key, ...rest }) => [key, rest]));
}

test('each setting shows its source: flag, environment, profile, default', async () => {
  const home = freshHome();
  const source = fileOf(home);
  for (const [key, value] of [
    ['color', 'never'],
    ['request_timeout', '30s'],
    ['output', 'csv'],
  ] as const) {
    expect((await waybill(['config', 'set', key, value], { home })).exit).toBe(0);
  }
  const env = { WAYBILL_REQUEST_TIMEOUT: '9s', WAYBILL_API_KEY: 'wb_test_0123456789abcdef' };
  const found = await list({ home, env }, '--accessible');
  expect(found).toMatchObject({
    profile: { value: 'sandbox', origin: 'profile', source },
    base_url: { value: null, origin: 'default' },
    mode: { value: 'test', origin: 'profile', source },
    api_key: { value: 'wb_test_…cdef', origin: 'environment', source: 'WAYBILL_API_KEY' },
    output: { value: 'ndjson', origin: 'flag', source: '--output' },
    color: { value: 'never', origin: 'profile', source },
    accessible: { value: 'true', origin: 'flag', source: '--accessible' },
    request_timeout: { value: '9s', origin: 'environment', source: 'WAYBILL_REQUEST_TIMEOUT' },
  });
  expect(await list({ home }, '--request-timeout', '90s')).toMatchObject({
    request_timeout: { value: '90s' },
  });
});

test('get prints the value, and with JSON its source', async () => {
  const home = freshHome();
  const get = (...words: string[]) => waybill(['config', 'get', ...words], { home });
  expect(await get('color')).toEqual({ stdout: 'auto\n', stderr: '', exit: 0 });
  expect(await get('base_url')).toEqual({ stdout: '', stderr: '', exit: 0 });
  expect(jsonOf((await get('mode', '--json')).stdout)).toEqual({
    ...{ key: 'mode', value: 'test', origin: 'default', source: null },
  });
  await waybill(['config', 'set', 'color', 'never'], { home });
  expect((await get('color', '--show-origin')).stdout).toContain(fileOf(home));
});

test('a set value applies to its profile only, until it is unset', async () => {
  const home = freshHome();
  const make = ['profiles', 'create', 'far', '--base-url', 'http://far.example'];
  expect((await waybill(make, { home })).exit).toBe(0);
  expect((await waybill(['config', 'set', 'output', 'json', '--profile', 'far'], { home })).exit).toBe(0);
  const all = (name: string) =>
    waybill(['keys', 'list', '--profile', name], { home, transport: keys() }).then(({ stdout }) => stdout);
  expect(await all('far')).toMatch(/^\[/);
  expect(await all('sandbox')).not.toMatch(/^\[/);
  expect((await waybill(['config', 'unset', 'output', '--profile', 'far'], { home })).exit).toBe(0);
  expect(await all('far')).not.toMatch(/^\[/);
});

test('an invalid key or value is exit 2 with a similar one', async () => {
  const home = freshHome();
  const fails = async (...words: string[]) => {
    const { stdout, stderr, exit } = await waybill(['config', ...words, '--json'], { home });
    expect({ stdout, exit }).toEqual({ stdout: '', exit: 2 });
    return errorOf(stderr);
  };
  expect((await fails('set', 'ouput', 'csv')).hint).toContain('output');
  expect((await fails('get', 'colour')).hint).toContain('color');
  expect(await fails('set', 'output', 'cvs')).toMatchObject({ hint: 'Did you mean csv?' });
  expect((await fails('set', 'accessible', 'perhaps')).message).toContain('must be yes or no');
  expect((await fails('set', 'mode', 'live')).choices).not.toContain('mode');
  expect((await fails('set', 'base_url', 'nowhere')).message).toContain('nowhere');
  expect(await list({ home })).toMatchObject({
    output: { origin: 'flag' },
  });
});

test('an address can change only if no key would be sent to another service', async () => {
  const home = freshHome();
  await waybill(['profiles', 'create', 'far', '--base-url', 'http://far.example'], { home });
  const move = (url: string) =>
    waybill(['config', 'set', 'base_url', url, '--profile', 'far', '--json'], { home });
  expect((await move('http://farther.example')).exit).toBe(0);
  const token = 'wb_test_0123456789abcdef';
  await waybill(['login', '--profile', 'far', '--with-token'], { home, stdin: token, transport: keys() });
  const { stderr, exit } = await move('http://stranger.example');
  expect([exit, errorOf(stderr).code]).toEqual([6, 'profile_settled']);
  expect((await waybill(['config', 'get', 'base_url'], { home })).stdout).toBe('http://farther.example\n');
  const own = await waybill(['config', 'set', 'base_url', 'http://a.example', '--profile', 'sandbox'], {
    home,
  });
  expect(own.exit).toBe(6);
});

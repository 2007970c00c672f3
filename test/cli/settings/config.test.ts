import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changeProfile, readProfiles } from '../../../src/cli/settings/profiles.ts';
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
  // What the service reported does not hold at another address.
  const file = fileOf(home);
  changeProfile(file, 'far', (far = {}) => ({ ...far, mode: 'live', service: { stores: false } }));
  expect((await move('http://farther.example')).exit).toBe(0);
  expect(readProfiles(file).profiles.far).toEqual({ base_url: 'http://farther.example' });
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

/** What is stored in the profile, with what around it, and what then holds: its value and its source. */
const around: [key: string, stored: string, env: Record<string, string>, holds: string, by: string][] = [
  ['color', 'always', {}, 'always', 'profile'],
  ['color', 'always', { WAYBILL_COLOR: 'never' }, 'never', 'WAYBILL_COLOR'],
  ['color', 'always', { WAYBILL_COLOR: '' }, 'always', 'profile'],
  ['color', 'always', { NO_COLOR: '1' }, 'never', 'NO_COLOR'],
  ['color', 'always', { NO_COLOR: '1', WAYBILL_COLOR: 'auto' }, 'never', 'NO_COLOR'],
  ['color', 'never', { NO_COLOR: '1', WAYBILL_COLOR: 'always' }, 'always', 'WAYBILL_COLOR'],
  ['color', 'never', { FORCE_COLOR: '1' }, 'always', 'FORCE_COLOR'],
  ['color', 'always', { FORCE_COLOR: '0' }, 'never', 'FORCE_COLOR'],
  ['color', 'never', { CLICOLOR_FORCE: '1' }, 'always', 'CLICOLOR_FORCE'],
  ['color', 'always', { CLICOLOR: '0' }, 'never', 'CLICOLOR'],
  ['color', 'never', { CLICOLOR: '1' }, 'auto', 'CLICOLOR'],
  ['color', 'never', { WAYBILL_BASE_URL: 'http://other.example' }, 'auto', 'default'],
  ['accessible', 'no', { ACCESSIBLE: '1' }, 'true', 'ACCESSIBLE'],
  ['accessible', 'yes', { ACCESSIBLE: '0' }, 'true', 'profile'],
  ['accessible', 'yes', { WAYBILL_ACCESSIBLE: '1' }, 'true', 'WAYBILL_ACCESSIBLE'],
  ['accessible', 'yes', { WAYBILL_ACCESSIBLE: 'no' }, 'false', 'WAYBILL_ACCESSIBLE'],
  ['no_pager', 'yes', {}, 'true', 'profile'],
  ['no_pager', 'yes', { WAYBILL_NO_PAGER: '0' }, 'false', 'WAYBILL_NO_PAGER'],
  ['request_timeout', '90000ms', {}, '90s', 'profile'],
  ['request_timeout', '90s', { WAYBILL_REQUEST_TIMEOUT: '9s' }, '9s', 'WAYBILL_REQUEST_TIMEOUT'],
  ['request_timeout', '90s', { WAYBILL_BASE_URL: 'http://other.example' }, '2m', 'default'],
  ['time', 'iso', { WAYBILL_TIME: 'local' }, 'local', 'WAYBILL_TIME'],
  ['output', 'wide', { WAYBILL_OUTPUT: 'tsv' }, 'tsv', 'WAYBILL_OUTPUT'],
  ['output', 'wide', { WAYBILL_BASE_URL: 'http://other.example' }, '', 'default'],
  ['parcel', '12x10x8,5', { WAYBILL_BASE_URL: 'http://other.example' }, '', 'default'],
  ['base_url', 'http://new.example', {}, 'http://new.example', 'profile'],
  [
    ...(['base_url', 'http://new.example', { WAYBILL_BASE_URL: 'http://other.example' }] as const),
    ...(['http://other.example', 'WAYBILL_BASE_URL'] as const),
  ],
];

/** How other spellings are shown. */
const asRead: Record<string, string> = { yes: 'true', no: 'false', '90000ms': '90s' };

test.each(around)('%s %s with %o is %s, by %s, and set warns unless it holds', async (...row) => {
  const [key, stored, env, holds, by] = row;
  const home = freshHome();
  await waybill(['profiles', 'create', 'far', '--base-url', 'http://far.example'], { home });
  await waybill(['profiles', 'use', 'far'], { home });
  const set = await waybill(['config', 'set', key, stored], { home, env });
  const get = await waybill(['config', 'get', key], { home, env });
  expect([set.exit, get.stdout.trim()]).toEqual([0, holds]);
  if (key !== 'output')
    expect((await list({ home, env }))[key]).toMatchObject({
      origin: by.toUpperCase() === by ? 'environment' : by,
    });
  const isInEffect = (asRead[stored] ?? stored) === holds;
  expect(set.stderr.includes(`The stored ${key} has no effect here`)).toBe(!isInEffect);
  if (!isInEffect) expect(set.stderr).toContain(by === 'default' ? 'WAYBILL_BASE_URL' : by);
});

/** Commands that store something, and the variable in whose presence it has no effect. */
const without_effect: [argv: string[], env: Record<string, string>][] = [
  [['profiles', 'use', 'far'], { WAYBILL_PROFILE: 'sandbox' }],
  [['profiles', 'use', 'far'], { WAYBILL_PROFILE: 'gone' }],
  [['profiles', 'use', 'sandbox'], { WAYBILL_BASE_URL: 'http://other.example' }],
  [['logout', '--profile', 'far'], { WAYBILL_API_KEY: 'wb_test_0123456789abcdef' }],
  [['login', '--profile', 'far', '--with-token'], { WAYBILL_API_KEY: 'wb_test_fedcba9876543210' }],
];

test.each(without_effect)('%j with %o warns that it has no effect', async (argv, env) => {
  const home = freshHome();
  await waybill(['profiles', 'create', 'far', '--base-url', 'http://far.example'], { home });
  const run = { home, stdin: 'wb_test_0123456789abcdef', transport: keys() };
  const [variable = ''] = Object.keys(env);
  expect((await waybill(argv, run)).stderr).not.toContain('no effect');
  expect(await waybill(argv, { ...run, env })).toMatchObject({
    exit: 0,
    stderr: expect.stringMatching(new RegExp(`The stored \\w+ has no effect here: ${variable}`)),
  });
});

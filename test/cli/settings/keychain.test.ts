import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keychainItem } from '../../../src/cli/settings/key-storage.ts';
import { keys } from '../fake-service.ts';
import { errorOf, freshHome, jsonOf, type RunOptions, waybill } from '../harness.ts';
import { hanging, memoryKeychain, refusing } from './keychains.ts';

const token = 'wb_test_0123456789abcdef';
const logIn = ['login', '--profile', 'shop', '--base-url', 'https://deliveries.example', '--with-token'];
const fileOf = (home: string) => join(home, '.config/waybill/profiles.json');
const kept = (home: string) => JSON.parse(readFileSync(fileOf(home), 'utf8')).profiles.shop;

function login(options: RunOptions, ...flags: string[]) {
  return waybill([...logIn, ...flags], { stdin: token, transport: keys(), ...options });
}

test('a key is stored in the keychain, and the profile only says so', async () => {
  const home = freshHome();
  const { keys: found, ask } = memoryKeychain();
  const { stdout, stderr, exit } = await login({ home, keychain: ask }, '--json');
  expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 });
  expect(jsonOf(stdout)).toMatchObject({ api_key: 'wb_test_…cdef', api_key_from: 'keychain' });
  expect([...found]).toEqual([[keychainItem('shop', fileOf(home)), token]]);
  expect(kept(home)).toEqual({
    base_url: 'https://deliveries.example',
    mode: 'test',
    api_key_in: 'keychain',
    api_key_shown: 'wb_test_…cdef',
  });
  const shown = await waybill(['profiles', 'list', '-o', 'csv'], { home });
  expect(shown.stdout).toContain('wb_test_…cdef (keychain)');
});

test('a request uses the key of the keychain, which is read for nothing else', async () => {
  const home = freshHome();
  const { asked, ask } = memoryKeychain();
  await login({ home, keychain: ask });
  asked.length = 0;
  const lines = [
    ['profiles', 'list'],
    ['config', 'list'],
    ['help'],
    ['api', 'GET', '/v2/routes', '--dry-run'],
  ];
  for (const line of lines) expect((await waybill(line, { home, keychain: ask })).exit).toBe(0);
  expect(asked).toEqual([]);
  const env = { WAYBILL_API_KEY: 'wb_test_other0123456789' };
  expect((await waybill(['whoami'], { home, keychain: ask, env, transport: keys() })).exit).toBe(0);
  expect(asked).toEqual([]);
});

test('whoami shows the source of the key', async () => {
  const home = freshHome();
  const { ask } = memoryKeychain();
  await login({ home, keychain: ask });
  const from = async (options: RunOptions, ...flags: string[]) => {
    const line = ['whoami', '--json=api_key_from', ...flags];
    return jsonOf((await waybill(line, { home, keychain: ask, transport: keys(), ...options })).stdout);
  };
  expect(await from({})).toEqual({ api_key_from: 'keychain' });
  expect(await from({ env: { WAYBILL_API_KEY: token } })).toEqual({ api_key_from: 'environment' });
  await login({ home, keychain: ask }, '--insecure-storage');
  expect(await from({})).toEqual({ api_key_from: 'profile' });
});

test.each([
  ['locked', refusing('the keychain is locked'), 'the keychain is locked'],
  ['without its package', refusing('the package @napi-rs/keyring is not installed'), 'is not installed'],
])(
  'with a keychain that is %s the key is stored in the file, with a warning',
  async (_, keychain, reason) => {
    const home = freshHome();
    const { stdout, stderr, exit } = await login({ home, keychain }, '--json');
    expect(exit).toBe(0);
    expect(jsonOf(stdout)).toMatchObject({ api_key_from: 'profile' });
    expect(stderr).toContain(`stored in the file ${fileOf(home)}, as no keychain answered`);
    expect(stderr).toContain(reason);
    expect(kept(home)).toMatchObject({ api_key: token });
    expect(kept(home)).not.toHaveProperty('api_key_in');
  },
);

test('a stalled keychain is given up after 3 s and ended', async () => {
  const home = freshHome();
  let stops = 0;
  const { stderr, exit } = await login({ home, ...hanging(() => (stops += 1)) });
  expect({ exit, stops }).toEqual({ exit: 0, stops: 1 });
  expect(stderr).toContain('no keychain answered: it did not answer within 3 s.');
  expect(kept(home)).toMatchObject({ api_key: token });
});

test('--insecure-storage uses no keychain and deletes its entry', async () => {
  const home = freshHome();
  const { keys: found, asked, ask } = memoryKeychain();
  expect((await login({ home, keychain: ask }, '--insecure-storage')).stderr).not.toContain('keychain');
  expect(asked).toEqual([]);
  await login({ home, keychain: ask });
  expect(kept(home)).not.toHaveProperty('api_key');
  await login({ home, keychain: ask }, '--insecure-storage');
  expect([found.size, kept(home).api_key, kept(home).api_key_in]).toEqual([0, token, undefined]);
  // At another address, too, where the settings of the profile stay.
  await login({ home, keychain: ask });
  await waybill(['config', 'set', 'parcel', '12x10x8,5', '--profile', 'shop'], { home });
  const base_url = 'https://moved.example';
  await login({ home, keychain: ask }, '--insecure-storage', '--base-url', base_url);
  expect([found.size, kept(home)]).toMatchObject([
    0,
    { base_url, api_key: token, preferences: { parcel: '12x10x8,5' } },
  ]);
  expect(kept(home)).not.toHaveProperty('api_key_in');
});

test('a profile created with --insecure-storage keeps its key in the file at each login', async () => {
  const home = freshHome();
  const { asked, ask } = memoryKeychain();
  const make = ['profiles', 'create', 'shop', '--base-url', 'https://deliveries.example'];
  expect((await waybill([...make, '--insecure-storage'], { home })).exit).toBe(0);
  await login({ home, keychain: ask });
  expect([asked, kept(home).api_key]).toEqual([[], token]);
});

test.each([['logout'], ['profiles', 'delete', 'shop', '--yes']])(
  '%s deletes it from the keychain',
  async (...line) => {
    const home = freshHome();
    const { keys: found, ask } = memoryKeychain();
    await login({ home, keychain: ask });
    expect((await waybill(line, { home, keychain: ask })).exit).toBe(0);
    expect(found.size).toBe(0);
    expect(kept(home)?.api_key_in).toBeUndefined();
  },
);

test('a keychain entry that cannot be deleted is reported, and the profile forgets it', async () => {
  const home = freshHome();
  await login({ home, keychain: memoryKeychain().ask });
  const { stderr, exit } = await waybill(['logout'], { home, keychain: refusing('locked') });
  expect(exit).toBe(0);
  expect(stderr).toContain(`still be in the system's keychain, as "${keychainItem('shop', fileOf(home))}"`);
  expect(kept(home)).toEqual({ base_url: 'https://deliveries.example', mode: 'test' });
});

test.each([
  ['locked', { keychain: refusing('the keychain is locked') }, 'keychain_unreadable'],
  ['hanging', hanging(() => {}), 'keychain_unreadable'],
  ['emptied', { keychain: memoryKeychain().ask }, 'keychain_empty'],
])('a key in a keychain that is %s is exit 4 with what to do', async (_, host, code) => {
  const home = freshHome();
  await login({ home, keychain: memoryKeychain().ask });
  const { stdout, stderr, exit } = await waybill(['whoami', '--json'], { home, ...host });
  expect({ stdout, exit }).toEqual({ stdout: '', exit: 4 });
  expect(errorOf(stderr)).toMatchObject({ code, category: 'authentication' });
  expect(errorOf(stderr).hint).toContain('WAYBILL_API_KEY');
  expect(JSON.stringify(errorOf(stderr).next)).toContain('waybill login --profile shop');
});

import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keys } from '../fake-service.ts';
import { errorOf, freshHome, jsonOf, waybill } from '../harness.ts';

test('the first command creates the sandbox with its own key, and stores the key', async () => {
  const home = freshHome();
  const first = await waybill(['whoami', '--json'], { home });
  const second = await waybill(['whoami', '--json'], { home });
  expect(first).toMatchObject({ exit: 0, stderr: '' });
  expect(second.stdout).toBe(first.stdout);
  expect(statSync(join(home, '.config/waybill/profiles.json')).mode & 0o777).toBe(0o600);
});

test('login checks a key and stores it; logout deletes it', async () => {
  const home = freshHome();
  const token = 'wb_test_0123456789abcdef';
  const flags = ['--with-token', '--insecure-storage', '--json'];
  const line = ['login', '--base-url', 'https://deliveries.example', ...flags];
  const { stdout, stderr, exit } = await waybill(line, { home, stdin: `${token}\n`, transport: keys() });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  expect(jsonOf(stdout)).toMatchObject({
    profile: 'deliveries.example',
    mode: 'test',
    api_key: 'wb_test_…cdef',
  });
  const file = join(home, '.config/waybill/profiles.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    current: 'deliveries.example',
    profiles: { 'deliveries.example': { api_key: token, mode: 'test' } },
  });
  expect((await waybill(['profiles', 'list'], { home })).stdout).not.toContain(token);
  expect((await waybill(['logout'], { home })).exit).toBe(0);
  expect(readFileSync(file, 'utf8')).not.toContain(token);
});

test('a key that the service refuses is not stored', async () => {
  const home = freshHome();
  const { exit } = await waybill(['login', '--with-token'], { home, stdin: 'wb_test_0123456789abcdef' });
  expect(exit).toBe(4);
  expect((await waybill(['profiles', 'list', '--json'], { home })).stdout).not.toContain('cdef');
});

test('profiles are created, used and deleted', async () => {
  const home = freshHome();
  const make = ['profiles', 'create', 'far', '--base-url', 'http://far.example', '--default-format', 'csv'];
  expect((await waybill(make, { home })).exit).toBe(0);
  expect((await waybill(make, { home })).exit).toBe(6);
  expect((await waybill(['profiles', 'use', 'far'], { home })).exit).toBe(0);
  expect((await waybill(['keys', 'list'], { home, transport: keys() })).stdout).toMatch(/^id,name/);
  expect((await waybill(['profiles', 'delete', 'far', '--yes'], { home })).exit).toBe(0);
  expect((await waybill(['profiles', 'use', 'far'], { home })).exit).toBe(5);
});

test('login says when the profile becomes the default, and how to change it back', async () => {
  const home = freshHome();
  const line = ['login', '--profile', 'live', '--base-url', 'https://deliveries.example', '--with-token'];
  const options = { home, stdin: 'wb_test_0123456789abcdef', transport: keys() };
  const first = await waybill([...line, '--insecure-storage'], options);
  expect(first.exit).toBe(0);
  expect(first.stderr).toContain(
    'live (test mode) is now the default profile. To switch back: waybill profiles use sandbox',
  );
  const again = await waybill([...line, '--insecure-storage'], options);
  expect(again.stderr).not.toContain('default profile');
});

test('settings that cannot be written are exit 2 with the folder, and no key is created and lost', async () => {
  const home = freshHome();
  const folder = join(home, 'config');
  const env = { WAYBILL_CONFIG_DIR: join(folder, 'waybill'), WAYBILL_DATA_DIR: join(home, 'data') };
  // The folder cannot be created, because its parent is a dangling link.
  mkdirSync(join(home, 'data'));
  symlinkSync(join(home, 'nowhere', 'deeper'), folder);
  for (const _ of ['first', 'second']) {
    const { stderr, exit } = await waybill(['whoami', '--json'], { home, env });
    expect([exit, errorOf(stderr)]).toMatchObject([2, { code: 'settings_unusable' }]);
    expect(errorOf(stderr).message).toContain(env.WAYBILL_CONFIG_DIR);
    expect(errorOf(stderr).hint).toContain('WAYBILL_CONFIG_DIR');
  }
  rmSync(folder);
  const { stdout } = await waybill(['keys', 'list', '-o', 'id'], { home, env });
  expect(stdout.trim().split('\n')).toHaveLength(1);
});

test('a file in place of the settings folder is exit 2, of the data folder exit 7', async () => {
  const home = freshHome();
  const file = join(home, 'file');
  writeFileSync(file, '');
  const settings = await waybill(['whoami'], { home, env: { WAYBILL_CONFIG_DIR: file } });
  expect([settings.exit, settings.stderr]).toEqual([2, expect.stringContaining('WAYBILL_CONFIG_DIR')]);
  const data = await waybill(['whoami'], { home, env: { WAYBILL_DATA_DIR: file } });
  expect(data.exit).toBe(7);
  expect(data.stderr).toContain(`The data folder ${file} cannot be made`);
  expect(data.stderr).toContain('WAYBILL_DATA_DIR');
});

test('a password in an address from any source is not shown', async () => {
  for (const address of ['http://user:secretpw@127.0.0.1:1', 'user:secretpw@127.0.0.1:1']) {
    for (const line of [['whoami'], ['openapi'], ['login', '--with-token'], ['profiles', 'create', 'x']]) {
      const flag = await waybill([...line, '--base-url', address], { stdin: 'wb_test_0123456789abcdef' });
      expect(flag).toMatchObject({ exit: 2, stdout: '', stderr: expect.not.stringContaining('secretpw') });
    }
    const { stderr, exit } = await waybill(['whoami', '--json'], { env: { WAYBILL_BASE_URL: address } });
    expect([exit, stderr]).toEqual([2, expect.not.stringContaining('secretpw')]);
  }
});

test('a broken settings file does not stop a line with an address and a key', async () => {
  const home = freshHome();
  mkdirSync(join(home, '.config/waybill'), { recursive: true });
  writeFileSync(join(home, '.config/waybill/profiles.json'), '{');
  const env = { WAYBILL_BASE_URL: 'http://far.test', WAYBILL_API_KEY: 'wb_test_0123456789abcdef' };
  expect((await waybill(['keys', 'list'], { home, env, transport: keys() })).exit).toBe(0);
  const named = { ...env, WAYBILL_PROFILE: 'shop' };
  expect((await waybill(['keys', 'list'], { home, env: named, transport: keys() })).exit).toBe(2);
});

test('a profile stores the absolute path of a key file, which must exist, and warns if others can read it', async () => {
  const home = freshHome();
  const make = ['profiles', 'create', 'ci', '--base-url', 'http://far.test', '--json'];
  const line = [...make, '--api-key-file', 'key.txt'];
  expect((await waybill(line, { home })).exit).toBe(2);
  const file = join(home, 'key.txt');
  writeFileSync(file, 'wb_test_0123456789abcdef');
  chmodSync(file, 0o644);
  const { stdout, stderr } = await waybill(line, { home });
  expect(jsonOf(stdout).api_key_file).toBe(file);
  expect(stderr).toContain(`${file} is readable by others (0644). Run: chmod 600 ${file}`);
  await waybill(['profiles', 'delete', 'ci', '--yes'], { home });
  chmodSync(file, 0o600);
  expect((await waybill(line, { home })).stderr).toBe('');
});

test('login without an address says that it used the embedded service', async () => {
  const line = ['login', '--with-token'];
  const { stderr, exit } = await waybill(line, { home: freshHome(), stdin: 'wb_test_0123456789abcdef' });
  expect(exit).toBe(4);
  expect(stderr).toMatch(/embedded service[\s\S]*--base-url/);
});

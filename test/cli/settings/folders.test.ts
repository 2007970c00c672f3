import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEmbedded } from '../../../src/service/embedded.ts';
import { keys } from '../fake-service.ts';
import { errorOf, freshHome, jsonOf, waybill } from '../harness.ts';

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
  const line = [
    'profiles',
    'create',
    'ci',
    '--base-url',
    'http://far.test',
    '--api-key-file',
    'key.txt',
    '--json',
  ];
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

test('doctor finds a damaged database, and does not suggest doctor', async () => {
  const home = freshHome();
  const file = join(home, '.local/share/waybill/waybill.db');
  mkdirSync(join(file, '..'), { recursive: true });
  const made = await openEmbedded({ file, key: null, ownKey: null });
  await made.close();
  const bytes = readFileSync(file);
  bytes.fill(0x55, 4096 * 2);
  writeFileSync(file, bytes);
  const { stdout, exit } = await waybill(['doctor', '-o', 'tsv'], { home });
  expect(exit).toBe(7);
  expect(stdout).toMatch(/^storage\tfail\t.*is damaged/m);
  const away = await waybill(['doctor', '--json', '--base-url', 'http://127.0.0.1:1'], {
    home,
    env: { WAYBILL_API_KEY: 'wb_test_0123456789abcdef', WAYBILL_REQUEST_TIMEOUT: '1ms' },
  });
  expect(away.stdout).toContain('"fail"');
  expect(away.stdout).not.toContain('waybill doctor');
  const refused = { object: 'error', code: 'storage_unavailable', message: 'The database is away.' };
  const transport = async () => ({ status: 503, headers: {}, body: JSON.stringify(refused) });
  const env = { WAYBILL_REQUEST_TIMEOUT: '1ms', WAYBILL_API_KEY: 'wb_test_0123456789abcdef' };
  const line = ['doctor', '--json', '--base-url', 'http://far.test'];
  const outcome = await waybill(line, { home: freshHome(), env, transport });
  expect(outcome.stdout).toContain('"Try again in a moment."');
});

import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keys } from '../fake-service.ts';
import { freshHome, jsonOf, waybill } from '../harness.ts';

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
  const line = [
    'login',
    '--base-url',
    'https://deliveries.example',
    '--with-token',
    '--insecure-storage',
    '--json',
  ];
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

test('a broken settings file is reported, and fails only commands that need it', async () => {
  const home = freshHome();
  const folder = join(home, '.config/waybill');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'profiles.json'), '{');
  const { stderr, exit } = await waybill(['whoami'], { home });
  expect(exit).toBe(2);
  expect(stderr).toContain(join(folder, 'profiles.json'));
  expect((await waybill(['help', 'output'], { home })).exit).toBe(0);
  expect((await waybill(['doctor'], { home })).exit).toBe(2);
});

test('doctor finds no problem in a new home', async () => {
  const home = freshHome();
  const { stdout, exit } = await waybill(['doctor', '-o', 'table'], { home });
  expect({ exit, stdout }).toMatchObject({ exit: 0, stdout: expect.not.stringMatching(/warn|fail/) });
});

test('doctor warns of a settings file that others can read', async () => {
  const home = freshHome();
  await waybill(['whoami'], { home });
  chmodSync(join(home, '.config/waybill/profiles.json'), 0o644);
  const { stdout, exit } = await waybill(['doctor', '-o', 'csv'], { home });
  expect(exit).toBe(0);
  expect(stdout).toMatch(/settings file,warn,.*,chmod 600/);
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

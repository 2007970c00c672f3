import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import type { Transport } from '../../../../src/contract/operation.ts';
import { listenLocally } from '../../../local-server.ts';
import { startFixture } from '../../../service/fixture.ts';
import { account } from '../../fake-service.ts';
import { freshHome, jsonOf, linesIn, waybill } from '../../harness.ts';
import { sandbox } from '../../sandbox.ts';

/** A served account, with a profile that has its live key. */
async function loggedIn(fail: (method: string, path: string) => boolean = () => false) {
  const fixture = await startFixture();
  const home = freshHome();
  const server = createServer(async (message, response) => {
    const { method = '', url: path = '' } = message;
    if (fail(method, path)) {
      message.socket.destroy();
      return;
    }
    const headers = Object.fromEntries(
      Object.entries(message.headers).map(([name, value]) => [name, String(value)]),
    );
    const answer = await fixture.service.fetch({ method, path, headers, body: await text(message) });
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  const { port, close } = await listenLocally(server);
  onTestFinished(close);
  const url = `http://127.0.0.1:${port}`;
  const sleep = async () => {};
  const run = (argv: string[], options: Parameters<typeof waybill>[1] = {}) =>
    waybill(argv, { home, sleep, ...options, env: { WAYBILL_CONFIG_DIR: home, ...options.env } });
  const place = ['--base-url', url, '--profile', 'shop', '--insecure-storage'];
  const login = await run(['login', ...place, '--with-token'], { stdin: fixture.keys.live });
  if (login.exit !== 0) throw new Error(login.stderr);
  const profileKey = (): string =>
    JSON.parse(readFileSync(`${home}/profiles.json`, 'utf8')).profiles.shop.api_key;
  const validKeys = async (key: string) => {
    const { data } = await fixture.client(key).keys.list({});
    return data.data.filter(({ revoked_at }) => revoked_at === null).map(({ last_four }) => last_four);
  };
  return { fixture, url, run, profileKey, validKeys };
}

test('the profile gets a new key like the old one, which is revoked', async () => {
  const { fixture, run, profileKey, validKeys } = await loggedIn();
  const { stdout, exit } = await run(['keys', 'rotate', '--yes', '--json']);
  const key = profileKey();
  expect([exit, key === fixture.keys.live]).toEqual([0, false]);
  expect(jsonOf(stdout)).toMatchObject({
    object: 'key_rotation',
    profile: 'shop',
    last_four: key.slice(-4),
    permission: 'admin',
    mode: 'live',
    revoked_key_id: expect.stringMatching(/^key_/),
  });
  expect(stdout).not.toContain(key);
  expect(await validKeys(key)).toEqual([key.slice(-4)]);
  expect((await run(['whoami'])).exit).toBe(0);
});

test('with --keep-old both keys are valid, and the command that revokes the old one is printed', async () => {
  const { fixture, run, profileKey, validKeys } = await loggedIn();
  const { stderr, exit } = await run(['keys', 'rotate', '--yes', '--keep-old']);
  expect([exit, stderr]).toEqual([0, expect.stringMatching(/waybill keys revoke key_/)]);
  const both = [fixture.keys.live.slice(-4), profileKey().slice(-4)];
  expect((await validKeys(profileKey())).sort()).toEqual(both.sort());
});

test.each([
  [
    'creating the key',
    (method: string, path: string) => method === 'POST' && path.includes('api_keys'),
    false,
  ],
  ['revoking the old one', (method: string) => method === 'DELETE', true],
])('a connection that fails at %s leaves a working key', async (_, fail, isNew) => {
  let isFailing = false;
  const { fixture, run, profileKey } = await loggedIn((method, path) => isFailing && fail(method, path));
  isFailing = true;
  expect((await run(['keys', 'rotate', '--yes'])).exit).toBe(7);
  isFailing = false;
  expect(profileKey() !== fixture.keys.live).toBe(isNew);
  expect((await run(['whoami'])).exit).toBe(0);
  expect((await run(['keys', 'rotate', '--yes'])).exit).toBe(0);
});

test('a key of the environment is not revoked: the new one is printed to replace it', async () => {
  const { fixture, url, run, profileKey, validKeys } = await loggedIn();
  const env = { WAYBILL_API_KEY: fixture.keys.live, WAYBILL_BASE_URL: url };
  const { exit, stdout } = await run(['keys', 'rotate', '--yes', '--json'], { env });
  const { key, profile, revoked_key_id } = jsonOf(stdout);
  expect([exit, profile, revoked_key_id, profileKey()]).toEqual([0, null, null, fixture.keys.live]);
  expect(await validKeys(String(key))).toHaveLength(2);
});

test('keys are listed with the time of their last use', async () => {
  const box = await sandbox();
  const made = await box.json(['keys', 'create', '--permission', 'read']);
  expect(made.last_used_at).toBeNull();
  const { stdout } = await box.run(['keys', 'list', '-o', 'csv']);
  const [head = '', ...rows] = linesIn(stdout).map((line) => line.split(','));
  const [permission, used] = ['permission', 'last_used_at'].map((name) => head.indexOf(name));
  const uses = rows.map((cells) => [cells[permission ?? -1], cells[used ?? -1] !== '']);
  expect(uses.sort()).toEqual([
    ['admin', true],
    ['read', false],
  ]);
  const table = await box.run(['keys', 'list', '-o', 'table']);
  expect(table.stdout).toMatch(/last used/i);
  const row = table.stdout.split('\n').find((line) => line.includes('admin'));
  expect(row, 'a real time has no age by the sandbox clock').toMatch(/\d\d:\d\d:\d\d/);
});

/** A service that revokes any key with these last four characters. */
const ending =
  (last_four: string): Transport =>
  async ({ method, path }) => {
    const ended = {
      ...{ id: 'key_1', object: 'api_key', name: 'ci', permission: 'admin', test_mode: true, last_four },
      ...{ created_at: '2026-03-02T10:00:00.000Z', revoked_at: '2026-03-02T10:00:01.000Z' },
    };
    const headers = { 'content-type': 'application/json' };
    const listed = { object: 'list', data: [ended], has_more: false, next_cursor: null };
    const answer = path === '/v2/account' ? account : method === 'GET' ? listed : ended;
    return { status: 200, headers, body: JSON.stringify(answer) };
  };

test.each([
  ['the key in use', 'cdef', ' You are currently using it.', true],
  ['another', 'abcd', '', false],
])('the question and the outcome of revoking %s say what follows', async (_, last_four, more, isTold) => {
  const env = { WAYBILL_BASE_URL: 'http://far.test', WAYBILL_API_KEY: 'wb_test_0123456789abcdef' };
  const options = { env, transport: ending(last_four) };
  const { stderr, exit } = await waybill(['keys', 'revoke', 'key_1', '--yes'], options);
  const told = 'You revoked the key in use. Log in with another one: waybill login\n';
  expect([exit, stderr.includes(told)]).toEqual([0, isTold]);
  const asked = await waybill(['keys', 'revoke', 'key_1'], { ...options, tty: true });
  expect(asked.stderr).toContain(`no answer for: Revoke key_1 now?${more}`);
});

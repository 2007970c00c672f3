import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startServer } from '../../../../src/service/server.ts';
import { errorOf, failureOf, freshHome, jsonOf, waybill } from '../../harness.ts';

const home = freshHome();
const database = join(home, 'shop.db');

/** Runs `admin accounts` on the database; returns its JSON. */
async function administered(...words: string[]) {
  const { exit, stdout, stderr } = await waybill(
    ['admin', 'accounts', ...words, '--database', database, '--json'],
    { home },
  );
  expect({ exit, stderr: exit === 0 ? '' : stderr }).toEqual({ exit: 0, stderr: '' });
  return JSON.parse(stdout);
}

function keyIn(file: string, mode: string): string {
  const keys: { key: string; mode: string }[] = JSON.parse(readFileSync(join(home, file), 'utf8'));
  return keys.find((each) => each.mode === mode)?.key ?? '';
}

test('two accounts share a service and see nothing of each other', async () => {
  const server = await startServer({
    ...{ host: '127.0.0.1', port: 0, database, publicUrl: null, sandbox: true, seed: null },
    log: () => {},
  });
  const asked = (key: string, ...words: string[]) =>
    waybill([...words, '--json'], { home, env: { WAYBILL_BASE_URL: server.url, WAYBILL_API_KEY: key } });
  try {
    const account = await administered('create', '--name', 'Ohio Street Grill', '--key-out', 'keys.json');
    expect(account).toEqual({
      id: expect.stringMatching(/^acct_/),
      name: 'Ohio Street Grill',
      created_at: expect.any(String),
      suspended_at: null,
    });
    expect(statSync(join(home, 'keys.json')).mode & 0o777).toBe(0o600);
    const key = keyIn('keys.json', 'test');
    const place = ['--address', '43 E Ohio St, Chicago, IL 60611', '--phone', '+13125550101'];
    const { id } = jsonOf((await asked(key, 'stores', 'create', '--name', 'Grill', ...place)).stdout);
    const first = server.keys?.test ?? '';
    expect((await asked(first, 'stores', 'get', String(id))).exit).toBe(5);
    expect(JSON.parse((await asked(first, 'stores', 'list')).stdout)).toEqual([]);
    expect(JSON.parse((await asked(key, 'stores', 'list')).stdout)).toHaveLength(1);
    expect(await administered()).toHaveLength(2);

    await administered('suspend', account.id);
    // The service keeps a key for a second.
    const exitOf = async () => (await asked(key, 'stores', 'list')).exit;
    await expect.poll(exitOf).toBe(4);
    const refused = await asked(key, 'stores', 'list');
    expect([refused.exit, errorOf(refused.stderr).code]).toEqual([4, 'account_suspended']);
    expect((await asked(first, 'stores', 'list')).exit).toBe(0);
    expect(await administered('resume', account.id)).toMatchObject({ suspended_at: null });
    await expect.poll(exitOf).toBe(0);

    await administered('create-key', account.id, '--permission', 'read', '--key-out', 'lost.json');
    const lost = keyIn('lost.json', 'test');
    expect((await asked(lost, 'stores', 'list')).exit).toBe(0);
    expect((await asked(lost, 'stores', 'delete', String(id), '--yes')).exit).toBe(4);

    const line = ['admin', 'accounts', 'delete', account.id, '--database', database, '--yes', '--json'];
    expect(await failureOf(waybill(line, { home }))).toMatchObject({
      ...{ exit: 6, code: 'account_not_empty' },
      next: [{ command: `waybill admin accounts suspend ${account.id} --database ${database}` }],
    });
    const empty = await administered('create', '--name', 'Empty', '--key-out', 'empty.json');
    expect(await administered('delete', empty.id, '--yes')).toEqual({ id: empty.id, deleted: true });
    expect((await asked(keyIn('empty.json', 'test'), 'whoami')).exit).toBe(4);
  } finally {
    await server.stop();
  }
});

test('no key is created that cannot be stored', async () => {
  writeFileSync(join(home, 'taken.json'), 'mine');
  const before = (await administered()).length;
  const line = ['admin', 'accounts', 'create', '--name', 'Lost', '--key-out', 'taken.json'];
  const { exit, stderr } = await waybill([...line, '--database', database], { home });
  expect([exit, stderr]).toEqual([2, expect.stringContaining('Name a file that does not exist yet.')]);
  expect(readFileSync(join(home, 'taken.json'), 'utf8')).toBe('mine');
  expect(await administered()).toHaveLength(before);
});

test('a file for keys in a folder that does not exist is refused, and the folder named', async () => {
  const line = ['admin', 'accounts', 'create', '--name', 'Lost', '--key-out', 'nowhere/keys.json', '--json'];
  const { exit, stderr } = await waybill([...line, '--database', database], { home });
  expect([exit, errorOf(stderr)]).toEqual([
    2,
    expect.objectContaining({
      message: `Cannot create the file of --key-out: there is no folder ${join(home, 'nowhere')}.`,
      hint: 'Create the folder, or name a file in another one.',
    }),
  ]);
});

test.each([
  [['suspend'], 2, 'an account ID'],
  [['create'], 2, '--name'],
  [
    ['create', '--name', 'Kiosk', '--permission', 'read'],
    2,
    '--permission is for `waybill admin accounts create-key`, not for `create`.',
  ],
  [
    ['suspend', 'acct_1', '--name', 'Kiosk'],
    2,
    '--name is for `waybill admin accounts create`, `rename`, `create-key`, not for `suspend`.',
  ],
  [['list', 'acct_1'], 2, '`waybill admin accounts list` takes no account ID.'],
  [['get', 'acct_1'], 5, 'no account acct_1'],
  [['delete', 'acct_1', '--yes'], 5, 'no account acct_1'],
])('admin accounts %j exits with %i and prints %s', async (words, code, text) => {
  const { exit, stderr } = await waybill(['admin', 'accounts', ...words, '--database', database], { home });
  expect([exit, stderr]).toEqual([code, expect.stringContaining(text)]);
});

test.each([
  [['admin', 'accounts', 'list']],
  [['admin', 'accounts', 'get', 'acct_1']],
  [['admin', 'accounts', 'create-key', 'acct_1']],
  [['admin', 'erase', '--phone', '+13125550142', '--yes']],
  [['admin', 'export', '--phone', '+13125550142']],
  [['secrets', 'status']],
  [['secrets', 'rotate']],
])('%j creates no database under a mistyped name', async (words) => {
  const place = freshHome();
  const refused = await waybill([...words, '--database', 'shpo.db', '--json'], { home: place });
  expect([refused.exit, errorOf(refused.stderr).message]).toEqual([
    7,
    `Cannot use the database: there is no file ${join(place, 'shpo.db')}.`,
  ]);
  expect(readdirSync(place)).toEqual([]);
});

test('an unknown account is looked up again in the same database', async () => {
  const line = ['admin', 'accounts', 'get', 'acct_1', '--database', database, '--json'];
  expect(await failureOf(waybill(line, { home }))).toMatchObject({
    next: [{ command: `waybill admin accounts list --database ${database}` }],
  });
});

test('the help describes the keys of a new account, and the answer of a deletion', async () => {
  const { stdout } = await waybill(['admin', 'accounts', '--help']);
  const text = stdout.replaceAll(/\s+/g, ' ');
  expect(text).toContain('An object, with create: keys? array of { key: string,');
  expect(text).toContain('An object, with delete: id string deleted true');
});

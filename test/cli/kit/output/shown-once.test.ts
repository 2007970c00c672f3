import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorOf, freshHome, waybill } from '../../harness.ts';
import { sandbox } from '../../sandbox.ts';

const url = 'http://127.0.0.1:3000/hooks';
const box = await sandbox();
const endpoint = String((await box.json(['webhooks', 'create', url])).id);
const driver = String((await box.json(['drivers', 'add', 'Sam Lee', '--phone', '+13125550133'])).id);

test.each<[field: string, line: string[]]>([
  ['secret', ['webhooks', 'create', url]],
  ['secret', ['webhooks', 'rotate-secret', endpoint, '--yes']],
  ['key', ['keys', 'create', '--permission', 'read']],
  ['link', ['drivers', 'add', 'Ana Ruiz', '--phone', '+13125550134']],
  ['link', ['drivers', 'link', driver, '--yes']],
])('the %s that is shown once is not left out of `%s`', async (field, line) => {
  const writes = () => box.requests.filter(({ method }) => method !== 'GET').length;
  const before = writes();
  const byFormat = await box.run([...line, '-o', 'id']);
  expect([byFormat.exit, byFormat.stderr]).toEqual([
    2,
    expect.stringContaining(`The format id leaves out the field ${field}, which is shown only once.`),
  ]);
  expect(byFormat.stderr).toContain(`Use --json=${field} instead.`);
  const other = line[1] === 'rotate' ? 'key_id' : 'id';
  const byFields = await box.run([...line, `--json=${other}`]);
  expect([byFields.exit, errorOf(byFields.stderr).hint]).toEqual([
    2,
    `Use --json=${other},${field} instead.`,
  ]);
  expect(writes()).toBe(before);
  const { exit, stdout } = await box.run([...line, `--json=${other},${field}`]);
  expect([exit, JSON.parse(stdout)]).toEqual([
    0,
    { [other]: expect.any(String), [field]: expect.any(String) },
  ]);
});

test.each([
  ['secret', ['webhooks', 'create', url]],
  ['secret', ['webhooks', 'rotate-secret', endpoint, '--yes']],
  ['key', ['keys', 'create', '--permission', 'read']],
])('a repeat of `%s` does not say to save what it does not have', async (what, line) => {
  const keyed = [...line, '--idempotency-key', line.join()];
  const [first, second] = [await box.run(keyed), await box.run(keyed)];
  expect(first.stderr).toContain(`Save this ${what} now.`);
  expect([second.exit, second.stdout]).toEqual([0, expect.stringContaining('shown before')]);
  expect(second.stderr).not.toContain('Save this');
});

test('keys of `admin accounts` are not left out, unless they are written to a file', async () => {
  const home = freshHome();
  const accounts = (...words: string[]) =>
    waybill(['admin', 'accounts', ...words, '--database', join(home, 'shop.db')], { home });
  const create = ['create', '--name', 'Grill'];
  for (const format of [['-o', 'id'], ['--json=id'], ['--json=keys,nmae']])
    expect(await accounts(...create, ...format)).toMatchObject({ exit: 2, stdout: '' });
  expect(existsSync(join(home, 'shop.db'))).toBe(false);
  const { stdout: id, exit } = await accounts(...create, '-o', 'id', '--key-out', 'keys.json');
  expect([exit, id]).toEqual([0, expect.stringMatching(/^acct_/)]);
  for (const format of [['-o', 'id'], ['--json=mode'], ['--json=id,key']])
    expect(await accounts('create-key', id.trim(), ...format)).toMatchObject({ exit: 2, stdout: '' });
  expect((await accounts('create-key', id.trim(), '--json=key')).exit).toBe(0);
});

import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { acquireWorkerLock } from '../../../../src/storage/sqlite-file.ts';
import { errorOf, failureOf, freshHome, jsonOf, waybill } from '../../harness.ts';
import { orderLine } from '../../sandbox.ts';

test('a backup of the embedded service is restored with its records, and what came after is kept aside', async () => {
  const home = freshHome();
  const run = (...argv: string[]) => waybill([...argv, '--json'], { home });
  const count = async () => JSON.parse((await run('orders', 'list')).stdout).length;
  await run(...orderLine);
  const made = await run('backup', 'shop-backup.db');
  expect(jsonOf(made.stdout)).toMatchObject({ file: join(home, 'shop-backup.db'), orders: 1, deliveries: 0 });
  await run(...orderLine);
  expect(await count()).toBe(2);
  expect(await failureOf(run('restore', 'shop-backup.db'))).toMatchObject({
    exit: 2,
    message: expect.stringContaining('Confirmation required'),
  });
  const restored = await run('restore', 'shop-backup.db', '--yes');
  // Neither the copy nor its restore leaves side files beside it.
  expect(readdirSync(home).filter((name) => name.startsWith('shop-backup'))).toEqual(['shop-backup.db']);
  expect(jsonOf(restored.stdout)).toMatchObject({ orders: 1, replaced: expect.stringMatching(/\.before-/) });
  expect(await count()).toBe(1);
});

test('a backup replaces no file and takes no PostgreSQL database', async () => {
  const home = freshHome();
  writeFileSync(join(home, 'shop-backup.db'), 'precious');
  const taken = await waybill(['backup', 'shop-backup.db', '--json'], { home });
  expect([taken.exit, errorOf(taken.stderr).message]).toEqual([2, expect.stringContaining('already exists')]);
  const url = ['--database', 'postgres://shop:secretpw@db/waybill'];
  const other = await waybill(['backup', 'other.db', ...url, '--json'], { home });
  expect([other.exit, errorOf(other.stderr).hint]).toEqual([2, expect.stringContaining('pg_dump')]);
  const piped = await waybill(['backup', '-', '--json'], { home });
  expect([piped.exit, errorOf(piped.stderr).message]).toEqual([2, expect.stringContaining('name a file')]);
  expect(readdirSync(home)).toEqual(['shop-backup.db']);
});

test('without a database there is nothing to copy, and nothing is created', async () => {
  const home = freshHome();
  const { exit, stderr } = await waybill(['backup', 'shop-backup.db', '--json'], { home });
  expect([exit, errorOf(stderr).message]).toEqual([7, expect.stringContaining('there is no file')]);
  expect(readdirSync(home)).toEqual([]);
});

test('a backup names the file of the secret key, which it does not contain', async () => {
  const home = freshHome();
  const run = (...argv: string[]) => waybill(argv, { home });
  await run(...orderLine);
  expect((await run('backup', 'first.db')).stderr).toMatch(
    /^Database: .*waybill\.db\nRestore it with `waybill restore`\.\n$/,
  );
  await run('webhooks', 'create', 'https://shop.example/hooks');
  const file = join(home, '.local', 'share', 'waybill', 'waybill.db.secret-key');
  expect((await run('backup', 'second.db')).stderr).toContain(`keep a copy of ${file} in another place.\n`);
});

test('a backup that cannot be used is named, and the database stays', async () => {
  const home = freshHome();
  const run = (...argv: string[]) => waybill([...argv, '--json'], { home });
  await run(...orderLine);
  await run('backup', 'whole.db');
  writeFileSync(join(home, 'half.db'), readFileSync(join(home, 'whole.db')).subarray(0, 40_000));
  writeFileSync(join(home, 'junk.db'), 'x');
  for (const name of ['half.db', 'junk.db']) {
    const { exit, stderr } = await run('restore', name, '--yes');
    const { message } = errorOf(stderr);
    expect(exit).toBe(7);
    expect(message).toMatch(
      new RegExp(`^Cannot use the backup ${join(home, name)}: .*; the database is as before\\.$`),
    );
  }
  expect(JSON.parse((await run('orders', 'list')).stdout)).toHaveLength(1);
});

test('a restore and doctor name the key that the secrets need', async () => {
  const home = freshHome();
  const run = (...argv: string[]) => waybill(argv, { home });
  await run('webhooks', 'create', 'https://shop.example/hooks');
  await run('backup', 'copy.db');
  const moved = freshHome();
  const there = (...argv: string[]) => waybill(argv, { home: moved });
  const restored = await there('restore', join(home, 'copy.db'), '--yes');
  const fault =
    /One stored secret is encrypted with the key [0-9a-f]{8}, which is not in the key file .*secret-key/;
  expect([restored.exit, restored.stderr]).toEqual([0, expect.stringMatching(fault)]);
  // A key that cannot be read does not make a restore that is done an error.
  const again = ['restore', join(home, 'copy.db'), '--yes'];
  const unread = await waybill(again, { home: moved, env: { WAYBILL_SECRET_KEY: 'garbage' } });
  expect([unread.exit, unread.stderr]).toEqual([
    0,
    expect.stringMatching(/secret key is not usable[\s\S]*kept as /),
  ]);
  const looked = await there('doctor', '--json');
  expect([looked.exit, looked.stdout]).toEqual([6, expect.stringMatching(fault)]);
  await expect(run('doctor')).resolves.toMatchObject({ exit: 0 });
});

test('a database that a service uses is not replaced, and nobody is asked whether it shall be', async () => {
  const home = freshHome();
  const run = (...argv: string[]) => waybill([...argv, '--json'], { home });
  await run(...orderLine);
  await run('backup', 'shop-backup.db');
  const lock = acquireWorkerLock(join(home, '.local', 'share', 'waybill', 'waybill.db'));
  const refused = await run('restore', 'shop-backup.db');
  lock?.release();
  expect(refused.exit).toBe(7);
  expect(errorOf(refused.stderr).message).toContain('a service is using the database');
});

test('a database behind a symbolic link is the file that the link names, with its lock and its key', async () => {
  const home = freshHome();
  const run = (...argv: string[]) => waybill([...argv, '--json'], { home });
  await run(...orderLine);
  await run('webhooks', 'create', 'http://127.0.0.1:1/hooks');
  await run('backup', 'shop-backup.db');
  const file = join(home, '.local', 'share', 'waybill', 'waybill.db');
  symlinkSync(file, join(home, 'link.db'));
  const restore = ['restore', 'shop-backup.db', '--database', 'link.db', '--yes'];
  const lock = acquireWorkerLock(file);
  const refused = await run(...restore);
  lock?.release();
  expect(refused.exit).toBe(7);
  expect(jsonOf((await run(...restore)).stdout)).toMatchObject({ file, orders: 1 });
  expect(lstatSync(join(home, 'link.db')).isSymbolicLink()).toBe(true);
  const status = await run('secrets', 'status', '--database', 'link.db');
  expect(JSON.parse(status.stdout)).toMatchObject([{ state: 'current', secrets: 1 }]);
});

test("the embedded service's database may be a symbolic link", async () => {
  const [home, other] = [freshHome(), freshHome()];
  const folder = (of: string) => join(of, '.local', 'share', 'waybill');
  await waybill(['webhooks', 'create', 'http://127.0.0.1:1/hooks'], { home });
  mkdirSync(folder(other), { recursive: true });
  symlinkSync(join(folder(home), 'waybill.db'), join(folder(other), 'waybill.db'));
  const { stdout } = await waybill(['secrets', 'status', '--json'], { home: other });
  expect(JSON.parse(stdout)).toMatchObject([{ state: 'current' }]);
  expect((await waybill(['orders', 'list', '--json'], { home: other })).exit).toBe(0);
  expect(readdirSync(folder(other))).toEqual(['waybill.db']);
});

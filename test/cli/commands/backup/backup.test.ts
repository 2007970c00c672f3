import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { acquireWorkerLock } from '../../../../src/storage/sqlite-file.ts';
import { errorOf, freshHome, jsonOf, waybill } from '../../harness.ts';
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
  const asked = await run('restore', 'shop-backup.db');
  expect([asked.exit, errorOf(asked.stderr).message]).toEqual([
    2,
    expect.stringContaining('Confirmation required'),
  ]);
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
  expect((await run('backup', 'first.db')).stderr).toBe('Restore it with `waybill restore`.\n');
  await run('webhooks', 'create', 'https://shop.example/hooks');
  const file = join(home, '.local', 'share', 'waybill', 'waybill.db.secret-key');
  expect((await run('backup', 'second.db')).stderr).toContain(`keep a copy of ${file} in another place.\n`);
});

test('a database that a service uses is not replaced, and nobody is asked whether it shall be', async () => {
  const home = freshHome();
  const run = (...argv: string[]) => waybill([...argv, '--json'], { home });
  await run(...orderLine);
  await run('backup', 'shop-backup.db');
  const lock = acquireWorkerLock(join(home, '.local', 'share', 'waybill', 'waybill.db'));
  const refused = await run('restore', 'shop-backup.db');
  lock?.release();
  expect([refused.exit, errorOf(refused.stderr).message]).toEqual([
    7,
    expect.stringContaining('a service is using the database'),
  ]);
});

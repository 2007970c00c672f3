import { closeSync, existsSync, openSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lockFile } from '../../../../../src/cli/commands/orders/import/import-file.ts';
import { freshHome } from '../../../harness.ts';

const home = freshHome();

test('one process holds the lock, and another learns which; a released lock is deleted', () => {
  const path = join(home, 'lock');
  const lock = lockFile(path, 'orders.csv');
  expect(() => lockFile(path, 'orders.csv')).toThrow(
    `orders.csv is being imported by process ${process.pid}.`,
  );
  lock.release();
  expect(existsSync(path)).toBe(false);
  lockFile(path, 'orders.csv').release();
});

test('the file of a dead process is not a lock', () => {
  const path = join(home, 'left');
  closeSync(openSync(path, 'w'));
  lockFile(path, 'orders.csv').release();
});

test('an invalid lock file is reported as one that cannot be written', () => {
  const path = join(home, 'strange');
  writeFileSync(path, 'x'.repeat(5_000));
  expect(() => lockFile(path, 'orders.csv')).toThrow(/strange cannot be written: file is not a database/);
});

test('a symbolic link is refused, and its target is not created', () => {
  const [path, other] = [join(home, 'linked'), join(home, 'elsewhere')];
  symlinkSync(other, path);
  expect(() => lockFile(path, 'orders.csv')).toThrow(/linked cannot be written: it is a symbolic link/);
  expect(existsSync(other)).toBe(false);
});

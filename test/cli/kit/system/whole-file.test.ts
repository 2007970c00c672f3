import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeWhole } from '../../../../src/cli/kit/system/files.ts';
import { freshHome } from '../../harness.ts';

test('the leftover of a killed process with the same id does not disturb', () => {
  const file = join(freshHome(), 'file');
  writeFileSync(`${file}.${process.pid}.new`, 'half', { mode: 0o644 });
  writeWhole(file, 'whole', { mode: 0o600 });
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['whole', 0o600]);
});

test('a failed rename leaves no temporary file', () => {
  const folder = freshHome();
  mkdirSync(join(folder, 'taken'));
  expect(() => writeWhole(join(folder, 'taken'), 'whole', { mode: 0o600 })).toThrow();
  expect(readdirSync(folder)).toEqual(['taken']);
});

test('a given mode is that of the file, whatever the umask', () => {
  const file = join(freshHome(), 'file');
  writeWhole(file, '', { mode: 0o666, isGiven: true });
  expect(statSync(file).mode & 0o777).toBe(0o666);
  chmodSync(file, 0o600);
  writeWhole(file, '', { mode: 0o666 });
  expect(statSync(file).mode & 0o777).toBe(0o666 & ~process.umask());
});

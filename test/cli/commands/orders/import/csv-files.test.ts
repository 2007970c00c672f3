import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCsvFile } from '../../../../../src/cli/commands/orders/import/csv.ts';
import { freshHome } from '../../../harness.ts';

test('a file of many rows is written completely, with bounded memory', async () => {
  const warnings: string[] = [];
  const warn = ({ name }: Error) => void warnings.push(name);
  process.on('warning', warn);
  onTestFinished(() => void process.off('warning', warn));
  const path = join(freshHome(), 'many.csv');
  const file = createCsvFile(path, ['line', 'text']);
  for (let line = 1; line <= 20_000; line += 1) await file.write([line, 'x'.repeat(200)]);
  await file.keep();
  expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(20_001);
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).toEqual([]);
});

test('a symbolic link in place of the draft is removed, and its target is left alone', async () => {
  const home = freshHome();
  const [path, other] = [join(home, 'orders.ok.csv'), join(home, 'other')];
  writeFileSync(other, 'mine');
  symlinkSync(other, `${path}.part`);
  const file = createCsvFile(path, ['line']);
  await file.write([1]);
  await file.keep();
  expect([readFileSync(other, 'utf8'), readFileSync(path, 'utf8')]).toEqual(['mine', 'line\n1\n']);
});

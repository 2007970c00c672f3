import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCsvFile } from '../../../src/cli/imports/csv-files.ts';
import { freshHome } from '../harness.ts';

test('a file of many rows is written whole, and nothing piles up on the way', async () => {
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

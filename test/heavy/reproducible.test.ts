import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, root, version } from './installation.ts';

function run(folder: string, program: string, ...words: string[]): void {
  const { status, stderr } = spawnSync(program, words, { cwd: folder, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
}

/** The hash of the package that is built from a copy of the sources in this folder. */
function packageHash(folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (const name of [
    'bin',
    'completions',
    'src',
    'package.json',
    'package-lock.json',
    'README.md',
    'LICENSE',
  ]) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  run(folder, 'cp', '-a', join(root, 'node_modules'), 'node_modules');
  run(folder, process.execPath, 'src/build/bundle.ts');
  run(folder, 'npm', 'pack', '--ignore-scripts');
  return createHash('sha256')
    .update(readFileSync(join(folder, `waybill-${version}.tgz`)))
    .digest('hex');
}

test('two builds in different folders give the same package, byte by byte', () => {
  const folder = emptyFolder();
  expect(packageHash(join(folder, 'one'))).toBe(packageHash(join(folder, 'another', 'folder')));
});

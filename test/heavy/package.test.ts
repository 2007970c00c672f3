import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, firstSteps, root, version } from './installation.ts';

function npm(folder: string, ...words: string[]): void {
  const { status, stderr } = spawnSync('npm', words, { cwd: folder, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
}

test('the package is installed into an empty prefix, without scripts and without a network, and works', () => {
  const folder = emptyFolder();
  npm(root, 'pack', '--ignore-scripts', '--pack-destination', folder);
  const file = join(folder, `waybill-${version}.tgz`);
  const prefix = join(folder, 'prefix');
  const quiet = ['--no-audit', '--no-fund', '--cache', join(folder, 'cache')];
  npm(folder, 'install', '--global', '--prefix', prefix, '--ignore-scripts', '--offline', ...quiet, file);
  expect(readdirSync(join(prefix, 'bin'))).toEqual(['waybill']);
  firstSteps(join(folder, 'home'), join(prefix, 'bin', 'waybill'));
});

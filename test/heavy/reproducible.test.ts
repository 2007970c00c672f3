import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { buildIn, copySources, emptyFolder, runOrFail, version } from './installation.ts';

/** The hash of the package that is built from a copy of the sources in this folder. */
function packageHash(folder: string): string {
  copySources(folder);
  buildIn(folder);
  runOrFail(folder, 'npm', 'pack', '--ignore-scripts');
  return createHash('sha256')
    .update(readFileSync(join(folder, `waybill-${version}.tgz`)))
    .digest('hex');
}

test('two builds in different folders at one SOURCE_DATE_EPOCH give the same package, byte by byte', () => {
  vi.stubEnv('SOURCE_DATE_EPOCH', '1767225600');
  onTestFinished(() => void vi.unstubAllEnvs());
  const folder = emptyFolder();
  expect(packageHash(join(folder, 'one'))).toBe(packageHash(join(folder, 'another', 'folder')));
});

test('a folder cannot be published, and what is packed of it can', () => {
  const folder = join(emptyFolder(), 'copy');
  copySources(folder);
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
  const npm = (...words: string[]) => spawnSync('npm', words, { cwd: folder, encoding: 'utf8' });
  const nowhere = ['--registry=http://127.0.0.1:9', '--//127.0.0.1:9/:_authToken=none', '--fetch-retries=0'];
  expect(npm('publish', ...nowhere).stderr).toContain('npm error code EPRIVATE');
  expect(npm('pack').status).toBe(0);
  expect(readFileSync(join(folder, 'package.json'), 'utf8')).toBe(manifest);
  const inside = spawnSync('tar', ['-xzOf', `waybill-${version}.tgz`, 'package/package.json'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const { dependencies, devDependencies, ...released } = JSON.parse(inside.stdout);
  expect([dependencies, devDependencies, released.private]).toEqual([undefined, undefined, undefined]);
  const packed = npm('publish', `waybill-${version}.tgz`, ...nowhere).stderr;
  expect(packed).not.toContain('EPRIVATE');
  expect(packed).toContain('ECONNREFUSED');
});

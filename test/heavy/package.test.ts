import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packedManifest } from '../../src/build/packed-manifest.ts';
import { compilePrograms, runPrograms } from '../program/library-programs.ts';
import { freshHome, serve } from '../program/run.ts';
import { emptyFolder, firstSteps, root, version } from './installation.ts';

function npm(folder: string, ...words: string[]): void {
  const { status, stderr } = spawnSync('npm', words, { cwd: folder, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
}

/** Packs the built program as a release does, without building it again. */
function pack(folder: string): void {
  npm(root, 'pack', '--ignore-scripts', '--pack-destination', folder);
  const file = join(folder, `waybill-${version}.tgz`);
  const tar = (...words: string[]) => expect(spawnSync('tar', words, { cwd: folder }).status).toBe(0);
  tar('-xzf', file);
  const manifest = join(folder, 'package', 'package.json');
  writeFileSync(manifest, packedManifest(readFileSync(manifest, 'utf8')));
  tar('-czf', file, 'package');
  rmSync(join(folder, 'package'), { recursive: true });
}

test('the package installs into an empty prefix, without scripts and network, and works', () => {
  const folder = emptyFolder();
  pack(folder);
  const file = join(folder, `waybill-${version}.tgz`);
  const prefix = join(folder, 'prefix');
  const quiet = ['--no-audit', '--no-fund', '--cache', join(folder, 'cache')];
  npm(folder, 'install', '--global', '--prefix', prefix, '--ignore-scripts', '--offline', ...quiet, file);
  expect(readdirSync(join(prefix, 'bin'))).toEqual(['waybill']);
  firstSteps(join(folder, 'home'), join(prefix, 'bin', 'waybill'));
});

test('another project imports the installed package as ES module and as CommonJS, and compiles', async () => {
  const folder = emptyFolder();
  pack(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const quiet = ['--no-audit', '--no-fund', '--cache', join(folder, 'cache'), '--omit', 'optional'];
  npm(folder, 'install', '--ignore-scripts', '--offline', ...quiet, `./waybill-${version}.tgz`);
  expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    'waybill',
  ]);
  await runPrograms(folder, await serve(freshHome()));
  compilePrograms(folder);
});

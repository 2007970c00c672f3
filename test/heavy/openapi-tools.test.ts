import { spawnSync } from 'node:child_process';
import { cpSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeInterface } from '../../src/contract/openapi.ts';
import { emptyFolder, root } from './installation.ts';

/** Runs a program in a folder until it succeeds, and returns what it printed. */
function runIn(folder: string, program: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: folder, encoding: 'utf8' });
  expect(status, `${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

/** A folder with the tools and the description. They need TypeScript 5, so that they have a lock file of their own. */
function installTools(): string {
  const folder = emptyFolder();
  cpSync(join(root, 'test', 'heavy', 'openapi-tools'), folder, { recursive: true });
  renameSync(join(folder, 'use.ts.txt'), join(folder, 'use.ts'));
  runIn(folder, 'npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund');
  writeFileSync(
    join(folder, 'openapi.json'),
    JSON.stringify(describeInterface('https://deliveries.example')),
  );
  return folder;
}

test('spectral reports nothing, and the clients of two generators compile', () => {
  const folder = installTools();
  expect(JSON.parse(runIn(folder, process.execPath, 'lint.mjs', 'openapi.json'))).toEqual([]);
  runIn(folder, process.execPath, 'hey-api.mjs', 'openapi.json', join('generated', 'hey-api'));
  const generator = join('node_modules', 'openapi-typescript', 'bin', 'cli.js');
  runIn(
    folder,
    process.execPath,
    generator,
    'openapi.json',
    '-o',
    join('generated', 'openapi-typescript.ts'),
  );
  runIn(folder, process.execPath, join('node_modules', 'typescript', 'bin', 'tsc'), '--project', '.');
});

import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compilePrograms, guidePrograms, runPrograms } from './library-programs.ts';
import { freshHome, root } from './run.ts';

/** A folder of another project that has the package. */
function project(): string {
  const { folder } = freshHome();
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules', 'waybill'), 'dir');
  return folder;
}

test('the programs of the guide run, as does CommonJS', () => {
  expect(guidePrograms).toHaveLength(3);
  runPrograms(project());
});

test('programs that import the package compile under --strict', () => {
  compilePrograms(project());
});

test('the declarations import no package', () => {
  const entries = ['library', 'library-service', 'library-webhooks'];
  for (const name of entries.flatMap((entry) => [`${entry}.d.cts`, `${entry}.d.mts`])) {
    const imports = [
      ...readFileSync(join(root, 'dist', name), 'utf8').matchAll(/from '([^']+)'|import\('([^']+)/g),
    ];
    for (const [, from = ''] of imports)
      expect(from, name).toMatch(/^\.\/library(-service|-webhooks)?\.cjs$/);
  }
});

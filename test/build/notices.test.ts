import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'rolldown';
import { expect, onTestFinished, test } from 'vitest';
import { noticesOf, packageFolders } from '../../src/build/notices.ts';

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-notices-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

function manifest(name: string, more: object = {}): string {
  return JSON.stringify({ name, version: '1.0.0', type: 'module', main: 'index.js', ...more });
}

test('the notices cover exactly the packages that the bundler included', async () => {
  const folder = folderWith({
    'entry.js': "import { used } from '@scope/used'; import { dropped } from 'dropped'; console.log(used);",
    'node_modules/@scope/used/package.json': manifest('@scope/used', { license: 'MIT' }),
    'node_modules/@scope/used/LICENSE.md': 'Permission is granted to all.\n',
    'node_modules/@scope/used/index.js': "import { inner } from 'inner'; export const used = inner + 1;",
    'node_modules/@scope/used/node_modules/inner/package.json': manifest('inner', {
      license: 'ISC',
      author: 'Joe Diner',
    }),
    'node_modules/@scope/used/node_modules/inner/index.js': 'export const inner = Math.random();',
    'node_modules/dropped/package.json': manifest('dropped', { sideEffects: false }),
    'node_modules/dropped/index.js': 'export const dropped = 1;',
  });
  const built = await build({ input: join(folder, 'entry.js'), platform: 'node', write: false });
  expect(noticesOf(packageFolders([built]))).toBe(
    [
      'waybill includes the following packages, under their own licenses.\n',
      `${'='.repeat(80)}\n@scope/used 1.0.0 (MIT)\n\nPermission is granted to all.\n`,
      `${'='.repeat(80)}\ninner 1.0.0 (ISC)\n\nLicense: ISC, by Joe Diner\n`,
    ].join('\n'),
  );
});

test('a package without a license fails the build', () => {
  const folder = folderWith({ 'package.json': manifest('unknown') });
  expect(() => noticesOf([folder])).toThrow('unknown does not say its license');
});

test('a package under the Mozilla Public License says where its source is', () => {
  const folder = folderWith({
    'package.json': manifest('pushed', { license: 'MPL-2.0' }),
    LICENSE: 'Mozilla Public License',
  });
  expect(noticesOf([folder])).toContain(
    'pushed 1.0.0 (MPL-2.0)\n\nMozilla Public License\n\nSource: https://www.npmjs.com/package/pushed/v/1.0.0\n',
  );
});

import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { settingsFile } from '../../../../src/cli/kit/settings/settings-file.ts';
import { freshHome } from '../../harness.ts';

interface Settings {
  name: string;
}

function fileAt(path: string) {
  return settingsFile<Settings>(path, {
    initial: { name: 'initial' },
    parse: ({ name }) => {
      if (typeof name !== 'string') throw new Error('no name');
      return { name };
    },
    errorFor: (problem) => new Error(problem),
  });
}

const inFolder = () => join(freshHome(), 'config', 'settings.json');

test('a symbolic link to the file stays a link', () => {
  const path = inFolder();
  const target = join(freshHome(), 'target.json');
  mkdirSync(dirname(path));
  symlinkSync(target, path);
  fileAt(path).change(() => ({ name: 'linked' }));
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(JSON.parse(readFileSync(target, 'utf8'))).toEqual({ name: 'linked' });
});

test('a byte order mark is accepted', () => {
  const path = join(freshHome(), 'settings.json');
  writeFileSync(path, '\uFEFF{"name":"edited"}');
  expect(fileAt(path).read()).toEqual({ name: 'edited' });
});

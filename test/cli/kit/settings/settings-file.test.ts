import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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

test('reading without a file gives the initial settings and creates no folder', () => {
  const path = inFolder();
  expect(fileAt(path).read()).toEqual({ name: 'initial' });
  expect(existsSync(dirname(path))).toBe(false);
});

test('a change applies to the current settings, and leaves no other file in the folder', () => {
  const path = inFolder();
  const file = fileAt(path);
  file.change(({ name }) => ({ name: `${name} one` }));
  fileAt(path).change(({ name }) => ({ name: `${name} two` }));
  expect(file.read()).toEqual({ name: 'initial one two' });
  expect(readdirSync(dirname(path))).toEqual(['settings.json']);
});

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

test.each([
  ['not_json', '{'],
  ['no name', '{}'],
  ['no name', '[]'],
])('%s: a file with %s is refused by reads and changes, and stays', (message, text) => {
  const path = join(freshHome(), 'settings.json');
  writeFileSync(path, text);
  expect(() => fileAt(path).read()).toThrow(message);
  expect(() => fileAt(path).change(() => ({ name: 'new' }))).toThrow(message);
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test('a failed change writes nothing', () => {
  const path = inFolder();
  const change = () => {
    throw new Error('refused');
  };
  expect(() => fileAt(path).change(change)).toThrow('refused');
  expect(existsSync(path)).toBe(false);
});

test('a folder that is a file can be neither read nor written', () => {
  const path = join(freshHome(), 'file', 'settings.json');
  writeFileSync(dirname(path), '');
  expect(() => fileAt(path).read()).toThrow('unreadable');
  expect(() => fileAt(path).checkWritable()).toThrow('unwritable');
});

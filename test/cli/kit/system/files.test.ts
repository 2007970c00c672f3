import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { newPlan } from '../../../../src/cli/commands/new/plan.ts';
import { writePlan } from '../../../../src/cli/commands/new/plan-file.ts';
import { createCsvFile } from '../../../../src/cli/commands/orders/import/result-files.ts';
import { replaceFile } from '../../../../src/cli/kit/system/files.ts';
import { jsonFault } from '../../../../src/cli/kit/system/json-fault.ts';
import { settingsFile } from '../../../../src/cli/kit/system/settings-file.ts';
import { changeProfiles, initialProfiles } from '../../../../src/cli/settings/profiles.ts';
import { freshHome } from '../../harness.ts';

test('the leftover of a killed process with the same id does not disturb', () => {
  const file = join(freshHome(), 'file');
  writeFileSync(`${file}.${process.pid}.new`, 'half', { mode: 0o644 });
  replaceFile(file, 'whole', { mode: 0o600 });
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['whole', 0o600]);
});

test('a failed rename leaves no temporary file', () => {
  const folder = freshHome();
  mkdirSync(join(folder, 'taken'));
  expect(() => replaceFile(join(folder, 'taken'), 'whole', { mode: 0o600 })).toThrow();
  expect(readdirSync(folder)).toEqual(['taken']);
});

test('a replaced file has the given mode within the umask, whatever its mode was', () => {
  const file = join(freshHome(), 'file');
  writeFileSync(file, '');
  chmodSync(file, 0o600);
  replaceFile(file, '', { mode: 0o666 });
  expect(statSync(file).mode & 0o777).toBe(0o666 & ~process.umask());
});

type Write = (file: string) => Promise<void> | void;

const writers: [what: string, name: string, write: Write][] = [
  ['profiles', 'profiles.json', (file) => changeProfiles(file, () => initialProfiles)],
  ['what the wizard was left at', 'sandbox.json', (file) => writePlan(file, newPlan('key', null))],
  [
    'what became of an import',
    'ok.csv',
    async (file) => {
      const csv = createCsvFile(file, ['line']);
      await csv.write([1]);
      await csv.keep();
    },
  ],
];

test.each(writers)('%s: a new private file replaces the old one', async (_, name, write) => {
  const file = join(freshHome(), 'folder', name);
  changeProfiles(join(dirname(file), 'profiles.json'), () => initialProfiles);
  await write(file);
  chmodSync(file, 0o644);
  if (name === 'profiles.json') chmodSync(dirname(file), 0o755);
  const names = readdirSync(dirname(file));
  const { ino } = statSync(file);
  await write(file);
  expect(statSync(file).ino).not.toBe(ino);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  expect(readdirSync(dirname(file))).toEqual(names);
});

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

test('a symbolic link to the file stays a link', () => {
  const path = join(freshHome(), 'settings.json');
  const target = join(freshHome(), 'target.json');
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
  ['{"a": 1,\n  "b" 2}', 'line 2, column 7: expected a colon, not 2'],
  ['{"a": 1\n "b": 2}', 'line 2, column 2: expected a comma or }, not "'],
  ['{"a": 1,}', 'line 1, column 9: expected a name in double quotes, not }'],
  ["{'a': 1}", "line 1, column 2: expected a name in double quotes or }, not 'a'"],
  ['[1, 2', 'line 1, column 6: the text ends too early'],
  ['', 'line 1, column 1: the text ends too early'],
  ['{"a": "x\n"}', 'line 1, column 7: a text is not closed, or has a line break or an invalid escape'],
  ['{"a": undefined}', 'line 1, column 7: expected a value, not undefined'],
  ['{"a": 01}', 'line 1, column 7: expected a value, not 01'],
  ['[1] 2', 'line 1, column 5: expected the end, not 2'],
])('%j', (text, fault) => {
  expect(jsonFault(text)).toBe(fault);
});

test('a fault is placed in the file, and secrets are not quoted', () => {
  expect(jsonFault('{"a" 1}', { line: 7 })).toBe('line 7, column 6: expected a colon, not 1');
  expect(jsonFault('{\n"a" 1}', { line: 7 })).toBe('line 8, column 5: expected a colon, not 1');
  expect(jsonFault('{"a" wb_live_x}', { isSecret: true })).toBe('line 1, column 6: expected a colon');
});

test('what JSON.parse takes has no fault, and what it refuses has one', () => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '1',
    '-2.5e3',
    'true',
    'null',
    ' ',
    '\n',
    '"\\u00e9"',
    'x',
  ];
  let seed = 7;
  const pick = (count: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % count;
  };
  for (let round = 0; round < 20_000; round += 1) {
    const text = Array.from({ length: 1 + pick(7) }, () => pieces[pick(pieces.length)]).join('');
    const isJson = (() => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    })();
    expect([text, jsonFault(text) === null]).toEqual([text, isJson]);
  }
});

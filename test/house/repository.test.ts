import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Paths of all code, from the root. */
const code = ['src', 'test'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => /\.(ts|mjs|cjs)$/.test(path)),
);

test('no comment turns off the compiler or the linter', () => {
  const waiver = new RegExp('@ts-' + 'nocheck|biome' + '-ignore');
  expect(code.filter((path) => waiver.test(read(path)))).toEqual([]);
  const sources = code.filter((path) => path.startsWith('src'));
  expect(sources.filter((path) => read(path).includes('@ts-expect-error'))).toEqual([]);
});

test('files and folders are named after their content', () => {
  const emptyNames = /^(utils?|lib|helpers?|common|misc)$/;
  const parts = new Set(code.flatMap((path) => path.split('/')).map((part) => basename(part, extname(part))));
  expect([...parts].filter((part) => emptyNames.test(part))).toEqual([]);
});

test('only one file of the kit names its program', () => {
  const kit = code.filter((path) => path.startsWith('src/cli/kit/'));
  const withoutComments = (text: string) => text.replace(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const naming = kit.filter((path) => /waybill|\bwb_/i.test(withoutComments(read(path))));
  expect(naming).toEqual(['src/cli/kit/product.ts']);
});

test('the top level has the files that every project has, and its four folders', () => {
  const expected = [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'README.md',
    'LICENSE',
    'CHANGELOG.md',
  ];
  const folders = ['bin', 'src', 'test', 'completions'];
  const generated = ['node_modules', 'dist'];
  const names = readdirSync(root).filter((name) => !name.startsWith('.') && !generated.includes(name));
  expect(names.toSorted()).toEqual([...expected, ...folders].toSorted());
});

test('the lock file names no host but the npm registry', () => {
  const addresses = read('package-lock.json').match(/"resolved": "(?!src\/).*"/g) ?? [];
  expect(addresses.filter((line) => !line.includes('"https://registry.npmjs.org/'))).toEqual([]);
});

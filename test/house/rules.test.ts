import { expect, test } from 'vitest';
import { type Fault, importFaults } from './imports.ts';
import { fileSizeFaults, functionSizeFaults, lockFileFaults, nameFaults, topLevelFaults } from './sizes.ts';
import { type Facts, factsOf } from './syntax.ts';
import {
  bannedModuleFaults,
  bannedWordFaults,
  castFaults,
  pardonFaults,
  skippedTestFaults,
} from './words.ts';

/** A small house that keeps every rule. */
const sound: Record<string, string> = {
  'src/cli/main.ts': "import { connect } from './connect.ts';\nexport const main = () => connect();\n",
  'src/cli/connect.ts':
    "import type { S } from '../service/s.ts';\nexport const connect = () => import('../service/s.ts');\n",
  'src/service/s.ts':
    "import { o } from '../storage/o.ts';\nimport { p } from '../providers/p.ts';\nexport { o, p };\n",
  'src/service/runtime/time.ts': 'export const now = () => Date.now();\n',
  'src/storage/o.ts':
    "import type { O } from '../contract/o.ts';\nexport const o = (ms: number) => new Date(ms);\n",
  'src/providers/p.ts': "import { d } from '../domain/d.ts';\nexport const p = d; // not Date.now()\n",
  'src/domain/d.ts': "export const d = 'Date.now() and setTimeout(...) and console.log';\n",
  'src/contract/o.ts': "import { Type } from 'typebox';\nexport const O = Type;\n",
};

function house(changes: Record<string, string> = {}): Facts[] {
  return Object.entries({ ...sound, ...changes }).map(([path, text]) => factsOf({ path, text }));
}

function places(faults: readonly Fault[]): string[] {
  return faults.map(({ path, line }) => `${path}:${line}`);
}

function wordPlaces(text: string, path = 'src/domain/d.ts'): string[] {
  return places(bannedWordFaults([factsOf({ path, text })]));
}

test('a sound house has no fault', () => {
  const files = house();
  expect(
    [importFaults, bannedWordFaults, bannedModuleFaults, castFaults, pardonFaults].flatMap((rule) =>
      rule(files),
    ),
  ).toEqual([]);
});

test.each([
  ['an import turned round', 'src/storage/o.ts', "import { s } from '../service/s.ts';"],
  ['code of the contract in the domain', 'src/domain/d.ts', "import { O } from '../contract/o.ts';"],
  ['one provider in another', 'src/providers/p/p.ts', "import type { q } from '../q/q.ts';"],
  ['the client in the service', 'src/service/s.ts', "import type { C } from '../client/c.ts';"],
  ['the service in a command', 'src/cli/commands/x.ts', "const s = await import('../../service/s.ts');"],
  ['the service loaded at once', 'src/cli/connect.ts', "import { s } from '../service/s.ts';"],
  ['storage in the command line', 'src/cli/main.ts', "export { o } from '../storage/o.ts';"],
  ['a builtin in the contract', 'src/contract/o.ts', "import { join } from 'node:path';"],
  ['a package out of its layer', 'src/service/s.ts', "import chalk from 'chalk';"],
  ['a driver out of its file', 'src/storage/o.ts', "import pg from 'pg';"],
  ['a package by a path', 'src/client/c.ts', "import { sql } from 'kysely/helpers';"],
  ['a hidden import', 'src/cli/main.ts', 'const name = String(1); await import(name);'],
  ['a folder that is no layer', 'src/extra/e.ts', "import './f.ts';"],
])('%s is found', (_, path, line) => {
  const faults = importFaults(house({ [path]: `// comment\n${line}\n` }));
  expect(places(faults)).toEqual([`${path}:2`]);
  expect(faults[0]?.reason.length).toBeGreaterThan(20);
});

test('types of a builtin and of the contract may be used where code may not', () => {
  const text = "import type { A } from 'node:sqlite';\nimport { type B } from '../contract/o.ts';\n";
  expect(importFaults([factsOf({ path: 'src/storage/o.ts', text })])).toEqual([]);
});

test.each([
  'Date.now()',
  'new Date()',
  'Date()',
  'globalThis.Date.now',
  'performance.now()',
  'process.hrtime()',
  'Math.random()',
  'crypto.randomUUID()',
  'setTimeout(f, 1)',
  'globalThis.setTimeout(f, 1)',
  'const later = { setInterval }',
  'setImmediate(f)',
  'AbortSignal.timeout(1)',
  'console.log(1)',
  'process.exit(1)',
  'process.stdout.write(x)',
  'process.env.HOME',
  'new Headers()',
  'import { randomBytes } from "node:crypto"',
])('%s is found outside its place', (code) => {
  expect(wordPlaces(`// a\n\n${code};`)[0]).toBe('src/domain/d.ts:3');
});

test.each([
  'new Date(1)',
  'queue.setTimeout()',
  'const x = { console: 1 }',
  "'Date.now()'",
  '/* Date.now() */',
  'clock.now()',
])('%s is no fault', (code) => {
  expect(wordPlaces(code)).toEqual([]);
});

test('banned words are at home in their places alone', () => {
  expect(wordPlaces('Date.now(); setTimeout(f)', 'src/service/runtime/time.ts')).toEqual([]);
  expect(wordPlaces('process.exit(1)', 'src/cli/main.ts')).toEqual([]);
  expect(wordPlaces('Date.now()', 'src/cli/main.ts')).toEqual(['src/cli/main.ts:1']);
  expect(wordPlaces('process.exit(1)', 'src/service/runtime/time.ts')).toEqual([
    'src/service/runtime/time.ts:1',
  ]);
  expect(wordPlaces('console.error(process.argv)', 'src/build/x.ts')).toEqual([]);
});

test('a module that gives timers is found', () => {
  const text = "import { setTimeout as sleep } from 'node:timers/promises';";
  expect(places(bannedModuleFaults([factsOf({ path: 'src/cli/x.ts', text })]))).toEqual(['src/cli/x.ts:1']);
  expect(bannedModuleFaults([factsOf({ path: 'src/cli/ports/x.ts', text })])).toEqual([]);
});

test.each(['a as any', 'a as unknown as B', 'a as B', 'let a: any', 'a!'])('%s is found', (code) => {
  expect(castFaults([factsOf({ path: 'src/domain/d.ts', text: code })])).not.toEqual([]);
});

test.each(['a as const', 'a satisfies B', "import { a as any } from 'x'", '!a'])('%s is no cast', (code) => {
  expect(castFaults([factsOf({ path: 'src/domain/d.ts', text: code })])).toEqual([]);
});

test('pardons and skipped tests are found', () => {
  const pardon = (word: string, path: string) =>
    pardonFaults([factsOf({ path, text: `// ${word}: because\n` })]).length;
  expect(
    ['@ts-ignore', 'biome-ignore lint', '@ts-expect-error'].map((word) => pardon(word, 'src/domain/d.ts')),
  ).toEqual([1, 1, 1]);
  expect(
    ['@ts-ignore', 'biome-ignore lint', '@ts-expect-error'].map((word) => pardon(word, 'test/d.ts')),
  ).toEqual([1, 1, 0]);
  const skipped = factsOf({
    path: 'test/d.test.ts',
    text: "test('a');\ntest.skip('b');\ndescribe.only('c');",
  });
  expect(places(skippedTestFaults([skipped]))).toEqual(['test/d.test.ts:2', 'test/d.test.ts:3']);
});

test('a line too many is found, the last that is allowed is not', () => {
  const lines = (count: number) => '\n'.repeat(count - 1);
  const file = (count: number) => factsOf({ path: 'src/domain/d.ts', text: `1;${lines(count)}2;\n` });
  expect([300, 301].map((count) => fileSizeFaults([file(count)]).length)).toEqual([0, 1]);
  const shapes = [
    (body: string) => `function f() {${body}}`,
    (body: string) => `const f = () => {${body}};`,
    (body: string) => `class C { m() {${body}} }`,
  ];
  for (const shape of shapes) {
    const sized = (count: number) => factsOf({ path: 'src/domain/d.ts', text: `\n${shape(lines(count))}` });
    expect(functionSizeFaults([sized(60)])).toEqual([]);
    expect(places(functionSizeFaults([sized(61)]))).toEqual(['src/domain/d.ts:2']);
  }
});

test('names that name nothing are found', () => {
  const paths = ['src/cli/utils.ts', 'src/common/a.ts', 'test/helpers/b.ts', 'src/domain/library.ts'];
  expect(nameFaults(paths.map((path) => ({ path }))).map(({ path }) => path)).toEqual(paths.slice(0, 3));
});

test('strangers at the top and in the lock file are found', () => {
  expect(places(topLevelFaults(['src', '.npmrc', 'dist', 'notes.md']))).toEqual(['notes.md:1']);
  const lock =
    '{\n"resolved": "https://registry.npmjs.org/a.tgz",\n"resolved": "http://proxy.example:8080/b.tgz"\n}';
  expect(places(lockFileFaults('package-lock.json', lock))).toEqual(['package-lock.json:3']);
});

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'waybill-rules-'));
afterAll(() => rmSync(folder, { recursive: true }));

for (const name of ['.biome', '.biome.json', '.dependency-cruiser.cjs'])
  cpSync(join(root, name), join(folder, name), { recursive: true });
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));

/** Runs a tool on a small tree with only these files, and returns its report. */
function report(files: Readonly<Record<string, string>>, tool: string, ...args: string[]): unknown {
  rmSync(join(folder, 'src'), { recursive: true, force: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const script = join(root, 'node_modules', ...tool.split('/'));
  const { stdout } = spawnSync(process.execPath, [script, ...args], { cwd: folder, encoding: 'utf8' });
  return JSON.parse(stdout);
}

/** The lines of a file with a Biome error. */
function refusedLines(path: string, text: string): number[] {
  const args = ['lint', '--error-on-warnings', '--reporter=json', '--max-diagnostics=none'];
  const found = report({ [path]: text }, '@biomejs/biome/bin/biome', ...args);
  const lines: number[] = [];
  JSON.stringify(found, (key, value) => {
    if (key === 'location') lines.push(value.start.line);
    return value;
  });
  return [...new Set(lines)].toSorted((a, b) => a - b);
}

const forbidden = [
  'Date.now()',
  'new Date()',
  'Date()',
  'globalThis.Date',
  'performance.now()',
  'process.hrtime()',
  'Math.random()',
  'crypto.randomUUID()',
  'setTimeout(f, 1)',
  '{ setInterval }',
  'setImmediate(f)',
  'AbortSignal.timeout(1)',
  'console.log(1)',
  'process.exit(1)',
  "process.stdout.write('')",
  'process.env.HOME',
  'new Headers()',
  'f as string',
  'f!',
];
const allowed = ['new Date(1)', 'queue.setTimeout()', '{ console: 1 }', "'Date.now()'", '[1] as const', '!f'];

const list = (lines: readonly string[]) => `export const list = [\n${lines.join(',\n')},\n];\n`;

test('clock, randomness, timers, process, console and casts are refused outside their places', () => {
  const lines = forbidden.map((_, index) => index + 2);
  expect(refusedLines('src/domain/x.ts', list(forbidden))).toEqual(lines);
  expect(refusedLines('src/domain/x.ts', list(allowed))).toEqual([]);
});

test('ports may use their own sources of time and randomness only', () => {
  const text = list(['Date.now()', 'setTimeout(f)', 'process.exit(1)']);
  expect(refusedLines('src/service/runtime/time.ts', text)).toEqual([4]);
  expect(refusedLines('src/cli/main.ts', text)).toEqual([2, 3]);
});

test('modules that provide timers or randomness are refused', () => {
  const text =
    "export { setTimeout } from 'node:timers/promises';\nexport { randomBytes } from 'node:crypto';\n";
  expect(refusedLines('src/cli/x.ts', text)).toEqual([1, 2]);
});

test('files of more than 600 lines and functions of more than 60 are refused', () => {
  const lines = (count: number) => 'f();\n'.repeat(count);
  expect(refusedLines('src/domain/x.ts', lines(600))).toEqual([]);
  expect(refusedLines('src/domain/x.ts', lines(601))).toEqual([1]);
  const method = (count: number) => `export class C {\nm() {\n${lines(count)}}\n}\n`;
  expect(refusedLines('src/domain/x.ts', method(60))).toEqual([]);
  expect(refusedLines('src/domain/x.ts', method(61))).toEqual([2]);
});

/** A tree in which each import is allowed. */
const sound = {
  'src/contract/o.ts': "import { Type } from 'typebox';\nexport const O = Type;\n",
  'src/domain/d.ts': "import type { DatabaseSync } from 'node:sqlite';\nexport type D = DatabaseSync;\n",
  'src/providers/directory.ts': "export { q } from './q/q.ts';\n",
  'src/providers/q/q.ts': "export { d } from '../../domain/e.ts';\n",
  'src/domain/e.ts': "import type { O } from '../contract/o.ts';\nexport const d: typeof O | 1 = 1;\n",
  'src/storage/o.ts': "export { d } from '../domain/e.ts';\n",
  'src/service/s.ts': "export { d } from '../storage/o.ts';\n",
  'src/service/http/validation.ts': 'export const v = 1;\n',
  'src/service/t.ts': "export const v = () => import('./http/validation.ts');\n",
  'src/client/c.ts': "export { O } from '../contract/o.ts';\n",
  'src/cli/flow/f.ts': 'export const f = 1;\n',
  'src/cli/commands/routes.ts': 'export const r = 1;\n',
  'src/cli/session/connect.ts': "export const connect = () => import('../../service/s.ts');\n",
};

/** Additions to the valid tree, each with the rule that it breaks. */
const additions: [rule: string, path: string, text: string][] = [
  ['storage-imports', 'src/storage/x.ts', "export * from '../service/s.ts';"],
  ['domain-imports-types', 'src/domain/x.ts', "export { O } from '../contract/o.ts';"],
  ['providers-apart', 'src/providers/p/p.ts', "import type { q } from '../q/q.ts';"],
  ['service-imports', 'src/service/x.ts', "import type { O } from '../client/c.ts';"],
  ['service-only-by-the-doors', 'src/cli/x.ts', "export const s = import('../service/s.ts');"],
  ['cli-imports-types', 'src/cli/session/connect.ts', "export * from '../../service/s.ts';"],
  ['cli-kit-imports', 'src/cli/kit/args/x.ts', "export * from '../../session/connect.ts';"],
  ['kit-on-its-own', 'src/cli/kit/args/y.ts', "export * from '../../../client/c.ts';"],
  ['cli-without-floor', 'src/cli/extra/x.ts', "export * from './x.ts';"],
  ['cli-flow-imports', 'src/cli/flow/x.ts', "export * from '../commands/routes.ts';"],
  ['commands-apart', 'src/cli/commands/orders/x.ts', "export * from '../routes.ts';"],
  ['new-apart', 'src/cli/commands/new.ts', "export * from './routes.ts';"],
  ['pages-apart', 'src/cli/commands/board.ts', "export * from './routes.ts';"],
  ['cli-imports', 'src/cli/y.ts', "export * from '../storage/o.ts';"],
  ['contract-node-modules', 'src/contract/x.ts', "export { join } from 'node:path';"],
  ['checks-when-needed', 'src/service/z.ts', "export * from './http/validation.ts';"],
  ['service-packages', 'src/service/y.ts', "export { default } from 'chalk';"],
  ['pg-in-one-place', 'src/storage/y.ts', "export { Pool } from 'pg';"],
  ['client-packages', 'src/client/x.ts', "export { sql } from 'kysely/helpers/sqlite';"],
  ['resolvable', 'src/client/y.ts', "export * from './missing.ts';"],
  ['known-layer', 'src/extra/x.ts', "export * from './x.ts';"],
  ['no-circular', 'src/client/c.ts', "import '../client/c.ts';"],
];

/** The rules that each file of a tree breaks. */
function brokenRules(files: Readonly<Record<string, string>>): Map<string, string[]> {
  const args = ['--output-type', 'json', 'src'];
  const found = report(files, 'dependency-cruiser/bin/dependency-cruiser.mjs', ...args);
  const rules = new Map<string, string[]>();
  JSON.stringify(found, (key, value) => {
    if (key !== 'violations') return key === 'modules' ? undefined : value;
    for (const { rule, from } of value) rules.set(from, [...(rules.get(from) ?? []), rule.name]);
    return value;
  });
  return rules;
}

test('a correct tree breaks no rule', () => {
  expect(brokenRules(sound).size).toBe(0);
});

test('each addition breaks its rule', () => {
  const texts = additions.map(([, path, text]) => [path, `${text}\n`]);
  const rules = brokenRules({ ...sound, ...Object.fromEntries(texts) });
  for (const [rule, path] of additions) expect(rules.get(path), path).toContain(rule);
});

import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSync } from '@swc/core';

// Changes one statement of a folder at a time, in a copy of the project, and reports the changes that no test notices:
//   npm run mutants -- src/storage [--sample 300] [--seed 1]
// A statement is deleted, or the condition of an `if` is negated. The tests of the same folder run first, then all others
// that import the file, and end with the first that fails. A change after which they hang is noticed, too. All of these
// tests must pass without any change.

interface Mutant {
  file: string;
  line: number;
  /** What is done to the code. */
  change: string;
  /** The whole file with the change. */
  text: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'string', default: '300' }, seed: { type: 'string', default: '1' } },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('Name a folder: npm run mutants -- src/storage');

/** A run that takes longer has stopped making progress. */
const longest_ms = 300_000;

const mutants = sampleOf(mutantsIn(folder), Number(values.sample), Number(values.seed));
const copy = copyOfProject();
const unnoticed: Mutant[] = [];
try {
  const own = folder.replace(/^src/, 'test').replace(/\.ts$/, '');
  await expectUnchangedToPass(own);
  for (const [index, mutant] of mutants.entries()) {
    const isNoticed = await isNoticedBy(mutant, own);
    if (!isNoticed) unnoticed.push(mutant);
    const { file, line, change } = mutant;
    console.log(
      `${index + 1}/${mutants.length} ${isNoticed ? 'noticed' : 'NOT NOTICED'} ${file}:${line} ${change}`,
    );
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${mutants.length - unnoticed.length} of ${mutants.length} changes were noticed.`);

function mutantsIn(root: string): Mutant[] {
  const files = root.endsWith('.ts') ? [root] : globSync(`${root}/**/*.ts`).sort();
  return files.filter((file) => !file.endsWith('.d.ts')).flatMap(mutantsOf);
}

function mutantsOf(file: string): Mutant[] {
  const bytes = readFileSync(file);
  const found: Mutant[] = [];
  const add = ({ start, end }: Span, replacement: string, change: string) => {
    const [from, to] = [start - 1, end - 1];
    const old = bytes.subarray(from, to).toString();
    found.push({
      file,
      line: bytes.subarray(0, from).toString().split('\n').length,
      change: `${change}: ${old.replace(/\s+/g, ' ').slice(0, 80)}`,
      text:
        bytes.subarray(0, from).toString() +
        replacement.replace('$', () => old) +
        bytes.subarray(to).toString(),
    });
  };
  visit(parseSync(bytes.toString(), { syntax: 'typescript', target: 'es2022' }), (node) => {
    if (node.type === 'ExpressionStatement') add(node.span, ';', 'deleted');
    if (node.type === 'IfStatement' && isNode(node.test)) add(node.test.span, '!($)', 'negated');
  });
  return found;
}

interface Span {
  start: number;
  end: number;
}

interface Node {
  type: string;
  span: Span;
  [field: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'span' in value;
}

function visit(value: unknown, seen: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (isNode(value)) seen(value);
  for (const child of Object.values(value)) visit(child, seen);
}

/** The same mutants for the same seed. */
function sampleOf(all: readonly Mutant[], count: number, seed: number): Mutant[] {
  let state = seed;
  const next = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state;
  };
  const drawn = all.map((mutant) => ({ mutant, rank: next() })).sort((a, b) => a.rank - b.rank);
  return drawn.slice(0, count).map(({ mutant }) => mutant);
}

function copyOfProject(): string {
  const to = mkdtempSync(join(tmpdir(), 'mutants-'));
  for (const name of [
    'src',
    'test',
    'bin',
    'dist',
    'completions',
    'package.json',
    'tsconfig.json',
    'README.md',
  ]) {
    if (existsSync(name)) cpSync(name, join(to, name), { recursive: true });
  }
  symlinkSync(resolve('node_modules'), join(to, 'node_modules'));
  return to;
}

/** Runs exactly the tests that the changes run, as one that fails anyway would notice every change. */
async function expectUnchangedToPass(own: string): Promise<void> {
  const files = new Set(mutants.map(({ file }) => file));
  const runs = [
    ['run', own],
    ['related', '--run', ...files],
  ];
  for (const line of runs) {
    if ((await run(line)) !== 0) throw new Error(`Without any change fails: vitest ${line.join(' ')}`);
  }
}

async function isNoticedBy({ file, text }: Mutant, own: string): Promise<boolean> {
  const place = join(copy, file);
  const original = readFileSync(place);
  writeFileSync(place, text);
  try {
    return (await run(['run', own])) !== 0 || (await run(['related', '--run', file])) !== 0;
  } finally {
    writeFileSync(place, original);
  }
}

/** Runs vitest in the copy; the exit code, or 1 if it does not end. The built program is not built again. */
function run(line: readonly string[]): Promise<number> {
  const args = [
    '--config',
    'test/vitest.config.ts',
    '--bail',
    '1',
    '--passWithNoTests',
    '--exclude',
    'test/{program,bench,kills,house}/**',
  ];
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', ...line, ...args], {
    cwd: copy,
    stdio: 'ignore',
    timeout: longest_ms,
  });
  return new Promise((done) => child.on('close', (code) => done(code ?? 1)));
}

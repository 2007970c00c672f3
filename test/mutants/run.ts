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
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { parseSync } from '@swc/core';

// Changes one place of the named files or folders at a time, in a copy of the project, and reports the changes that no
// test notices:
//   npm run mutants -- src/domain src/service/quotes [--sample 300] [--seed 1] [--near]
// A statement is deleted, the condition of an `if` is negated, one half of an `&&` or `||` is dropped, or the boundary of
// a comparison is moved. The tests of the same name run first, then those of the same folder, then all others that import
// the file, and end with the first that fails, which the report names. All of these tests must pass without any change.
// Tests that exceed a time limit notice a change too, but so they do on a busy machine: they run once more, and the report
// marks the change with TIME LIMIT if they exceed it again. With --near the third step is left out: it can take as long as
// all tests for each change that they do not notice.

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
  options: {
    sample: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    near: { type: 'boolean', default: false },
  },
});
if (positionals.length === 0) throw new Error('Name files or folders: npm run mutants -- src/storage');

/** A run that takes longer has stopped making progress. */
const longest_ms = 1_800_000;

/** What vitest says of a test, a hook or a polled expectation that exceeds its limit. */
const timeLimitError =
  /(Test|Hook) timed out in \d+ms|Matcher did not succeed in time|Timed out in wait(For|Until)/;

/** What becomes of a comparison whose boundary is moved. */
const boundaries: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };

const mutants = sampleOf(positionals.flatMap(mutantsIn), Number(values.sample), Number(values.seed));
const copy = copyOfProject();
const unnoticed: Mutant[] = [];
const unproved: Mutant[] = [];
try {
  await expectUnchangedToPass();
  for (const [index, mutant] of mutants.entries()) {
    const failure = await failureAfter(mutant);
    if (failure === null) unnoticed.push(mutant);
    if (failure?.isTimeLimit === true) unproved.push(mutant);
    const { file, line, change } = mutant;
    console.log(`${index + 1}/${mutants.length} ${verdictOf(failure)} ${file}:${line} ${change}`);
    if (failure !== null) console.log(`    by ${failure.test}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${mutants.length - unnoticed.length} of ${mutants.length} changes were noticed.`);
if (unproved.length > 0) console.log(`${unproved.length} of these only by a time limit.`);

function verdictOf(failure: Failure | null): string {
  if (failure === null) return 'NOT NOTICED';
  return failure.isTimeLimit ? 'TIME LIMIT' : 'noticed';
}

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
        replacement.replace('!($)', () => `!(${old})`) +
        bytes.subarray(to).toString(),
    });
  };
  visit(parseSync(bytes.toString(), { syntax: 'typescript', target: 'es2022' }), (node) => {
    if (node.type === 'ExpressionStatement') add(node.span, ';', 'deleted');
    if (node.type === 'IfStatement' && isNode(node.test)) add(node.test.span, '!($)', 'negated');
    if (node.type !== 'BinaryExpression' || !isNode(node.left) || !isNode(node.right)) return;
    const { left, right } = node;
    if (node.operator === '&&' || node.operator === '||')
      for (const half of [left, right]) {
        const kept = bytes.subarray(half.span.start - 1, half.span.end - 1).toString();
        add(node.span, `(${kept})`, half === left ? 'second half dropped' : 'first half dropped');
      }
    const moved = boundaries[`${node.operator}`];
    if (moved !== undefined) {
      const [from, to] = [left, right].map(({ span }) =>
        bytes.subarray(span.start - 1, span.end - 1).toString(),
      );
      add(node.span, `${from} ${moved} ${to}`, `${node.operator} made ${moved}`);
    }
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

/** The runs that may notice a change of some files, the likely first. */
function runsFor(files: readonly string[]): string[][] {
  const own = files.map((file) => file.replace(/^src/, 'test').replace(/\.ts$/, ''));
  return [
    ['run', ...own.map((path) => `${path}.test.ts`)],
    ['run', ...new Set(own.map((path) => `${dirname(path)}/`))],
    ...(values.near ? [] : [['related', '--run', ...files]]),
  ];
}

/** Runs exactly the tests that the changes run, as one that fails anyway would notice every change. */
async function expectUnchangedToPass(): Promise<void> {
  const failure = await firstFailure(runsFor([...new Set(mutants.map(({ file }) => file))]));
  if (failure !== null) throw new Error(`Fails without any change: ${failure.test}`);
}

/** The first failure of the tests after a change; null if no test notices it. */
async function failureAfter({ file, text: changed }: Mutant): Promise<Failure | null> {
  const place = join(copy, file);
  const original = readFileSync(place);
  writeFileSync(place, changed);
  try {
    return await firstFailure(runsFor([file]));
  } finally {
    writeFileSync(place, original);
  }
}

/** Makes runs until one fails; one that exceeds a time limit is made once more. Null if all of them pass. */
async function firstFailure(runs: readonly (readonly string[])[]): Promise<Failure | null> {
  for (const line of runs) {
    const once = await runTests(line);
    const failure = once?.isTimeLimit === true ? await runTests(line) : once;
    if (failure !== null) return failure;
  }
  return null;
}

/** The first failing test of a run. */
interface Failure {
  /** The name of the test, and its error. */
  test: string;
  /** Whether a time limit was exceeded, of the test or of the whole run, and nothing else failed. */
  isTimeLimit: boolean;
}

/** Runs vitest in the copy; null if all tests pass. The built program is not built again. */
async function runTests(line: readonly string[]): Promise<Failure | null> {
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
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: longest_ms,
  });
  const [code, stdout, stderr] = await Promise.all([
    new Promise<number | null>((resolveCode) => child.on('close', resolveCode)),
    text(child.stdout),
    text(child.stderr),
  ]);
  return code === 0 ? null : failureIn(stdout + stderr, code);
}

/**
 * Reads the report of vitest, in which several tests may share one error. A run without an exit code was ended by its
 * own limit.
 */
function failureIn(report: string, code: number | null): Failure {
  const [, ...parts] = report.split(/^ *FAIL +/m);
  const withError = parts.filter((each) => /^.+\n\S/.test(each));
  // A whole file also fails because its other tests are skipped after the first failure.
  const ofTests = withError.filter((each) => /^.* > /.test(each));
  const failures = ofTests.length > 0 ? ofTests : withError;
  const isTimeLimit = failures.length > 0 && failures.every((each) => timeLimitError.test(each));
  const [test = 'no test', error = ''] = failures[0]?.split('\n') ?? [];
  return { test: `${test}: ${error.slice(0, 160)}`, isTimeLimit: isTimeLimit || code === null };
}

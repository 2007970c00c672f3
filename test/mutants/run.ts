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
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSync } from '@swc/core';
import { createVitest, type TestCase, type TestModule, type TestSpecification } from 'vitest/node';

// Changes one place of the named files or folders at a time, in a copy of the project, and reports the changes that no
// test notices:
//   npm run mutants -- src/domain src/service/quotes [--sample 300] [--seed 1] [--near]
// A statement is deleted, the condition of an `if` is negated, one half of an `&&` or `||` is dropped, or the boundary of
// a comparison is moved. The tests of the same name run first, then those of the same folder, then all others that import
// the file, and end with the first that fails, which the report names. All of these tests must pass without any change.
// One vitest with its PostgreSQL makes all runs; the built program is not built again. A run that exceeds a time limit
// notices a change too, but so it does on a busy machine: it is made once more, and the report marks the change with
// TIME LIMIT if it is exceeded again. With --near the third step is left out: it can take as long as all tests for each
// change that they do not notice.

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

/** Tests of the built program, and those that measure. */
const excluded = /\/test\/(program|bench|kills|house)\//;

/** What becomes of a comparison whose boundary is moved. */
const boundaries: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };

const mutants = sampleOf(positionals.flatMap(mutantsIn), Number(values.sample), Number(values.seed));
const copy = copyOfProject();
process.chdir(copy);
const failures: Failure[] = [];
/** How the last run ended. */
let outcome: 'passed' | 'interrupted' | 'failed' = 'passed';
const vitest = await createVitest({
  config: 'test/vitest.config.ts',
  watch: false,
  bail: 1,
  reporters: [
    {
      onTestCaseResult: addFailure,
      onTestModuleEnd: addFailure,
      onTestRunEnd: (_modules, _errors, reason) => {
        outcome = reason;
      },
    },
  ],
});
const unnoticed: Mutant[] = [];
const unproved: Mutant[] = [];
/** A run that takes longer has stopped making progress: no change runs more tests than are run without one. */
let longest_ms = 1_800_000;
try {
  const from = performance.now();
  const failure = await firstFailure([...new Set(mutants.map(({ file }) => file))]);
  if (failure !== null) throw new Error(`Fails without any change: ${failure.test}`);
  longest_ms = 30_000 + 2 * (performance.now() - from);
  for (const [index, mutant] of mutants.entries()) {
    const failure = await failureAfter(mutant);
    if (failure === null) unnoticed.push(mutant);
    if (failure?.isTimeLimit === true) unproved.push(mutant);
    const { file, line, change } = mutant;
    console.log(`${index + 1}/${mutants.length} ${verdictOf(failure)} ${file}:${line} ${change}`);
    if (failure !== null) console.log(`    by ${failure.test}`);
  }
} finally {
  await vitest.close();
  rmSync(copy, { recursive: true, force: true });
}
process.exitCode = 0;
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

/** A failing test, with its error. */
interface Failure {
  test: string;
  /** Whether what failed is that the run exceeded its time limit. */
  isTimeLimit: boolean;
}

function addFailure(part: TestCase | TestModule): void {
  const [error] = part.type === 'test' ? (part.result().errors ?? []) : part.errors();
  if (error === undefined) return;
  const file = relative(copy, part.type === 'test' ? part.module.moduleId : part.moduleId);
  const name = part.type === 'test' ? `${file} > ${part.fullName}` : file;
  failures.push({ test: `${name}: ${error.name}: ${error.message.slice(0, 160)}`, isTimeLimit: false });
}

/** The first failure of the tests after a change; null if no test notices it. */
async function failureAfter({ file, text: changed }: Mutant): Promise<Failure | null> {
  const original = readFileSync(file);
  const write = (content: string | Buffer) => {
    writeFileSync(file, content);
    vitest.invalidateFile(resolve(file));
  };
  write(changed);
  try {
    return await firstFailure([file]);
  } finally {
    write(original);
  }
}

/** The first failure of the tests that may notice a change of some files, the likely first. */
async function firstFailure(files: readonly string[]): Promise<Failure | null> {
  const own = files.map((file) => file.replace(/^src/, 'test').replace(/\.ts$/, ''));
  const steps = [
    () => vitest.globTestSpecifications(own.map((path) => `${path}.test.ts`)),
    () => vitest.globTestSpecifications([...new Set(own.map((path) => `${dirname(path)}/`))]),
    () => {
      vitest.config.related = files.map((file) => resolve(file));
      return vitest.getRelevantTestSpecifications();
    },
  ];
  const known = new Set<string>();
  for (const find of values.near ? steps.slice(0, 2) : steps) {
    const found = await find();
    const added = found.filter(({ moduleId }) => !known.has(moduleId) && !excluded.test(moduleId));
    for (const { moduleId } of added) known.add(moduleId);
    const once = await failureIn(added);
    const failure = once?.isTimeLimit === true ? await failureIn(added) : once;
    if (failure !== null) return failure;
  }
  return null;
}

async function failureIn(specifications: TestSpecification[]): Promise<Failure | null> {
  if (specifications.length === 0) return null;
  failures.length = 0;
  const limit = setTimeout(async () => {
    failures.push({ test: 'no test: the time limit was exceeded', isTimeLimit: true });
    // The second time also ends a test that never waits.
    void vitest.cancelCurrentRun('keyboard-input');
    await vitest.cancelCurrentRun('keyboard-input');
  }, longest_ms);
  const { unhandledErrors } = await vitest.runTestSpecifications(specifications);
  clearTimeout(limit);
  const [unhandled] = unhandledErrors;
  if (failures.length === 0 && unhandled !== undefined)
    return { test: `no test: ${unhandled}`, isTimeLimit: false };
  // The end of the run before, after its first failure, may reach this one.
  if (failures.length === 0 && outcome !== 'passed') return failureIn(specifications);
  return failures[0] ?? null;
}

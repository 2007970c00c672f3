import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { UnprovedReporter } from './unproved-reporter.ts';

/** The tests that `--mode postgres` runs again on PostgreSQL. Other tests choose their engines themselves. */
const onPostgres = [
  ...['fleet', 'couriers', 'notices'].map((name) => `test/service/${name}/**/*.test.ts`),
  'test/service/auto-dispatch/repeats.test.ts',
  'test/service/sandbox/shared-steps.test.ts',
];

/** The tests that take a part of their tables, and that `--mode heavy` runs again with all of them. */
const inPart = () =>
  globSync('test/**/*.test.ts').filter((file) => readFileSync(file, 'utf8').includes("/in-part.ts'"));

const included: Readonly<Record<string, () => string[]>> = {
  heavy: () => ['test/heavy/**/*.test.ts', ...inPart()],
  postgres: () => onPostgres,
};

/** Files that take much longer than others of their size, which Vitest starts by when it has no times of an earlier run. */
const longest =
  /\/(program\/|model\/|every-command-hostile|money\/storms|webhooks\/outages|isolation\/|sandbox\/shared-steps|cost\/)/;

/** Starts the longest files first, so that none of them runs alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => longest.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** Only `--mode heavy` runs test/heavy, and of the other tests those that take a part of their tables. */
export default defineConfig(({ mode }) => ({
  define: { WAYBILL_VERSION: JSON.stringify('0.0.0-test') },
  test: {
    include: included[mode]?.() ?? ['test/**/*.test.ts'],
    env: {
      // The zone of most addresses in tests. Times of addresses in another zone are shown with its name.
      TZ: 'America/Chicago',
      // In a terminal that calls itself dumb, Node edits no lines, also those of simulated terminals.
      TERM: 'xterm-256color',
      ...(mode === 'postgres' ? { FIXTURE_ENGINE: 'postgres' } : {}),
      ...(mode === 'heavy' ? { WHOLE_TABLES: 'true' } : {}),
    },
    exclude: mode === 'heavy' ? [] : ['test/heavy/**'],
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    // A run does not transform again what an earlier one has.
    fsModuleCache: true,
    // Our modules have no state, so files can share loaded modules of a worker.
    isolate: false,
    setupFiles: ['test/setup.ts'],
    globalSetup: ['test/global-setup.ts'],
    // Styles of pages are read as they are; Vitest would leave them empty.
    css: true,
    // Heavy tests measure and must not be disturbed; others wait for a process or a socket half of their time.
    maxWorkers: mode === 'heavy' ? 1 : availableParallelism() + 4,
    // Limits for what never ends. No test proves anything by them, so a machine may be ten times as slow.
    testTimeout: mode === 'heavy' ? 6 * 3_600_000 : 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    reporters: ['default', new UnprovedReporter()],
  },
}));

import { defineConfig } from 'vitest/config';

/** `--mode heavy` runs test/heavy alone; every other run leaves it out. */
export default defineConfig(({ mode }) => ({
  define: { WAYBILL_VERSION: JSON.stringify('0.0.0-test') },
  test: {
    include: mode === 'heavy' ? ['test/heavy/**/*.test.ts'] : ['test/**/*.test.ts'],
    exclude: mode === 'heavy' ? [] : ['test/heavy/**'],
    pool: 'forks',
    // No module of ours has a state, so that files can share what a worker has loaded.
    isolate: false,
    setupFiles: ['test/setup.ts'],
    // Heavy ones measure what must not be disturbed; of the others as many go on at once as there are cores.
    maxWorkers: mode === 'heavy' ? 1 : '100%',
    testTimeout: mode === 'heavy' ? 600_000 : 20_000,
    reporters: ['default'],
  },
}));

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

test('a failed test fails the command that runs the tests', () => {
  const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const words = [program, 'run', '--config', 'test/vitest.config.ts', '--mode', 'failing'];
  const { status, stdout } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' });
  expect([status, stdout]).toEqual([1, expect.stringContaining('1 failed')]);
}, 60_000);

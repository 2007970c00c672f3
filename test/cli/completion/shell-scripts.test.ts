import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { completionScript, mark, scriptNames, shells } from '../../../src/cli/completion/shell-scripts.ts';
import { tree } from '../../../src/cli/tree.ts';
import { commands } from '../commands-of-tree.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'completions');

test.each(shells)('the script for %s matches the command tree', (shell) => {
  const text = readFileSync(join(folder, scriptNames[shell]), 'utf8');
  expect(text, 'make it again: node src/build/reference.ts').toBe(completionScript(shell, tree));
});

test('the folder has the four scripts and nothing else', () => {
  expect(readdirSync(folder).toSorted()).toEqual(Object.values(scriptNames).toSorted());
});

test.each(shells)('%s: every command of the tree is offered if the program does not answer', (shell) => {
  const text = completionScript(shell, tree);
  for (const { path } of commands)
    for (const word of path) expect(text).toMatch(new RegExp(`(?<![\\w-])${word}(?![\\w-])`));
  expect(text).toContain(`# ${mark}\n`);
  // Windows PowerShell misreads any other character of a script file.
  expect(text).toMatch(/^[\n\t -~]+$/);
});

const hasShellcheck = spawnSync('shellcheck', ['--version']).status === 0;

test.runIf(hasShellcheck).each(['completions/waybill.bash', 'bin/waybill', '.ci/run'])(
  'shellcheck, if installed, finds nothing in %s',
  (file) => {
    const { stdout, stderr } = spawnSync('shellcheck', [file], {
      cwd: join(folder, '..'),
      encoding: 'utf8',
    });
    expect([stdout, stderr]).toEqual(['', '']);
  },
);

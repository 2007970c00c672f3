import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inTerminal } from '../program/pseudo-terminal.ts';
import { freshHome, root } from '../program/run.ts';

/**
 * The blocks of README and guide, each pasted whole into an interactive shell: every line runs, none is eaten by a pager
 * or a prompt, and the shell is as it was before.
 */

const folder = join(root, 'src', 'guide');
/** Pages whose commands need couriers of their own are run by the test of the guide. */
const others = ['connecting-couriers.md', 'courier-protocol.md'];
const documents = [
  { name: 'README.md', path: join(root, 'README.md') },
  ...readdirSync(folder)
    .filter((name) => name.endsWith('.md') && !others.includes(name))
    .map((name) => ({ name, path: join(folder, name) })),
]
  .map(({ name, path }) => ({
    name,
    blocks: [...readFileSync(path, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, code = '']) => code),
  }))
  .filter(({ blocks }) => blocks.length > 0);

const sizes: [cols: number, rows: number][] = [
  [80, 24],
  [40, 12],
];

/** The shells that people have, without their own settings: how each writes what it keeps between two commands. */
const shells = {
  bash: {
    argv: ['--norc', '--noprofile', '-i'],
    status: '$?',
    state: `{ pwd; declare -px | grep -v ' \\(_\\|OLDPWD\\|LINES\\|COLUMNS\\|SHLVL\\)='; set +o; shopt -p; jobs; }`,
  },
  zsh: {
    argv: ['-f', '-i'],
    status: '$?',
    state: `{ pwd; typeset -px | grep -v ' \\(_\\|OLDPWD\\|LINES\\|COLUMNS\\|SHLVL\\)='; setopt; jobs; }`,
  },
  fish: {
    argv: ['-i'],
    status: '$status',
    state: `begin; pwd; set -x | string match -rv '^(_|LINES|COLUMNS|SHLVL) '; functions; jobs; end`,
  },
};
type Shell = keyof typeof shells;

/** At each size with bracketed paste and without it. */
const ways = sizes.flatMap(([cols, rows]) =>
  [true, false].map((isBracketed) => ({ cols, rows, isBracketed })),
);

const isThere = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).error === undefined;

/** A shell in a terminal, into which texts are pasted. */
function openShell(shell: Shell, cols: number, rows: number) {
  const { argv, status } = shells[shell];
  const home = freshHome();
  const { type, shown } = inTerminal(home, argv, {
    ...{ cols, rows, shell },
    env: { PS1: '$ ', PROMPT: '$ ', HISTFILE: '' },
  });
  let count = 0;
  /** Pastes lines and waits until they have run; returns the exit code of the last. */
  const paste = async (lines: string, isBracketed: boolean): Promise<string | undefined> => {
    count += 1;
    const before = shown().length;
    const pasted = isBracketed
      ? `\u001b[200~${lines.trimEnd()}\u001b[201~\r`
      : `${lines.trimEnd()}\n`.replaceAll('\n', '\r');
    // The marker is typed in two parts, so that its echo is not taken for its output.
    type(`${pasted}echo zq''end${count}_"${status}"_\r`);
    const ended = new RegExp(`zqend${count}_(\\d+)_`);
    await expect.poll(() => shown().slice(before), { timeout: 1_800_000, interval: 50 }).toMatch(ended);
    return ended.exec(shown().slice(before))?.[1];
  };
  const read = (name: string) => readFileSync(join(home.folder, name), 'utf8');
  return { paste, shown, read };
}

interface Pasted {
  /** The first block that did not end well, with what the screen shows; null if all did. */
  failed: { block: string; exit: string | undefined; screen: string } | null;
  before: string;
  after: string;
}

async function pasteAll(
  shell: Shell,
  blocks: readonly string[],
  { cols, rows, isBracketed }: (typeof ways)[number],
): Promise<Pasted> {
  const { state } = shells[shell];
  const { paste, shown, read } = openShell(shell, cols, rows);
  await paste('waybill sandbox clock scaled --rate 20 --quiet > clock.txt', isBracketed);
  await paste(`${state} > before.txt`, isBracketed);
  let failed: Pasted['failed'] = null;
  for (const block of blocks) {
    const exit = await paste(block, isBracketed);
    if (exit !== '0') failed ??= { block, exit, screen: shown().slice(-3000) };
  }
  // A service that was told to end takes a moment.
  await paste('wait', isBracketed);
  await paste(`${state} > after.txt`, isBracketed);
  return { failed, before: read('before.txt'), after: read('after.txt') };
}

const cases = (Object.keys(shells) as Shell[]).flatMap((shell) =>
  documents.map((document) => ({ shell, ...document })),
);

test.for(cases)(
  'in $shell: each block of $name runs when it is pasted whole, and leaves the shell as it was',
  { timeout: 3_600_000 },
  async ({ shell, blocks }, { skip }) => {
    if (!isThere(shell)) skip(`${shell} is not installed here`);
    const all = await Promise.all(ways.map((way) => pasteAll(shell, blocks, way)));
    for (const [index, { failed, before, after }] of all.entries())
      expect([ways[index], failed, after]).toEqual([ways[index], null, before]);
  },
);

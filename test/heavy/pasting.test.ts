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
].map(({ name, path }) => ({
  name,
  blocks: [...readFileSync(path, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, code = '']) => code),
}));

const sizes: [cols: number, rows: number][] = [
  [80, 24],
  [40, 12],
];

/** What a shell keeps between two commands. */
const state =
  'pwd; declare -px | grep -v " \\(_\\|OLDPWD\\|LINES\\|COLUMNS\\|SHLVL\\)="; set +o; shopt -p; jobs';

const cases = documents
  .filter(({ blocks }) => blocks.length > 0)
  .flatMap(({ name, blocks }) =>
    sizes.flatMap(([cols, rows]) =>
      [true, false].map((isBracketed) => ({ name, blocks, cols, rows, isBracketed })),
    ),
  );

test.each(cases)(
  '$name at $cols x $rows, bracketed: $isBracketed',
  async ({ blocks, cols, rows, isBracketed }) => {
    const home = freshHome();
    const { type, shown } = inTerminal(home, ['--norc', '--noprofile', '-i'], {
      ...{ cols, rows, shell: 'bash', env: { PS1: '$ ', HISTFILE: '' } },
    });
    const run = async (lines: string, mark: string) => {
      const pasted = isBracketed
        ? `\u001b[200~${lines.trimEnd()}\u001b[201~\r`
        : lines.replaceAll('\n', '\r');
      // The marker is typed in two parts, so that its echo is not taken for its output.
      type(`${pasted}echo ${mark.slice(0, 3)}''${mark.slice(3)} $?\r`);
      await expect.poll(shown, { timeout: 300_000, interval: 100 }).toMatch(new RegExp(`${mark} \\d+`));
      return new RegExp(`${mark} (\\d+)`).exec(shown())?.[1];
    };
    await run('waybill sandbox clock scaled --rate 20 --quiet > clock.txt', 'zqclock');
    await run(`{ ${state}; } > before.txt`, 'zqbefore');
    for (const [index, block] of blocks.entries())
      expect([block, await run(block, `zqblock${index}`)], shown().slice(-3000)).toEqual([block, '0']);
    // A service that was told to end takes a moment.
    await run('wait', 'zqended');
    await run(`{ ${state}; } > after.txt`, 'zqafter');
    const [before, after] = ['before.txt', 'after.txt'].map((name) =>
      readFileSync(join(home.folder, name), 'utf8'),
    );
    expect(after).toBe(before);
  },
);

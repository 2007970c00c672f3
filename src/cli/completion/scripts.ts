import type { CommandTree } from '../kit/args/command-tree.ts';
import { bashScript } from './scripts/bash.ts';
import { fishScript } from './scripts/fish.ts';
import { powershellScript } from './scripts/powershell.ts';
import { mark, type Shell, type Words } from './scripts/words.ts';
import { zshScript } from './scripts/zsh.ts';

/**
 * Creates a shell's completion script. It runs the program for each completion, and falls back to the names of the tree
 * if that fails.
 */
export function scriptOf(shell: Shell, { groups, singles }: CommandTree): string {
  const words: Words = {
    root: [...groups, ...singles].map(({ name }) => name),
    groups: groups.map(({ name, verbs }) => [name, Object.keys(verbs())]),
  };
  const head = `# ${mark}\n# \`waybill completion ${shell}\` prints it.\n`;
  const makers = { bash: bashScript, zsh: zshScript, fish: fishScript, powershell: powershellScript };
  return makers[shell](words, head);
}

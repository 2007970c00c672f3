import { groups, singles } from '../tree.ts';
import { bashScript } from './scripts/bash.ts';
import { fishScript } from './scripts/fish.ts';
import { powershellScript } from './scripts/powershell.ts';
import { zshScript } from './scripts/zsh.ts';

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

/** How the script of a shell is named where it is installed. */
export const scriptNames = {
  bash: 'waybill.bash',
  zsh: '_waybill',
  fish: 'waybill.fish',
  powershell: 'waybill.ps1',
} as const satisfies Record<Shell, string>;

/** Stands in every script: what has it is ours to write and to remove. */
export const mark = 'Completion of waybill, made from its command tree:';

/** The words that can follow others: those of the program first, then `NAME WORD...` for each group. */
export interface Words {
  root: readonly string[];
  groups: readonly (readonly [name: string, verbs: readonly string[]])[];
}

/**
 * The script that teaches a shell to complete. It asks the program at each press of the key, and offers the commands of
 * the tree where the program gives no answer.
 */
export function scriptOf(shell: Shell): string {
  const words: Words = {
    root: [...groups, ...singles].map(({ name }) => name),
    groups: groups.map(({ name, verbs }) => [name, Object.keys(verbs())]),
  };
  const head = `# ${mark}\n# \`waybill completion ${shell}\` prints it, and --install puts it in its place.\n`;
  const makers = { bash: bashScript, zsh: zshScript, fish: fishScript, powershell: powershellScript };
  return makers[shell](words, head);
}

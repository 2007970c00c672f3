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

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

/** The file name of each shell's script. */
export const scriptNames = {
  bash: 'waybill.bash',
  zsh: '_waybill',
  fish: 'waybill.fish',
  powershell: 'waybill.ps1',
} as const satisfies Record<Shell, string>;

/** Part of every script: a file with this line may be overwritten and removed. */
export const mark = 'Completion of waybill, made from its command tree:';

/** The words that follow others: the program's first, then `NAME WORD...` for each group. */
export interface Words {
  root: readonly string[];
  groups: readonly (readonly [name: string, verbs: readonly string[]])[];
}

import type { Change } from '../completion/install-script.ts';
import { type Shell, shells } from '../completion/scripts/words.ts';
import { scriptOf } from '../completion/scripts.ts';
import { flag } from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { type Column, list, words } from '../kit/result/result.ts';
import { type Context, defineCommand, word } from '../session/command.ts';

const columns: Column<Change>[] = [
  { field: 'change', header: 'Change', kind: 'status', value: ({ change }) => change },
  { field: 'file', header: 'File', kind: 'id', value: ({ file }) => file },
];

export const completion = defineCommand({
  name: 'completion',
  aliases: ['completions'],
  summary: 'Set up shell completion',
  description: [
    'Prints the completion script of a shell, or installs it with --install. Without an argument, uses the shell',
    'from $SHELL. For bash and zsh, --install starts the shell once to check that it finds the script. If it does',
    "not, the script is added to the shell's startup file, or the output says what to add.",
    '',
    'IDs and references come from a local cache, never from the service. The cache holds what you saw in this',
    'profile, at most 200 of each kind, without names, addresses or phone numbers. WAYBILL_NO_CACHE=1 turns it off.',
  ].join('\n'),
  positionals: { shell: word({ choices: shells, summary: 'Shell', optional: true }) },
  flags: {
    install: flag({ summary: 'Install the script where the shell looks for it' }),
    uninstall: flag({ summary: 'Remove what --install wrote' }),
  },
  examples: [
    { command: 'waybill completion zsh --install', summary: 'Install for zsh (safe to repeat)' },
    {
      command: 'waybill completion bash',
      summary: 'Load without installing: source <(waybill completion bash)',
    },
    { command: 'waybill completion --uninstall', summary: 'Uninstall for your current shell' },
  ],
  effect: 'none',
  async run(context, { flags: { install, uninstall }, positionals }) {
    if (install && uninstall) throw new UsageError('Use only one of --install and --uninstall.');
    const shell = positionals.shell ?? (await shellOf(context));
    if (!install && !uninstall) return words(scriptOf(shell, context.tree));
    if (install) {
      const { changes, note } = await (await import('../completion/set-up.ts')).setUp(shell, context);
      return list({ data: changes, columns, notes: [note] });
    }
    const { installPlace } = await import('../completion/install-location.ts');
    const data = (await import('../completion/install-script.ts')).uninstall(
      installPlace(shell, context.host),
    );
    return list({ data, columns });
  },
});

async function shellOf({ host }: Context): Promise<Shell> {
  const { userShell } = await import('../completion/install-location.ts');
  const shell = userShell(host);
  if (shell !== null) return shell;
  throw new UsageError('Cannot tell the shell from $SHELL. Specify one.', {
    code: 'missing_input',
    missing: ['SHELL'],
    choices: shells,
  });
}

import { type Context, defineCommand, word } from '../command.ts';
import type { Change } from '../completion/installing.ts';
import { type Shell, scriptOf, shells } from '../completion/scripts.ts';
import { UsageError } from '../failures/failure.ts';
import { flag } from '../line/flags.ts';
import { type Column, list, words } from '../result.ts';

const columns: Column<Change>[] = [
  { field: 'change', header: 'What', kind: 'status', value: ({ change }) => change },
  { field: 'file', header: 'File', kind: 'id', value: ({ file }) => file },
];

export const completion = defineCommand({
  name: 'completion',
  aliases: ['completions'],
  summary: 'Let a shell complete commands, flags and ids',
  description: [
    'Prints the script for the shell, or puts it where the shell looks for it. Without a shell it is that of $SHELL.',
    '--install asks a new bash or zsh whether it has it then: where it does not find the script by itself its settings',
    'name it, and where it does not read those, what to add is said.',
    '',
    'Ids and references are those seen in this terminal before, in the same profile: no service is asked. They are ' +
      'kept in the cache folder, 200 of each kind, without names, addresses or numbers; WAYBILL_NO_CACHE=1 keeps none.',
  ].join('\n'),
  positionals: { shell: word({ choices: shells, summary: 'The shell', optional: true }) },
  flags: {
    install: flag({ summary: 'Put the script where the shell looks for it, and say what was written' }),
    uninstall: flag({ summary: 'Take away what --install put there, and nothing else' }),
  },
  examples: [
    { command: 'waybill completion zsh --install', summary: 'Once; a second time changes nothing' },
    { command: 'waybill completion bash', summary: 'The script alone: source <(waybill completion bash)' },
    { command: 'waybill completion --uninstall', summary: 'For the shell that you work in' },
  ],
  effect: 'none',
  async run(context, { flags: { install, uninstall }, positionals }) {
    if (install && uninstall) throw new UsageError('Give either --install or --uninstall.');
    const shell = positionals.shell ?? (await shellOf(context));
    if (!install && !uninstall) return words(scriptOf(shell));
    if (install) {
      const { changes, note } = await (await import('../completion/setting-up.ts')).setUp(
        shell,
        context.host,
      );
      return list({ data: changes, columns, notes: [note] });
    }
    const { installPlace } = await import('../completion/places.ts');
    const data = (await import('../completion/installing.ts')).uninstall(installPlace(shell, context.host));
    return list({ data, columns });
  },
});

async function shellOf({ host }: Context): Promise<Shell> {
  const { usualShell } = await import('../completion/places.ts');
  const shell = usualShell(host);
  if (shell !== null) return shell;
  throw new UsageError('Which shell? $SHELL does not say one that can complete.', {
    code: 'missing_input',
    missing: ['SHELL'],
    choices: shells,
  });
}

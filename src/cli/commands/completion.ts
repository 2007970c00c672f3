/** `completion`: for which shell the script is, if none is named. */
import { completionScript, type Shell, shells } from '../completion/shell-scripts.ts';
import { UsageError } from '../kit/errors/failure.ts';
import type { Host } from '../kit/host/host.ts';
import { textResult } from '../kit/result/result.ts';
import { choicePositional, defineCommand } from '../session/command.ts';

export const completion = defineCommand({
  name: 'completion',
  aliases: ['completions'],
  summary: 'Print the completion script of a shell',
  description: [
    'Without an argument, uses the shell from $SHELL. `waybill help getting-started` has the line that loads the script',
    'in each shell.',
    '',
    'IDs and references are the latest 100 of the service in use. If it does not answer within half a second, only',
    'commands, flags and fixed values are completed.',
  ].join('\n'),
  positionals: { shell: choicePositional({ choices: shells, summary: 'Shell', optional: true }) },
  examples: [
    {
      command: 'waybill completion bash',
      summary: 'Load it in this shell: source <(waybill completion bash)',
    },
    { command: 'waybill completion fish', summary: 'Load it in fish: waybill completion fish | source' },
  ],
  effect: 'none',
  answers: ({ one, object }) => [one(object({ text: 'string' }))],
  related: ['commands'],
  async run({ host, tree }, { positionals }) {
    return textResult(completionScript(positionals.shell ?? shellOf(host), tree));
  },
});

/** The user's shell. Throws UsageError if it is unknown or unsupported. */
function shellOf({ environment, platform }: Host): Shell {
  const name = /([^/\\]+?)(?:\.exe)?$/.exec(environment.SHELL ?? '')?.[1] ?? '';
  const shell = name === 'pwsh' || (name === '' && platform === 'win32') ? 'powershell' : name;
  const known = shells.find((each) => each === shell);
  if (known !== undefined) return known;
  throw new UsageError('Cannot tell the shell from $SHELL. Specify one.', {
    code: 'missing_input',
    missing: ['SHELL'],
    choices: shells,
  });
}

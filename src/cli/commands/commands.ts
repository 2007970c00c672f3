import { resolvePath } from '../errors/guess-command.ts';
import { type CommandOutline, outlineShape, outlinesUnder } from '../help/command-help.ts';
import { type Column, listResult, recordResult } from '../kit/result/result.ts';
import { withoutShortcut } from '../records.ts';
import { defineCommand, positionals } from '../session/command.ts';

const columns: Column<CommandOutline>[] = [
  { field: 'command', header: 'Command', kind: 'id' },
  { field: 'effect', header: 'Effect', kind: 'text' },
  { field: 'summary', header: 'Summary', kind: 'text' },
];

export const commands = defineCommand({
  name: 'commands',
  summary: 'Describe commands and their flags as JSON',
  positionals: { command: positionals('text', { summary: 'One command, or a group', optional: true }) },
  examples: [
    { command: 'waybill commands ship --json', summary: 'Describe one: flags, arguments, JSON, exit codes' },
    { command: 'waybill commands --json', summary: 'Print the whole tree' },
    { command: 'waybill commands', summary: 'A table' },
  ],
  effect: 'none',
  answers: (of) => [of.each(outlineShape(of)), of.one(outlineShape(of), 'for one command')],
  related: ['help'],
  async run({ tree }, { positionals: { command } }) {
    const path = await resolvePath(withoutShortcut(command), tree);
    const found = await outlinesUnder(path, tree);
    const [only] = found;
    return only !== undefined && only.command === path.join(' ')
      ? recordResult(only, columns)
      : listResult({ data: found, columns });
  },
});

import { type CommandOutline, outlineShape, outlines } from '../help/command-help.ts';
import { type Column, listResult } from '../kit/result/result.ts';
import { defineCommand } from '../session/command.ts';

const columns: Column<CommandOutline>[] = [
  { field: 'command', header: 'Command', kind: 'id' },
  { field: 'effect', header: 'Effect', kind: 'text' },
  { field: 'summary', header: 'Summary', kind: 'text' },
];

export const commands = defineCommand({
  name: 'commands',
  summary: 'List every command and flag as JSON',
  examples: [
    {
      command: 'waybill commands --json',
      summary: 'Print the whole tree: flags, arguments, aliases, examples',
    },
    { command: 'waybill commands', summary: 'A table' },
  ],
  effect: 'none',
  answers: (of) => [of.each(outlineShape(of))],
  related: ['help'],
  run: async ({ tree }) => listResult({ data: await outlines(tree), columns }),
});

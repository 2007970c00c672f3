import { type CommandOutline, outlineShape, outlinesUnder } from '../help/command-help.ts';
import { resolvePath, separateWords } from '../help/guess-command.ts';
import { switchFlag } from '../kit/args/flags.ts';
import { type Column, listResult, recordResult } from '../kit/result/result.ts';
import { withoutShortcut } from '../records.ts';
import { defineCommand, positionals } from '../session/command.ts';

/** A command in the list of all: what it is for, and whether it changes something. */
type IndexLine = Pick<CommandOutline, 'command' | 'effect' | 'summary'>;

const columns: Column<IndexLine>[] = [
  { field: 'command', header: 'Command', kind: 'id' },
  { field: 'effect', header: 'Effect', kind: 'text' },
  { field: 'summary', header: 'Summary', kind: 'text' },
];

export const commands = defineCommand({
  name: 'commands',
  summary: 'Describe commands and their flags as JSON',
  description: [
    'Describes the whole tree, in about 600,000 characters: flags, arguments, JSON, exit codes and errors of each. With',
    'the name of a command or a group, that alone; with --brief, a line for each.',
  ].join('\n'),
  positionals: { command: positionals('text', { summary: 'One command, or a group', optional: true }) },
  flags: { brief: switchFlag({ summary: 'List names, effects and summaries only' }) },
  examples: [
    { command: 'waybill commands ship --json', summary: 'Describe one: flags, arguments, JSON, exit codes' },
    { command: 'waybill commands --brief --json', summary: 'List all of them, a line for each' },
    { command: 'waybill commands --json', summary: 'Describe the whole tree' },
  ],
  effect: 'none',
  answers: (of) => [
    of.each(outlineShape(of)),
    of.each(of.object({ command: 'string', effect: 'string', summary: 'string' }), 'with --brief'),
    of.one(outlineShape(of), 'for one command'),
  ],
  related: ['help'],
  async run({ tree }, { flags: { brief }, positionals: { command } }) {
    const path = await resolvePath(withoutShortcut(separateWords(command)), tree);
    const found = await outlinesUnder(path, tree);
    const [only] = found;
    if (only !== undefined && only.command === path.join(' ')) return recordResult(only, columns);
    const data = brief
      ? found.map(({ command: name, effect, summary }) => ({ command: name, effect, summary }))
      : found;
    return listResult({ data, columns });
  },
});

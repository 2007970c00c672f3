import type { CommandTree, Group } from '../kit/args/command-tree.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { invocation } from '../kit/result/invocation.ts';
import { helpPage } from './help.ts';

/** The help of a group, or of the program for an empty line. Throws UsageError if JSON is requested. */
export async function bareHelp(
  group: Group | null,
  { tree, isJson, columns }: { tree: CommandTree; isJson: boolean; columns: number | null },
): Promise<string> {
  if (isJson) throw commandMissing(group);
  return helpPage(group === null ? [] : [group.name], tree, columns);
}

function commandMissing(group: Group | null): UsageError {
  const path = ['waybill', ...(group === null ? [] : [group.name])].join(' ');
  return new UsageError(`Missing command for ${path}.`, {
    code: 'missing_input',
    missing: ['COMMAND'],
    choices: group === null ? [] : Object.keys(group.verbs()),
    next: [{ ...invocation(group?.name ?? '', [], { help: true }), when: 'list the commands' }],
  });
}

import { UsageError } from '../failures/failure.ts';
import { invocation } from '../kit/output/invocation.ts';
import { globalFlags } from '../line/globals.ts';
import { parseGlobals } from '../line/parse.ts';
import type { Group } from '../tree.ts';
import { helpPage } from './help.ts';

/**
 * The help of a group alone, or of the program where nothing was typed. Throws UsageError for a flag that no
 * command takes, and where JSON was asked for: then a command is missing.
 */
export async function bareHelp(
  group: Group | null,
  rest: readonly string[],
  columns: number | null,
): Promise<string> {
  const { help, json } = await parseGlobals(rest, globalFlags);
  if (json && !help) throw await commandMissing(group);
  return helpPage(group === null ? [] : [group.name], columns);
}

async function commandMissing(group: Group | null): Promise<UsageError> {
  const path = ['waybill', ...(group === null ? [] : [group.name])].join(' ');
  const choices = group === null ? [] : Object.keys(group.verbs());
  return new UsageError(`${path} needs a command.`, {
    code: 'missing_input',
    missing: ['COMMAND'],
    choices,
    next: [{ ...invocation(group?.name ?? '', [], { help: true }), when: 'see the commands' }],
  });
}

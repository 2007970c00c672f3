import type { Command } from '../../src/cli/session/command.ts';
import { tree } from '../../src/cli/tree.ts';

/** A command of the tree with the words that name it. */
export interface Entry {
  path: string[];
  words: string;
  command: Command;
}

async function everyCommand(): Promise<Entry[]> {
  const found: Entry[] = [];
  for (const single of tree.singles) found.push(entry([single.name], await single.load()));
  for (const group of tree.groups) {
    for (const [verb, load] of Object.entries(group.verbs)) {
      const command = await load();
      if (command.name !== verb) throw new Error(`${group.name} ${verb} is named ${command.name}`);
      found.push(entry([group.name, verb], command));
    }
  }
  return found;
}

function entry(path: string[], command: Command): Entry {
  return { path, words: path.join(' '), command };
}

/** Every command: one added later is here by being in the tree. */
export const commands = await everyCommand();
/** The words of the example's own command, without `waybill`. */
export function wordsOf(example: string, typed: string): string[] {
  const parts = example.split(/\s+(?:\|+|<|>|&&)\s*/);
  const line = parts.find((part) => part.startsWith(`waybill ${typed}`)) ?? '';
  const words = line.replaceAll('\\\n', ' ').match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  return words.slice(1).map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

/** Commands that call the service; the wizard only does so in a terminal. */
export const callers = commands.filter(({ command, words }) => command.effect !== 'none' && words !== 'new');

/** An example without files, which reaches the service: its placeholders, which would be refused, are values. */
export function runnable({ command, words: typed }: Entry): string[] {
  const lines = command.examples.map((example) => wordsOf(example.command, typed));
  const line = lines.find((words) => !words.includes('--file') && !words.includes('-f'));
  if (line === undefined) throw new Error('every example needs a file');
  const given = line.map((word) => (/^(?!GET|POST)[A-Z]{3,}$/.test(word) ? word.toLowerCase() : word));
  return [...given, ...(command.confirms ? ['--yes'] : [])];
}

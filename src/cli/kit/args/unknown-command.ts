import { guessed, nearest } from '../../guess-command.ts';
import { commandsOf, groups, type Named, named, singles } from '../../tree.ts';
import { UsageError } from '../errors/failure.ts';
import { type Invocation, invocation } from '../result/invocation.ts';
import type { LineState } from './line-parser.ts';
import { meant } from './suggestions.ts';

/** The error of a word that names no command, with those that may be meant. */
export async function unknownCommand({ parsers }: Pick<LineState, 'parsers'>): Promise<UsageError> {
  const [, first] = parsers;
  const group = first === undefined ? undefined : named(groups, first.name());
  const path = group === undefined ? [] : [group.name];
  const words = [...path, ...wordsOf(parsers.at(-1)?.args ?? [], 2 - path.length)];
  return unknownWord(words, group === undefined ? [...groups, ...singles] : await commandsOf(group), path);
}

/** All words of the line; two at most where a flag follows that nobody knows, as the others may be values. */
function wordsOf(args: readonly string[], most: number): readonly string[] {
  const flag = args.findIndex((arg) => arg.length > 1 && arg.startsWith('-'));
  return flag === -1 ? args : args.slice(0, Math.min(flag, most));
}

/** The error of words of which the one behind `path` names none of `all`. */
export async function unknownWord(
  words: readonly string[],
  all: readonly Named[],
  path: readonly string[],
): Promise<UsageError> {
  const word = words[path.length] ?? '';
  const guesses = (await guessed(words)).map((args): Invocation => ({ command: '', args }));
  const hint = meant(guesses.length > 0 ? guesses : nearest(word, all));
  return new UsageError(`There is no command "${['waybill', ...path, word].join(' ')}".`, {
    code: 'unknown_command',
    ...(hint === undefined ? {} : { hint }),
    choices: all.map(({ name }) => name),
    next: [
      ...guesses.map((line) => ({ ...line, when: 'if this was meant' })),
      { ...invocation(path.join(' '), [], { help: true }), when: 'see the commands' },
    ],
  });
}

/** The path in the tree that words name, by names and aliases. Rejects with UsageError where there is none. */
export async function pathNamed(words: readonly string[]): Promise<string[]> {
  const [word, verb] = words;
  if (word === undefined) return [];
  const group = named(groups, word);
  if (group === undefined) {
    const single = named(singles, word);
    if (single === undefined) throw await unknownWord(words, [...groups, ...singles], []);
    return [single.name];
  }
  if (verb === undefined) return [group.name];
  const commands = await commandsOf(group);
  const command = named(commands, verb);
  if (command === undefined) throw await unknownWord([group.name, ...words.slice(1)], commands, [group.name]);
  return [group.name, command.name];
}

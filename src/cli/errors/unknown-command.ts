import { type CommandTree, commandsOf, type Named, named } from '../kit/args/command-tree.ts';
import type { LineState } from '../kit/args/line-parser.ts';
import { meant } from '../kit/args/suggestions.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { type Invocation, invocation } from '../kit/result/invocation.ts';
import { guessCommands, nearest } from './guess-command.ts';

/** The error for an unknown command, with suggestions. */
export async function unknownCommand(
  { parsers }: Pick<LineState, 'parsers'>,
  tree: CommandTree,
): Promise<UsageError> {
  const { groups, singles } = tree;
  const [, first] = parsers;
  const group = first === undefined ? undefined : named(groups, first.name());
  const path = group === undefined ? [] : [group.name];
  const words = [...path, ...wordsOf(parsers.at(-1)?.args ?? [])];
  const all = group === undefined ? [...groups, ...singles] : await commandsOf(group);
  return unknownWord(words, { all, path, tree });
}

/** The words of the line without unknown flags and the words after each, which may be their values. */
function wordsOf(args: readonly string[]): readonly string[] {
  const isFlag = (arg: string | undefined) => arg !== undefined && arg.length > 1 && arg.startsWith('-');
  const takesNext = (arg: string | undefined) => isFlag(arg) && !arg?.includes('=');
  return args.filter((arg, place) => !isFlag(arg) && !takesNext(args[place - 1]));
}

interface Searched {
  all: readonly Named[];
  path: readonly string[];
  tree: CommandTree;
}

/** The error for words whose first one after `path` is not in `all`. */
async function unknownWord(words: readonly string[], { all, path, tree }: Searched): Promise<UsageError> {
  const word = words[path.length] ?? '';
  const guesses = (await guessCommands(words, tree)).map((args): Invocation => ({ command: '', args }));
  const hint = meant(guesses.length > 0 ? guesses : nearest(word, all));
  return new UsageError(`There is no command "${[tree.name, ...path, word].join(' ')}".`, {
    code: 'unknown_command',
    ...(hint === undefined ? {} : { hint }),
    choices: all.map(({ name }) => name),
    next: [
      ...guesses.map((line) => ({ ...line, when: 'if this was meant' })),
      { ...invocation(path.join(' '), [], { help: true }), when: 'see the commands' },
    ],
  });
}

/** Resolves words to a path in the tree, by names and aliases. Rejects with UsageError if there is none. */
export async function pathNamed(words: readonly string[], tree: CommandTree): Promise<string[]> {
  const { groups, singles } = tree;
  const [word, verb] = words;
  if (word === undefined) return [];
  const group = named(groups, word);
  if (group === undefined) {
    const single = named(singles, word);
    if (single === undefined)
      throw await unknownWord(words, { all: [...groups, ...singles], path: [], tree });
    return [single.name];
  }
  if (verb === undefined) return [group.name];
  const commands = await commandsOf(group);
  const command = named(commands, verb);
  if (command === undefined)
    throw await unknownWord([group.name, ...words.slice(1)], { all: commands, path: [group.name], tree });
  return [group.name, command.name];
}

import type { Command } from '../command.ts';
import { UsageError } from '../failures/failure.ts';
import type { Invocation } from '../kit/output/invocation.ts';
import { invocation } from '../kit/output/invocation.ts';
import { once } from '../once.ts';
import { commandsOf, type Group, groups, type Single, singles } from '../tree.ts';
import { globalFlags } from './globals.ts';
import { dashed } from './input.ts';
import { meant } from './suggestions.ts';

/** What the words of a line name: the program, a group, or a command. */
export interface Resolution {
  /** The words as the tree has them: `orders create`. */
  path: readonly string[];
  group: Group | null;
  command: Command | null;
  /** The line without the words that named it. */
  rest: readonly string[];
}

/** Finds the command of a line and loads it, and no other group. Flags may stand before and between its words. */
export async function resolve(argv: readonly string[]): Promise<Resolution> {
  const [first, second] = wordPlaces(argv, 2);
  const word = first === undefined ? undefined : argv[first];
  if (first === undefined || word === undefined) return { path: [], group: null, command: null, rest: argv };
  const group = named(groups, word);
  if (group === undefined) {
    const single = named(singles, word);
    if (single !== undefined) return ofSingle(single, argv.toSpliced(first, 1));
    throw await unknownWord(word, [...groups, ...singles], wordsOf(argv));
  }
  const verb = second === undefined ? undefined : argv[second];
  if (second === undefined || verb === undefined) {
    return { path: [group.name], group, command: null, rest: argv.toSpliced(first, 1) };
  }
  const command = await commandOf(group, verb, () => wordsOf(argv));
  const rest = argv.toSpliced(second, 1).toSpliced(first, 1);
  return { path: [group.name, command.name], group, command, rest };
}

/** By its name alone; for an alias all of the group are looked at. */
async function commandOf(group: Group, verb: string, words: () => readonly string[]): Promise<Command> {
  const verbs = group.verbs();
  const load = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (load !== undefined) return load();
  const commands = await commandsOf(group);
  const command = named(commands, verb);
  if (command === undefined) throw await unknownWord(verb, commands, words(), [group.name]);
  return command;
}

async function ofSingle(single: Single, rest: readonly string[]): Promise<Resolution> {
  const [command] = (await single.load()).commands;
  return { path: [single.name], group: null, command, rest };
}

/** What is typed by its name, or by another. */
export interface Named {
  name: string;
  aliases: readonly string[];
}

/** The one with this name or alias. */
export function named<T extends Named>(all: readonly T[], word: string): T | undefined {
  return all.find(({ name }) => name === word) ?? all.find(({ aliases }) => aliases.includes(word));
}

/** `words` are all of the line, where it has no flags: what was meant may be found in them. */
async function unknownWord(
  word: string,
  all: readonly Named[],
  words: readonly string[],
  path: readonly string[] = [],
): Promise<UsageError> {
  const names = all.map(({ name }) => name);
  const { guessed, nearest } = await import('./guesses.ts');
  const guesses = (await guessed(words)).map((args): Invocation => ({ command: '', args }));
  const hint = meant(guesses.length > 0 ? guesses : nearest(word, all));
  return new UsageError(`There is no command "${['waybill', ...path, word].join(' ')}".`, {
    code: 'unknown_command',
    ...(hint === undefined ? {} : { hint }),
    choices: names,
    next: [
      ...guesses.map((line) => ({ ...line, when: 'if this was meant' })),
      { ...invocation(path.join(' '), [], { help: true }), when: 'see the commands' },
    ],
  });
}

/** Made where a flag stands before a command, or a word is none. */
const flagNames = once(
  () =>
    new Map(
      Object.entries(globalFlags).flatMap(([name, flag]) => [
        ...[dashed(name), ...flag.aliases].map((long): [string, boolean] => [`--${long}`, takesValue(flag)]),
        ...(flag.short === null ? [] : [[`-${flag.short}`, takesValue(flag)] satisfies [string, boolean]]),
      ]),
    ),
);

function takesValue({ kind, bare }: { kind: string; bare: boolean }): boolean {
  return kind !== 'switch' && !bare;
}

/** The first two words of a line; all that follow them where they are no values of flags that nobody knows yet. */
function wordsOf(argv: readonly string[]): string[] {
  const words = wordPlaces(argv).map((place) => argv[place] ?? '');
  const flags = argv.filter((token) => token.startsWith('-') && token !== '-');
  return flags.every((flag) => flagNames().has(flag.replace(/=.*$/s, ''))) ? words : words.slice(0, 2);
}

/** Where the words of a line stand, the first so many, past global flags and their values; none after `--`. */
function wordPlaces(argv: readonly string[], most = Number.POSITIVE_INFINITY): number[] {
  const places: number[] = [];
  for (let index = 0; index < argv.length && places.length < most; index += 1) {
    const token = argv[index] ?? '';
    if (token === '--') break;
    if (!token.startsWith('-') || token === '-') places.push(index);
    else if (flagNames().get(token) === true) index += 1;
  }
  return places;
}

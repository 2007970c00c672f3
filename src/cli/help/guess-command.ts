/** The error for an unknown command, and the commands that may have been meant. */
import { deliveryStatusNames } from '../../contract/vocabulary.ts';
import { nearNames } from '../../domain/near-names.ts';
import {
  type CommandSpec,
  type CommandTree,
  findNamed,
  flagLabel,
  loadCommands,
  type Named,
} from '../kit/args/command-input.ts';
import { globalsFor } from '../kit/args/global-flags.ts';
import type { LineState } from '../kit/args/line-parser.ts';
import { UsageError } from '../kit/errors/failure.ts';
import {
  type Invocation,
  invocation,
  phrase,
  shellWords,
  suggestionText,
  type Text,
} from '../kit/result/message.ts';
import { kindOfId, shortcuts } from '../records.ts';
import { guessReport, isQuestion, periodWords, questionWords, withoutMeasures } from './guess-report.ts';
import { stemOf } from './page-layout.ts';
import { neverSuggested, placeholders, type Sentence, said, timed, withPhrases } from './synonyms.ts';

/** Commands of deliveries that work without `deliveries`. */
const deliveryShortcuts: readonly Named[] = Object.keys(shortcuts).map((name) => ({ name, aliases: [] }));

/** A guessed command: its words and arguments. */
type Guess = readonly string[];

/** The error for an unknown command, with suggestions. */
export async function unknownCommand(
  { parsers, texts }: Pick<LineState, 'parsers' | 'texts'>,
  tree: CommandTree,
): Promise<UsageError> {
  const { groups, singles } = tree;
  const [, first] = parsers;
  const group = first === undefined ? undefined : findNamed(groups, first.name());
  const path = group === undefined ? [] : [group.name];
  const args = parsers.at(-1)?.args ?? [];
  const words = [...path, ...wordsOf(args)];
  const all = group === undefined ? [...groups, ...singles, ...deliveryShortcuts] : await loadCommands(group);
  const isLine = path.length === 0 && words.length > 0;
  const flags = [...flagsOf(args), ...(texts.has('showPii') ? ['--show-pii'] : [])];
  return unknownWordError(words, { all, path, tree, flags, isLine });
}

/** The words of the line without unknown flags and the words after each, which may be their values. */
function wordsOf(args: readonly string[]): readonly string[] {
  const isFlag = (arg: string | undefined) => arg !== undefined && arg.length > 1 && arg.startsWith('-');
  const takesNext = (arg: string | undefined) => isFlag(arg) && !arg?.includes('=');
  return args.filter((arg, index) => !isFlag(arg) && !takesNext(args[index - 1]));
}

/** The unknown flags of the line, each with the word after it. */
function flagsOf(args: readonly string[]): readonly string[] {
  const words = new Set(wordsOf(args));
  return args.filter((arg) => !words.has(arg) && arg !== '-');
}

interface SearchedNames {
  all: readonly Named[];
  path: readonly string[];
  tree: CommandTree;
  /** The flags as typed, which the guessed commands keep. */
  flags?: readonly string[];
  /** Whether the words begin a line. */
  isLine?: boolean;
}

/** The error for words whose first one after `path` is not in `all`. */
async function unknownWordError(
  words: readonly string[],
  { all, path, tree, flags = [], isLine = false }: SearchedNames,
): Promise<UsageError> {
  const word = words[path.length] ?? '';
  const near = nearest(word, all);
  const guesses = await guessLines(words, { flags, tree, isNear: near.length > 0 });
  const suggested = guesses.length > 0 ? guesses : near;
  const hint = explained(word, suggestionText(suggested), guesses);
  // Words that are not a command may be the words of a caller: search for them.
  const noun = findNamed(tree.groups, words[1] ?? '')?.name ?? '';
  const isSaid = suggested.length === 0 && isLine && !words.some((each) => neverSuggested.has(each));
  const message = isQuotedCommand(words, tree)
    ? `"${word}" is one word here, as it is in quotes.`
    : `There is no command "${[tree.name, ...path, word].join(' ')}".`;
  return new UsageError(message, {
    code: 'unknown_command',
    ...(hint === undefined ? {} : { hint }),
    choices:
      suggested.length > 0 || noun === ''
        ? all.map(({ name }) => name)
        : Object.keys(findNamed(tree.groups, noun)?.verbs ?? {}),
    next: [
      ...guesses.map((line) => ({ ...line, when: 'if this was meant' })),
      ...(isSaid ? [{ ...invocation('find', [words.join(' ')]), when: 'search the deliveries for it' }] : []),
      { ...invocation(path.join(' ') || noun, ['-h']), when: 'see the commands' },
    ],
  });
}

/** The words of arguments, each of which may have several: `'deliveries list'`, as scripts quote it. */
export function separateWords(args: readonly string[]): string[] {
  return args.flatMap((arg) => arg.split(/\s+/));
}

/** Whether the words of a command are within one pair of quotes. */
function isQuotedCommand(words: readonly string[], tree: CommandTree): boolean {
  const [noun = '', verb = ''] = separateWords(words);
  return words[0] !== noun && Object.hasOwn(findNamed(tree.groups, noun)?.verbs ?? {}, verb);
}

/** The commands that may have been meant, with the flags that were typed; those of the search if nothing else fits. */
async function guessLines(
  words: readonly string[],
  { flags, tree, isNear }: { flags: readonly string[]; tree: CommandTree; isNear: boolean },
): Promise<Invocation[]> {
  if (isQuotedCommand(words, tree)) return [{ command: '', args: [...separateWords(words), ...flags] }];
  const guessed = (await guessCommands(words, tree)).filter((args) => !args.some(isQuestion));
  const isSearched = guessed.length === 0 && !isNear && words.length > 1;
  const found = isSearched ? await searchedCommands(words, tree) : guessed;
  return Promise.all(
    found.map(async (args): Promise<Invocation> => {
      return { command: '', args: [...args, ...(await keptFlags(args, flags, tree))] };
    }),
  );
}

/** The commands that the search of help finds for several words. */
async function searchedCommands(words: readonly string[], tree: CommandTree): Promise<Guess[]> {
  const { searchHelp } = await import('./search-help.ts');
  if (words.some((word) => neverSuggested.has(word))) return [];
  const found = await searchHelp(words, [], tree);
  // Two commands with a pipe between them are for a shell: they are no arguments of one.
  const single = found.filter(({ command }) => !command.includes(' | '));
  const lines = single.map(({ command }) => shellWords(command).slice(1));
  return lines
    .filter((args) => !args.some((arg) => neverSuggested.has(arg) || /^--(?:disable|yes)$/.test(arg)))
    .slice(0, 2);
}

/** The flags that a guess keeps, unless it has its own: those of its command, never one that confirms without a look. */
async function keptFlags(
  guess: Guess,
  flags: readonly string[],
  tree: CommandTree,
): Promise<readonly string[]> {
  // A guess with flags or placeholders of its own may already have what follows the unknown flag.
  if (flags.length === 0 || guess.some((arg) => arg.startsWith('-') || /^[A-Z]+$/.test(arg))) return [];
  const [noun = '', verb = ''] = guess;
  const group = findNamed(tree.groups, noun);
  const command =
    group === undefined
      ? await findNamed(tree.singles, noun)?.load()
      : findNamed(await loadCommands(group), verb);
  if (command === undefined) return [];
  const declared = Object.entries({ ...globalsFor(command), ...command.flags });
  const known = declared.flatMap(([name, { aliases, short }]) => [
    ...[name, ...aliases].map(flagLabel),
    ...(short === null ? [] : [`-${short}`]),
  ]);
  let isKept = false;
  return flags.filter((each) => {
    if (each.startsWith('-'))
      isKept = known.includes(each.replace(/=.*$/s, '')) && !/^(?:--yes|-y)$/.test(each);
    return isKept;
  });
}

const refundWords: ReadonlySet<string> = new Set(['refund', 'reimburse', 'compensate']);

/** Puts before a suggestion what the word cannot do. */
function explained(word: string, hint: Text | undefined, guesses: readonly Invocation[]): Text | undefined {
  if (hint === undefined) return hint;
  const isRetry = guesses.some(({ args: [group, verb] = [] }) => group === 'deliveries' && verb === 'retry');
  if (word === 'hours') return phrase`A store has no hours: its orders are sent until it is paused. ${hint}`;
  if (word === 'hold')
    return phrase`An order waits until it is dispatched. One that is under way is canceled, and sent again when it may go. ${hint}`;
  if (refundWords.has(word))
    return phrase`waybill pays nothing back to recipients: that is done where they paid. A dispute asks the courier for money back, and \`disputes resolve --amount\` says how much. ${hint}`;
  return isRetry
    ? phrase`A canceled delivery stays canceled; \`deliveries retry\` sends its order again. ${hint}`
    : hint;
}

/** Resolves words to a path in the tree, by names and aliases. Rejects with UsageError if there is none. */
export async function resolvePath(words: readonly string[], tree: CommandTree): Promise<string[]> {
  const { groups, singles } = tree;
  const [word, verb] = words;
  if (word === undefined) return [];
  const group = findNamed(groups, word);
  if (group === undefined) {
    const single = findNamed(singles, word);
    if (single === undefined)
      throw await unknownWordError(words, { all: [...groups, ...singles], path: [], tree });
    return [single.name];
  }
  if (verb === undefined) return [group.name];
  const commands = await loadCommands(group);
  const command = findNamed(commands, verb);
  if (command === undefined)
    throw await unknownWordError([group.name, ...words.slice(1)], {
      all: commands,
      path: [group.name],
      tree,
    });
  return [group.name, command.name];
}

/** The guess for a question without a reference, by the first of its words that has a command. */
function guessQuestion(words: readonly string[]): Guess[] {
  const told = words.filter((word) => !questionWords.test(word));
  const { count, period: when } = endingPeriod(told);
  const about = told.slice(0, told.length - count);
  const at = about.findIndex((word) => [word, timed(word)].some((key) => Object.hasOwn(said, key)));
  const word = about[at];
  if (word === undefined) return [];
  const sentence = periodWords.test(when) ? said[timed(word)] : undefined;
  if (sentence !== undefined)
    return [sentence]
      .flat()
      .map((line) => line.split(' ').flatMap((each) => (each === 'WHEN' ? period(when, line) : each)))
      .map((line) => withName(line, about.slice(at + 1)));
  const plain = said[word];
  return plain === undefined ? [] : filled(plain, about.slice(at + 1), placeholders[word] ?? 'DELIVERY');
}

/** `report last week` takes the words of a period apart, `--period` together. */
function period(when: string, line: string): string[] {
  return line.startsWith('report ') ? when.split(' ') : [when];
}

/** Guesses commands for an unknown one: what people say, an ID or a reference alone, and verb and noun swapped. */
export async function guessCommands(words: readonly string[], tree: CommandTree): Promise<Guess[]> {
  const [told = '', ...others] = withPhrases(words);
  const joined = /^([a-z]+)[:./_]([a-z-]+)$/.exec(told);
  const typed = joined === null ? [told, ...others] : [joined[1] ?? '', joined[2] ?? '', ...others];
  const [first = '', second = '', ...rest] = typed;
  const reports = guessReport(typed);
  if (reports.length > 0) return reports;
  const group = findNamed(tree.groups, first);
  const unmeasured = withoutMeasures(typed);
  const isMeasured = (word: string) => /\d/.test(word) && !unmeasured.includes(word);
  if (isMeasured(group === undefined ? first : second)) return [];
  if (group !== undefined) return guessOfGroup(group.name, second, rest, tree);
  const noun = findNamed(tree.groups, second);
  // `get deliveries`: several are listed.
  if (noun?.name === second && rest.length === 0 && listWords.has(first) && Object.hasOwn(noun.verbs, 'list'))
    return [[second, 'list']];
  const ofNoun = noun === undefined ? [] : await guessOfGroup(noun.name, first, rest, tree);
  if (ofNoun.length > 0) return ofNoun;
  return guessAlone(first, noun === undefined ? [second, ...rest] : rest, tree);
}

/** Guesses what is meant by a word under a noun: `orders dispatch`, `dispatch order`. */
async function guessOfGroup(
  group: string,
  verb: string,
  rest: readonly string[],
  tree: CommandTree,
): Promise<Guess[]> {
  const shown = await guessById(verb, group, tree);
  if (shown.length > 0) return shown;
  const isOfRoute = group === 'routes' || kindOfId(rest[0] ?? '')?.group === 'routes';
  if (verb === 'dispatch' && isOfRoute) return [['dispatch', ...rest]];
  const sentence = said[`${group} ${verb}`];
  if (sentence !== undefined) return filled(sentence, rest, placeholders[group] ?? 'DELIVERY');
  const named = findNamed(tree.groups, group);
  const commands = named === undefined ? [] : await loadCommands(named);
  const lists = commands.find(({ name }) => name === 'list');
  const filters = lists === undefined ? null : filtersOf(lists, [verb, ...rest]);
  if (filters !== null) return [[group, 'list', ...filters]];
  const when = [verb, ...rest].join(' ');
  const meant = findNamed(commands, verb)?.name ?? sameVerb(commands, verb);
  if (meant !== undefined) return neverSuggested.has(meant) ? [] : [[group, meant, ...rest]];
  const swapped = withVerbFirst(commands, verb, rest);
  if (swapped !== null) return [[group, ...swapped]];
  if (findNamed(tree.singles, verb)?.name === 'help') return [['help', group]];
  // `couriers show`: what has no page of its own is in its list.
  if (listWords.has(verb) && lists !== undefined) return [[group, 'list']];
  if (group === 'drivers' && periodWords.test(when))
    return [['report', ...when.split(' '), '--by', 'driver']];
  const isName = verb !== '' && !/\d/.test(verb) && !questionWords.test(verb) && !Object.hasOwn(said, verb);
  if (group === 'couriers' && isName && rest.length === 0)
    return [['deliveries', 'list', '--provider', verb, '--active']];
  if (group === 'drivers' && isName)
    return [['deliveries', 'list', '--driver', [verb, ...rest].join(' '), '--active']];
  // `audit 1042`: most nouns are asked about for a delivery.
  const asked = said[group] ?? (group === 'orders' ? 'orders get X' : 'deliveries get X');
  if (group !== 'deliveries' && /\d/.test(verb)) return filled(asked, [verb], '');
  return group === 'deliveries' || group === 'orders' ? guessAlone(verb, rest, tree) : [];
}

/** The filters of a list for one of their values and a period: `charges refunds yesterday`; null for any other words. */
function filtersOf({ flags }: CommandSpec, words: readonly string[]): string[] | null {
  const { count, period: when } = endingPeriod(words);
  const [value, ...others] = words.slice(0, words.length - count);
  if (others.length > 0 || (value === undefined && when === '')) return null;
  const dated = when !== '' && Object.hasOwn(flags, 'period') ? ['--period', when] : [];
  if (value === undefined) return dated;
  const chosen = ['status', 'kind'].flatMap((name) => {
    const choice = flags[name]?.choices.find((each) => stemOf(each) === stemOf(value));
    return choice === undefined ? [] : [flagLabel(name), choice];
  });
  return chosen.length === 0 ? null : [...chosen, ...dated];
}

/** The period at the end of some words, and how many they are. */
function endingPeriod(words: readonly string[]): { count: number; period: string } {
  const count = [2, 1].find((each) => periodWords.test(words.slice(-each).join(' '))) ?? 0;
  return { count, period: count === 0 ? '' : words.slice(-count).join(' ') };
}

/** `1042 cancel` is `cancel 1042`; null without a verb after the word that takes one. */
function withVerbFirst(
  commands: readonly CommandSpec[],
  word: string,
  rest: readonly string[],
): Guess | null {
  const takers = commands.filter(({ positionals }) => Object.keys(positionals).length > 0);
  const at = rest.findIndex((each) => findNamed(takers, each) !== undefined);
  const verb = findNamed(commands, rest[at] ?? '')?.name;
  if (verb === undefined || neverSuggested.has(verb)) return null;
  return [verb, word, ...rest.slice(0, at), ...rest.slice(at + 1)];
}

/** Words before what is to be listed, and before what is to be done with a record: `show late`, `add note to 1042`. */
const listWords: ReadonlySet<string> = new Set([
  ...['show', 'list', 'see', 'view', 'get', 'find', 'describe', 'ls'],
]);
const verbsOfThings = /^(?:add|ask|change|correct|fix|get|give|leave|open|print|send|set|show|update|write)$/;

/**
 * Guesses what is meant by a word that no noun goes with: an ID, a verb before a thing, a question, a word that has a
 * sentence, a status, a reference, or the verb of several nouns. The first that fits counts.
 */
async function guessAlone(word: string, rest: readonly string[], tree: CommandTree): Promise<Guess[]> {
  const words = rest.filter((each) => each !== '');
  const shown = await guessById(word, null, tree);
  if (shown.length > 0) return shown;
  const ofThing = await guessThing(word, words, tree);
  if (ofThing !== null) return ofThing;
  const unmeasured = withoutMeasures([word, ...words]).slice(1);
  if (unmeasured.every((each) => !/^[\w#-]*\d/.test(each) || periodWords.test(each))) {
    const isTimed = endingPeriod(words).count > 0;
    const isAsked = isTimed || (questionWords.test(word) && words.length > 0);
    const guesses = isAsked ? guessQuestion([word, ...words]) : [];
    if (guesses.length > 0) return guesses;
  }
  if (word === 'stop' && isReference(words)) return filled('deliveries cancel X', words, '');
  const isNamed = words.some((each) => !/\d/.test(each)) && Object.hasOwn(said, `${word} NAME`);
  const sentence = isNamed ? said[`${word} NAME`] : Object.hasOwn(said, word) ? said[word] : undefined;
  // `why was the courier of 1001 changed`: a reference, an ID or a phone number has a digit.
  const about = unmeasured.find((each) => /\d/.test(each));
  const isMeasured = about === undefined && unmeasured.length < words.length;
  // `what is on its way to ZIP code 60613` is about no record: the search has its words.
  if (isMeasured && questionWords.test(word)) return [];
  if (sentence !== undefined) {
    const isWith = (part: string) => [sentence].flat().some((line) => line.includes(part));
    const isWhole = about === undefined || (isWith(' REST') && (about === words[0] || isWith('stores ')));
    const whole = isMeasured && !isWith(' REST') ? [] : words;
    const lines = filled(sentence, isWhole ? whole : [about], placeholders[word] ?? 'DELIVERY');
    return lines.map((line) => withName(line, words));
  }
  if (about !== undefined && (isStatus(word) || questionWords.test(word)))
    return filled('deliveries explain X', [about], '');
  if (isStatus(word)) return [withName(['deliveries', 'list', '--status', word], words)];
  if (!/\d/.test(word)) return verbsOfGroups(word, words, tree);
  const deliveries = findNamed(tree.groups, 'deliveries');
  const commands = deliveries === undefined ? [] : await loadCommands(deliveries);
  return [['deliveries', ...(withVerbFirst(commands, word, words) ?? ['get', word])]];
}

/** Guesses a verb before a thing: `show late`, `send 6020 to Sam`, `add note to 1042`; null for any other words. */
async function guessThing(
  verb: string,
  [thing = '', ...others]: readonly string[],
  tree: CommandTree,
): Promise<Guess[] | null> {
  if (listWords.has(verb) && (Object.hasOwn(said, thing) || isStatus(thing)))
    return guessAlone(thing, others, tree);
  // `send 6020 to Sam`, but `send 6020 to the customer`.
  const [to, name = ''] = others;
  const isGiven = to === 'to' && name !== 'the' && !Object.hasOwn(said, name) && /\d/.test(thing);
  const given = isGiven ? said[`${verb} TO`] : undefined;
  if (given !== undefined) return filled(given, [thing, ...others], 'DELIVERY');
  const sentence = said[`${verb} ${thing}`];
  const of = others.filter((each) => !/^(?:to|of|for|from|on|at|with)$/.test(each));
  if (sentence !== undefined) return filled(sentence, of, placeholders[thing] ?? 'DELIVERY');
  if (!verbsOfThings.test(verb) || !of.some((each) => /\d/.test(each))) return null;
  if (Object.hasOwn(said, thing)) return guessAlone(thing, of, tree);
  return Object.hasOwn(shortcuts, thing) ? [['deliveries', shortcuts[thing] ?? '', ...of]] : null;
}

function isStatus(word: string): boolean {
  return deliveryStatusNames.some((name) => name === word);
}

/** Puts what was typed after the word into the place of X. */
function filled(sentence: Sentence, rest: readonly string[], placeholder: string): Guess[] {
  const lines = typeof sentence === 'string' ? [sentence] : sentence;
  return lines.map((line) => {
    const hasRest = line.endsWith(' REST');
    const isFirst = hasRest || (isReference(rest) && !/search|deliveries get/.test(line));
    const value = (isFirst ? rest.slice(0, 1) : rest).join(' ') || placeholder;
    const more = rest
      .slice(1)
      .join(' ')
      .replace(/^(?:until|till|for|to|at) /, '');
    const text = line.startsWith('deliveries edit') && more === '' ? 'VALUE' : more;
    const words = line.split(' ').map((each) => (each === 'X' ? value : each === 'REST' ? text : each));
    return hasRest && text === '' ? words.slice(0, -2) : words;
  });
}

/** The list with the search for a name that was typed with it: `late 'Loop Pizza'`. Reports and charges have only stores. */
function withName(line: Guess, words: readonly string[]): Guess {
  const text = line.join(' ');
  const name = words.join(' ').replace(/^(?:at|by|for|from|in|of|to) /, '');
  if (!/^\p{Lu}/u.test(name) || text.includes(name)) return line;
  if (/^(?:deliveries|orders) list/.test(text)) return [...line, '--search', name];
  return /^(?:report|charges list)/.test(text) ? [...line, '--store', name] : line;
}

/** Whether words begin with a reference, and are not the groups of a phone number. */
function isReference([first = '', ...others]: readonly string[]): boolean {
  return /^#?\d{3,}$/.test(first) && !others.some((word) => /^\d{3,}$/.test(word));
}

/** Verbs of other programs, and their equivalents here; none of them deletes anything. */
const sameVerbs: Readonly<Record<string, string>> = {
  add: 'create',
  describe: 'get',
  details: 'get',
  info: 'get',
  explain: 'get',
  find: 'get',
  lookup: 'get',
  show: 'get',
};

function sameVerb(commands: readonly Named[], verb: string): string | undefined {
  return findNamed(commands, Object.hasOwn(sameVerbs, verb) ? (sameVerbs[verb] ?? verb) : verb)?.name;
}

/** The command that shows a record: of the typed group if it takes such IDs, else of the record's own. */
async function guessById(id: string, typed: string | null, { groups }: CommandTree): Promise<Guess[]> {
  const { name: kind, group: home } = kindOfId(id) ?? {};
  if (kind === undefined) return [];
  for (const name of [typed, home]) {
    const group = findNamed(groups, name ?? '');
    if (group === undefined) continue;
    const takers = (await loadCommands(group)).filter(
      ({ effect, positionals }) => effect === 'read' && Object.values(positionals)[0]?.kind === kind,
    );
    const command = findNamed(takers, 'get') ?? takers[0];
    if (command !== undefined) return [[group.name, command.name, id]];
  }
  return [];
}

const max_suggestions = 4;

/** The nouns with this verb, deliveries first, as they are asked about most. */
function verbsOfGroups(verb: string, rest: readonly string[], { groups }: CommandTree): Guess[] {
  if (neverSuggested.has(verb)) return [];
  const having = groups.filter(({ verbs }) => Object.hasOwn(verbs, verb)).map(({ name }) => name);
  const sorted = [...having].sort(
    (left, right) => Number(right === 'deliveries') - Number(left === 'deliveries'),
  );
  return sorted.slice(0, max_suggestions).map((name) => [name, verb, ...rest]);
}

/** Returns similar names, one for each entry. */
function nearest(word: string, all: readonly Named[]): string[] {
  const found = nearNames(
    word,
    all.flatMap(({ name, aliases }) => [name, ...aliases]),
  ).filter((name) => !neverSuggested.has(findNamed(all, name)?.name ?? name));
  return found.filter((name, index) => found.findIndex((other) => isSame(all, name, other)) === index);
}

function isSame(all: readonly Named[], left: string, right: string): boolean {
  return findNamed(all, left) === findNamed(all, right);
}

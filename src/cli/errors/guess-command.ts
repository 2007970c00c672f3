/** The error for an unknown command, and the commands that may have been meant. */
import { deliveryStatusNames } from '../../contract/vocabulary.ts';
import { nearNames } from '../../domain/near-names.ts';
import {
  type CommandTree,
  commandsOf,
  findNamed,
  type Group,
  type Named,
} from '../kit/args/command-input.ts';
import type { LineState } from '../kit/args/line-parser.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { type Invocation, invocation, suggestionText } from '../kit/result/message.ts';
import { kindOfId, shortcuts } from '../records.ts';

/** Commands of deliveries that work without `deliveries`. */
const deliveryShortcuts: readonly Named[] = Object.keys(shortcuts).map((name) => ({ name, aliases: [] }));

/** The error for an unknown command, with suggestions. */
export async function unknownCommand(
  { parsers }: Pick<LineState, 'parsers'>,
  tree: CommandTree,
): Promise<UsageError> {
  const { groups, singles } = tree;
  const [, first] = parsers;
  const group = first === undefined ? undefined : findNamed(groups, first.name());
  const path = group === undefined ? [] : [group.name];
  const words = [...path, ...wordsOf(parsers.at(-1)?.args ?? [])];
  const all = group === undefined ? [...groups, ...singles, ...deliveryShortcuts] : await commandsOf(group);
  return unknownWordError(words, { all, path, tree });
}

/** The words of the line without unknown flags and the words after each, which may be their values. */
function wordsOf(args: readonly string[]): readonly string[] {
  const isFlag = (arg: string | undefined) => arg !== undefined && arg.length > 1 && arg.startsWith('-');
  const takesNext = (arg: string | undefined) => isFlag(arg) && !arg?.includes('=');
  return args.filter((arg, index) => !isFlag(arg) && !takesNext(args[index - 1]));
}

interface SearchedNames {
  all: readonly Named[];
  path: readonly string[];
  tree: CommandTree;
}

/** The error for words whose first one after `path` is not in `all`. */
async function unknownWordError(
  words: readonly string[],
  { all, path, tree }: SearchedNames,
): Promise<UsageError> {
  const word = words[path.length] ?? '';
  const guesses = (await guessCommands(words, tree)).map((args): Invocation => ({ command: '', args }));
  const hint = suggestionText(guesses.length > 0 ? guesses : nearest(word, all));
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
  const commands = await commandsOf(group);
  const command = findNamed(commands, verb);
  if (command === undefined)
    throw await unknownWordError([group.name, ...words.slice(1)], {
      all: commands,
      path: [group.name],
      tree,
    });
  return [group.name, command.name];
}

/** A guessed command: its words and arguments. */
type Guess = readonly string[];

/** Commands of other programs and common words, with their equivalents here. */
const otherWords: Readonly<Record<string, readonly Guess[]>> = {
  version: [['--version']],
  demo: [['start']],
  init: [['start'], ['login']],
  setup: [['start'], ['login']],
  install: [['help', 'getting-started']],
  open: [['deliveries', 'list', '--status', 'active']],
  resend: [
    ['events', 'resend'],
    ['webhooks', 'attempts', '--failed'],
  ],
  refund: [
    ['deliveries', 'cancel'],
    ['deliveries', 'dispute'],
    ['charges', 'list'],
  ],
};

/** The list of deliveries that a status or a problem names: `deliveries late`, `failed deliveries`, `stuck`. */
function guessFilteredList(
  [first, second]: readonly [string, string],
  group: Group | undefined,
): Guess | undefined {
  const isNamed = group?.name === 'deliveries';
  if (!isNamed && (group !== undefined || !/^(deliver(y|ies))?$/.test(second))) return undefined;
  const word = isNamed ? second : first;
  if (word === 'late') return ['deliveries', 'list', '--late'];
  if (word === 'stuck') return ['deliveries', 'list', '--stuck', '20m'];
  const isStatus = deliveryStatusNames.some((name) => name === word);
  return isStatus ? ['deliveries', 'list', '--status', word] : undefined;
}

/**
 * Guesses commands for an unknown one: noun and verb swapped or joined, an ID without a command, a verb of another
 * noun. The words are those of the line without flags.
 */
async function guessCommands(words: readonly string[], tree: CommandTree): Promise<Guess[]> {
  const { groups, singles } = tree;
  const [first = '', second = '', ...rest] = words;
  const other = Object.hasOwn(otherWords, first) && isAlone(second, groups) ? otherWords[first] : undefined;
  if (other !== undefined) {
    const args = second === '' ? [] : [second, ...rest];
    return other.map((guess) => (guess[0] === 'deliveries' ? [...guess, ...args] : guess));
  }
  const group = findNamed(groups, first);
  if (isSearch(first) && findNamed(groups, second) === undefined) return searchGuesses([second, ...rest]);
  const ofGroup = group === undefined ? undefined : guessVerbOfGroup(group.name, second, rest);
  if (ofGroup !== undefined) return ofGroup;
  const inState = guessFilteredList([first, second], group);
  if (inState !== undefined) return [inState];
  const shown = await guessByIdType(group === undefined ? first : second, group, tree);
  if (shown.length > 0) return shown;
  const joined = /^([a-z]+)[-:./_]([a-z-]+)$/.exec(first);
  if (joined !== null) return guessCommands([joined[1] ?? '', joined[2] ?? ''], tree);
  const verb = group === undefined ? undefined : await verbOf(group, second);
  if (verb !== undefined) return [[first, verb, ...rest]];
  const turned = await verbAndNounSwapped([first, second, ...rest], tree);
  if (turned.length > 0) return turned;
  const answer = guessQuestion([first, second, ...rest], group);
  if (answer !== undefined) return [answer];
  const single = findNamed(singles, second);
  if (single?.name === 'help') return [['help', first, ...rest]];
  if (single !== undefined) return [[single.name, ...rest]];
  if (group !== undefined) return sameVerbOfOtherGroups(second, rest, tree);
  return sameVerbOfOtherGroups(first, second === '' ? [] : [second, ...rest], tree);
}

/** The commands for a verb that a group does not have, although users expect it; undefined for any other verb. */
function guessVerbOfGroup(group: string, verb: string, rest: readonly string[]): Guess[] | undefined {
  switch (group) {
    case 'deliveries':
      return isSearch(verb) ? searchGuesses(rest) : undefined;
    case 'orders':
      if (/^(edit|update|change|modify)$/.test(verb)) return changeOrderGuesses(rest);
      return kindOfId(rest[0] ?? '')?.name === 'route' ? undefined : guessDispatchOfOrders(verb, rest);
    case 'disputes':
      return /^(create|add|new|open)$/.test(verb) ? [['deliveries', 'dispute', ...rest]] : undefined;
    case 'webhooks':
      if (/^fail/.test(verb)) return [['webhooks', 'attempts', ...rest, '--failed']];
      if (verb === 'trigger') return [['webhooks', 'test']];
      return /^(en|dis)able$/.test(verb) ? [['webhooks', 'update', ...rest, `--${verb}`]] : undefined;
    default:
      return undefined;
  }
}

/** Orders are quoted and dispatched in a route; `ship` does all of it. */
function guessDispatchOfOrders(verb: string, rest: readonly string[]): Guess[] | undefined {
  if (verb === 'dispatch') return [['ship', ...rest]];
  return verb === 'quote' || verb === 'route' ? [['routes', 'create', ...rest]] : undefined;
}

/** Suggestions for a question about deliveries, or a reference, typed where a command belongs. */
function guessQuestion(words: readonly string[], group: Group | undefined): Guess | undefined {
  const [, second = '', ...rest] = words;
  if (group?.name === 'deliveries') return commandAnswering([second, ...rest]);
  if (group?.name === 'orders' && hasDigit(second)) return ['orders', 'get', second];
  if (group !== undefined) return hasDigit(second) ? ['deliveries', 'get', second] : undefined;
  return (
    commandAnswering(words) ?? (hasDigit(words[0] ?? '') ? ['deliveries', 'get', words[0] ?? ''] : undefined)
  );
}

/** True without a noun after it: `update` alone, not `update store`. */
function isAlone(second: string, groups: readonly Group[]): boolean {
  return second === '' || !isNoun(second, groups);
}

function isNoun(word: string, groups: readonly Group[]): boolean {
  const names = groups.map(({ name }) => name);
  return findNamed(groups, word) !== undefined || nearNames(word, names).length > 0;
}

/** Deliveries can be found by more than an ID. */
function isSearch(word: string): boolean {
  return word === 'search' || word === 'find';
}

/** A delivery can be edited; an order can only be copied with changes. */
function changeOrderGuesses([order = 'ORDER', ...rest]: readonly string[]): Guess[] {
  return [
    ['deliveries', 'edit', order, ...rest],
    ['orders', 'create', '--like', order],
  ];
}

function searchGuesses(words: readonly string[]): Guess[] {
  const text = words.join(' ');
  if (text === '') return [['deliveries', 'list', '--search', 'TEXT']];
  return [
    ['deliveries', 'get', text],
    ['deliveries', 'list', '--search', text],
  ];
}

/** Returns similar names, one for each entry. */
function nearest(word: string, all: readonly Named[]): string[] {
  const found = nearNames(
    word,
    all.flatMap(({ name, aliases }) => [name, ...aliases]),
  );
  return found.filter((name, index) => found.findIndex((other) => isSame(all, name, other)) === index);
}

function isSame(all: readonly Named[], left: string, right: string): boolean {
  return findNamed(all, left) === findNamed(all, right);
}

/** The command that shows a record: of the typed group if it takes such IDs, else of the record's own. */
async function guessByIdType(
  id: string,
  typed: Group | undefined,
  { groups }: CommandTree,
): Promise<Guess[]> {
  const { name: kind, group: home } = kindOfId(id) ?? {};
  for (const group of [typed, findNamed(groups, home ?? '')]) {
    if (group === undefined || kind === undefined) continue;
    const takers = (await commandsOf(group)).filter(
      ({ effect, positionals }) => effect === 'read' && Object.values(positionals)[0]?.kind === kind,
    );
    const command = findNamed(takers, 'get') ?? takers[0];
    if (command !== undefined) return [[group.name, command.name, id]];
  }
  return [];
}

/** Swaps verb and noun: `create order ord_1` for `orders create ord_1`; `list orders`, `get deliveries`. */
async function verbAndNounSwapped(words: readonly string[], { groups }: CommandTree): Promise<Guess[]> {
  const [verb = '', noun = '', ...rest] = words;
  const group =
    findNamed(groups, noun) ??
    findNamed(
      groups,
      nearNames(
        noun,
        groups.map(({ name: verbName }) => verbName),
      )[0] ?? '',
    );
  if (noun === '' || group === undefined) return [];
  const name = await verbOf(group, verb);
  return name === undefined ? [] : [[group.name, name, ...rest]];
}

/** The limit of suggestions. */
const max_suggestions = 4;

/** The nouns with this verb, deliveries first, as they are asked about most. */
function sameVerbOfOtherGroups(verb: string, rest: readonly string[], { groups }: CommandTree): Guess[] {
  const having = groups.filter(({ verbs }) => Object.hasOwn(verbs, verb)).map(({ name }) => name);
  const sorted = [...having].sort(
    (left, right) => Number(right === 'deliveries') - Number(left === 'deliveries'),
  );
  return sorted.slice(0, max_suggestions).map((name) => [name, verb, ...rest]);
}

/** Verbs of other programs, and their equivalents here. */
const sameVerbs: Readonly<Record<string, string>> = {
  add: 'create',
  cancel: 'delete',
  delete: 'cancel',
  describe: 'get',
  explain: 'get',
  find: 'get',
  lookup: 'get',
  remove: 'cancel',
  rm: 'cancel',
};

async function verbOf(group: Group, typed: string): Promise<string | undefined> {
  if (Object.hasOwn(group.verbs, typed)) return typed;
  const commands = await commandsOf(group);
  const verb = Object.hasOwn(sameVerbs, typed) ? (sameVerbs[typed] ?? typed) : typed;
  // An alias of the group goes before the other verb: `rm store` deletes it.
  return (findNamed(commands, typed) ?? findNamed(commands, verb))?.name;
}

/** Words that support agents type about one delivery; `deliveries explain` answers all of them. */
const questionWords: ReadonlySet<string> = new Set([
  ...['where', 'locate', 'location', 'driver', 'courier'],
  ...['proof', 'photo', 'signature'],
  ...[
    'who',
    'why',
    'what',
    'when',
    'how',
    'history',
    'timeline',
    'status',
    'eta',
    'pin',
    'cost',
    'price',
    'fee',
  ],
]);

const spendingWords: ReadonlySet<string> = new Set([
  'spent',
  'spend',
  'spending',
  'total',
  'totals',
  'costs',
]);

/** The words after `waybill`, or after `waybill deliveries`, and the command that answers them. */
function commandAnswering(words: readonly string[]): string[] | undefined {
  const [first = '', ...rest] = words.filter((word) => word !== '');
  // `why was the courier of 1001 changed`: a reference, an ID or a phone number has a digit.
  const delivery = rest.find(hasDigit) ?? (rest.length === 1 ? rest[0] : undefined);
  if (spendingWords.has(first) && !rest.some(hasDigit))
    return ['charges', 'list', '--since', 'today', '--all'];
  if (first === 'events' && delivery !== undefined) return ['events', 'list', '--delivery', delivery];
  if (questionWords.has(first) || spendingWords.has(first))
    return ['deliveries', 'explain', delivery ?? 'DELIVERY'];
  return undefined;
}

/** True for what can be a reference, an ID or a phone number in the place of a command. */
function hasDigit(word: string): boolean {
  return /\d/.test(word);
}

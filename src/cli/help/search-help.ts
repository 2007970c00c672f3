/** The search of help: the lines that answer a question in words, from the texts of all commands. */
import { groupNames, sortNames, viewNames, withCounterpart } from '../../domain/report-words.ts';
import {
  type CommandSpec,
  type CommandTree,
  type Example,
  type Flags,
  flagLabel,
  loadCommands,
  positionalLabel,
} from '../kit/args/command-input.ts';
import type { Flag } from '../kit/args/flags.ts';
import { shellLine, shellWords } from '../kit/result/message.ts';
import { withoutShortcut } from '../records.ts';
import { isQuestion, periodsIn, periodWords, questionWords, withoutMeasures } from './guess-report.ts';
import { guideTopics, topics } from './help-topics.ts';
import { stemOf } from './page-layout.ts';
import { linesAsked } from './question-patterns.ts';
import { neverSuggested, said, withPhrases } from './synonyms.ts';

/** Words of a question that fit every command. */
const fillWords =
  /^(?:all|also|and|another|at|be|been|can|could|every|everybody|everyone|everything|for|from|get|had|he|her|him|his|if|in|into|make|many|me|more|need|not|now|on|one|ones|or|our|paid|pay|please|see|she|should|show|so|than|that|their|them|there|they|this|to|us|want|while|whose|will|with|would|yet|you|your)$/;

/** Words that people use for each other: each is found by all of its line. */
const sameWords = [
  'add create leave new set write',
  'apartment apt unit',
  'attempt try',
  'change correct edit modify update',
  'carrier company courier provider',
  'cheap cheaper cheapest lowest',
  'client customer recipient buyer dropoff',
  'contact contactless',
  'cost fee price',
  'closest near nearest nearby',
  'delete erase remove forget',
  'destination address',
  'disable off',
  'enable',
  'excel spreadsheet csv export',
  'neighbor neighbour',
  'note instruction remark',
  'order delivery parcel package',
  'photo picture proof signature',
  'restaurant shop store kitchen',
  'rider driver',
];

/** A line that may answer, with the texts that it is found by. */
interface Entry extends Example {
  path: string;
  /** The stems of each text, with the weight of a word that is found in it. */
  fields: readonly [weight: number, stems: ReadonlySet<string>][];
}

const max_hits = 5;
/** The least score of a line that is shown, as a share of that of the best. */
const min_share_of_best = 0.6;
/** A question with a reference is about one record: a line that takes one fits better. */
const record_bonus = 1.5;
/** A question about many records is not answered by a line about one. */
const asksForMany = /\b(?:orders|deliveries|parcels|customers|everybody|everyone)\b/i;
const share_of_one = 0.6;
const max_hits_of_command = 2;
/** The most words of a guess that can be the name of a record. */
const max_words_of_name = 3;

/** Of each tree that was searched: to make one takes much longer than to look a question up. */
const indexes = new WeakMap<CommandTree, ReturnType<typeof indexOf>>();

/**
 * Finds the lines that fit a question best: a guess that has understood its numbers or its period first, then those with
 * the most of its rare words. They keep the period and the reference of the question.
 */
export async function searchHelp(
  question: readonly string[],
  guesses: readonly (readonly string[])[],
  tree: CommandTree,
): Promise<Example[]> {
  const index = indexes.get(tree) ?? indexOf(tree);
  indexes.set(tree, index);
  const { commands, entries } = await index;
  const parts = partsOf(question);
  const { period, reference } = parts;
  const wanted = entries.filter((entry) => isWanted(entry, question, commands.get(entry.path)));
  const asked = linesAsked(question.join(' ').toLowerCase()).map((line): Entry => {
    return { ...guessEntry(shellWords(line), commands), command: `waybill ${line}` };
  });
  const [told = [], found = []] = [asked, bestEntries(wanted, parts, entries)].map((some) =>
    some.map((entry) => {
      const takesPeriod = takesPeriodAlone(entry, commands.get(entry.path));
      const command = withParts(entry, { period, reference, takesPeriod });
      return { ...entry, command, summary: summaryFor(entry, period) };
    }),
  );
  // A guessed report has no word for a length of time.
  const isLackingLength = ({ path }: Entry) => path === 'report' && lengthUntilNow.test(period);
  const lacking = { period, reference: null, takesPeriod: false };
  const guessed = guesses
    .map((args) => guessEntry(args, commands))
    .map((entry) => (isLackingLength(entry) ? { ...entry, command: withParts(entry, lacking) } : entry))
    .filter((entry) => isLine(entry, commands) && isWanted(entry, question, commands.get(entry.path)));
  const isUnderstood = ({ command, path }: Entry) =>
    path === 'report' || [period, reference ?? ''].some((part) => part !== '' && command.includes(part));
  const understood = guessed.every(isUnderstood) ? guessed : [];
  const reports = understood.filter(({ command, path }) => path === 'report' && command.includes(' --by '));
  const hits = [...reports, ...told, ...understood, ...found];
  return shownHits(asksForPeople.test(question.join(' ')) ? hits.map(withPeople) : hits);
}

const lengthUntilNow = /^(?:last|past) (?:hour|\d+ \w+)$/i;

const asksForPeople = /\b(?:phones?|reach (?:him|her|them|the)|call (?:back|him|her|them|the)|contacts?)\b/i;

/** Names and phone numbers are only shown where they are asked for. */
function withPeople(entry: Entry): Entry {
  const isMasked = /^(?:deliveries|orders) (?:list|get|explain)$/.test(entry.path);
  const isWhole = !isMasked || / --(?:show-pii|phone)\b|\d{10}| >/.test(entry.command);
  return isWhole ? entry : { ...entry, command: `${entry.command} --show-pii` };
}

/** Whether a line lists a period; a flag that only narrows --where does not. */
function takesPeriodAlone({ command }: Entry, spec: CommandSpec | undefined): boolean {
  const { effect, flags = {} } = spec ?? {};
  return Object.hasOwn(flags, 'period') && (effect === 'read' || / --where\b/.test(command));
}

/** Whether a guess has no more arguments than its command, and none that is the question itself. */
function isLine({ command, path }: Entry, commands: ReadonlyMap<string, CommandSpec>): boolean {
  const words = shellWords(command).slice(1 + path.split(' ').length);
  const args = words.filter((word, at) => !word.startsWith('-') && words[at - 1]?.startsWith('-') !== true);
  const positionals = Object.values(commands.get(path)?.positionals ?? {});
  const isLong = args.length > positionals.length && !positionals.some(({ variadic }) => variadic);
  return !isLong && !args.some((arg) => isQuestion(arg) || arg.split(' ').length > max_words_of_name);
}

/** The entries with the most of a question's words, of which a rare one counts more; the best first. */
function bestEntries(
  wanted: readonly Entry[],
  { words, reference, isForMany }: QuestionParts,
  all: readonly Entry[],
): Entry[] {
  const rarity = new Map(words.map(meaningOf).map((stem) => [stem, rarityOf(stem, all)]));
  const ranked = wanted
    .map((entry) => {
      const isOfRecord = recordPlaceholder.test(entry.command);
      const fit = !isOfRecord ? 1 : reference !== null ? record_bonus : isForMany ? share_of_one : 1;
      return { entry, score: scoreOf(entry, rarity) * fit };
    })
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score);
  const best = ranked[0]?.score ?? 0;
  return ranked.filter(({ score }) => score > best * min_share_of_best).map(({ entry }) => entry);
}

/** The line of a guess: a noun, a verb and arguments. */
function guessEntry(
  [noun = '', verb = '', ...args]: readonly string[],
  commands: ReadonlyMap<string, CommandSpec>,
): Entry {
  const [group = '', name = ''] = commands.has(noun) ? [noun] : withoutShortcut([noun, verb, ...args]);
  const path = commands.has(`${group} ${name}`) ? `${group} ${name}` : group;
  const command = shellLine({ command: '', args: [noun, verb, ...args].filter((arg) => arg !== '') });
  const topic = [...topics, ...guideTopics].find((each) => noun === 'help' && each.name === verb);
  const summary = commands.get(path)?.summary ?? topic?.summary ?? 'Show what the help says about it';
  return { command, summary, path, fields: [] };
}

/** The first hits, each once, and not more than two of one command. */
function shownHits(hits: readonly Entry[]): Example[] {
  const lines = hits.filter(({ command }, at) => hits.findIndex((hit) => hit.command === command) === at);
  const isShown = ({ path }: Entry, at: number) =>
    lines.slice(0, at).filter((line) => line.path === path).length < max_hits_of_command;
  return lines
    .filter(isShown)
    .slice(0, max_hits)
    .map(({ command, summary }) => ({ command, summary }));
}

async function indexOf(tree: CommandTree): Promise<{ commands: Map<string, CommandSpec>; entries: Entry[] }> {
  const commands = new Map((await allCommands(tree)).map(({ path, command }) => [path, command]));
  const entries = [
    ...[...commands].flatMap(([path, command]) => entriesOf(path, command)),
    ...synonymEntries(commands),
    ...[...topics, ...guideTopics].map(topicEntry),
    ...(await guideEntries(commands)),
  ];
  return { commands, entries };
}

/** Questions about what is so, or what it costs: `how many ...`, but not `how do I ...`. */
const asksOnly =
  /^(?:who|whose|when|where|why|which|what (?!to\b|if\b|(?:do|can|should) i\b)|how (?:much|many|long|often|far)|is (?!there\b)|are|was|were|did|does|has|have|list|show|count)\b/i;
const asksToCancel =
  /\b(?:cancel\w*|abort|call off)\b|\b(?:delete|void)\b.*(?:\b(?:order|deliver|parcel)|\d)/i;

/** Nothing is offered that removes or cancels unless it is asked for, nor a change to someone who only asks. */
function isWanted(
  { path, command }: Entry,
  question: readonly string[],
  spec: CommandSpec | undefined,
): boolean {
  const asked = question.join(' ');
  const verbs = path.split(' ');
  if (verbs.some((verb) => neverSuggested.has(verb) && !question.includes(verb))) return false;
  if (/ --(?:price|dry-run)\b/.test(command) || verbs.includes('quote')) return true;
  if (verbs.includes('cancel') && !asksToCancel.test(asked)) return false;
  return spec?.effect !== 'write' || !asksOnly.test(asked);
}

/** The words of a question that say what it is about, and its period and reference. */
interface QuestionParts {
  /** Empty without one. */
  period: string;
  reference: string | null;
  isForMany: boolean;
  words: string[];
}

function partsOf(question: readonly string[]): QuestionParts {
  const typed = withPhrases(question).join(' ');
  const [period = ''] = typed.match(periodsIn) ?? [];
  const rest = typed.replace(periodsIn, ' ');
  const [reference = null] =
    withoutMeasures(rest.split(' '))
      .join(' ')
      .match(/(?:^|(?<= ))(?:#\S*\d\S*|\d{3,}|[a-z]{3}_\w{6,})(?= |$)/) ?? [];
  const words = wordsOf([rest]).filter((word) => !isFill(word) && !/^\d/.test(word));
  return { period, reference, isForMany: asksForMany.test(question.join(' ')), words };
}

const recordPlaceholder = /'#1042'|\b1042\b|"#1042"|\b(?:DELIVERY|ORDER)\b/;

/** The line with the period and the reference of the question. */
function withParts(
  { command, path }: Entry,
  { period, reference, takesPeriod }: { period: string; reference: string | null; takesPeriod: boolean },
): string {
  const line =
    reference === null
      ? command
      : command.replace(recordPlaceholder, () =>
          shellLine({ command: '', args: [reference] }).replace(/^\S+ /, ''),
        );
  if (period === '') return line;
  const compared = /^waybill report yesterday today\b/;
  if (path === 'report' && compared.test(line))
    return line.replace(compared, `waybill report ${comparedPeriods(period)}`);
  if (path === 'report')
    return line
      .replace(/ --since \S+/, '')
      .replace(
        /^waybill report(?: (?:last )?(?:week|month|yesterday)| \[WHEN\.\.\.\])?/,
        `waybill report ${period}`,
      );
  const value = period.includes(' ') ? `'${period}'` : period;
  if (takesPeriod && !/ --(?:on|period|since|until|ended|delivered|due|charged)\b/.test(line))
    return `${line} --period ${value}`;
  return line
    .replace(/ --(?:on|period|since) (?:'[^']*'|\S+)/, (typed) =>
      takesPeriod ? ` --period ${value}` : typed,
    )
    .replace(
      / --(ended|delivered|due|charged)(?: (?:'[^']*'|(?!-)\S+))?(?= |$)/,
      (_, flag: string) => ` --${flag} ${value}`,
    );
}

/** What a line is for, with the period of the question instead of its own: `What came back last week`. */
function summaryFor({ summary, command }: Entry, period: string): string {
  const [own = ''] = /\b(?:yesterday|today)\b/.exec(summary) ?? [];
  return period === '' || !command.includes(own) ? summary : summary.replace(own, period);
}

/** Two periods for the one of a question; the earlier one is first. */
function comparedPeriods(period: string): string {
  const both = lengthUntilNow.test(period) ? '' : withCounterpart(period);
  return both === '' ? 'yesterday today' : both === period ? `${period} today` : both;
}

async function allCommands({
  groups,
  singles,
}: CommandTree): Promise<{ path: string; command: CommandSpec }[]> {
  const ofGroups = groups.map(async (group) =>
    (await loadCommands(group)).map((command) => ({ path: `${group.name} ${command.name}`, command })),
  );
  const alone = singles.map(async ({ name, load }) => [{ path: name, command: await load() }]);
  const all = (await Promise.all([...ofGroups, ...alone])).flat();
  return all.filter(({ path }) => path !== 'help');
}

/** The entries of a command: itself, its examples and its flags. */
function entriesOf(path: string, command: CommandSpec): Entry[] {
  const { summary, description, positionals, examples, flags, aliases } = command;
  const labels = Object.entries(positionals).flatMap(([name, { required }]) =>
    required === false ? [] : positionalLabel(name),
  );
  const line = ['waybill', path, ...labels].join(' ');
  const ofCommand = field(1.2, path, summary);
  return [
    {
      command: line,
      summary,
      path,
      fields: [field(2.4, path, ...aliases), field(2.2, summary), field(0.5, description ?? '')],
    },
    ...examples.map(({ command: typed, summary: about }): Entry => {
      return {
        command: typed,
        summary: about,
        path,
        fields: [field(2.2, about), field(1.8, typed), ofCommand],
      };
    }),
    ...Object.entries(flags)
      // A flag of `admin accounts` belongs to one of its verbs.
      .filter(([, { group }]) => group !== 'Paging' && !path.startsWith('admin '))
      .map(([name, flag]): Entry => {
        const hasValue = flag.kind !== 'switch' && flag.hasOptionalValue === false;
        const own = [flagLabel(name), ...(hasValue ? [flag.placeholder] : [])];
        const typed = [line, ...neededBy(name, flag, flags), ...own].join(' ');
        return {
          command: typed,
          summary: flag.summary,
          path,
          fields: [field(2, name, ...flag.aliases), field(1.6, flag.summary), ofCommand],
        };
      }),
  ];
}

/** The flag without which another is refused. */
function neededBy(name: string, { group }: Flag<unknown>, flags: Flags): string[] {
  const isOf = (other: string, isNeeded: boolean) =>
    isNeeded && name !== other && Object.hasOwn(flags, other);
  if (isOf('watch', group === 'Waiting')) return [flagLabel('watch')];
  return isOf('initiate', name === 'wait' || name === 'maxCost') ? [flagLabel('initiate')] : [];
}

function topicEntry({ name, summary }: { name: string; summary: string }): Entry {
  return {
    command: `waybill help ${name}`,
    summary,
    path: `help ${name}`,
    fields: [field(2, name), field(1.8, summary)],
  };
}

/** The questions in the tables of the guide, each with its command. */
async function guideEntries(commands: ReadonlyMap<string, CommandSpec>): Promise<Entry[]> {
  const { guideText } = await import('./guide-pages.ts');
  const rows = guideTopics.flatMap(({ name }) => [
    ...guideText(name).matchAll(/^\| ([^|]+) \| `(waybill (([^\s`]+)(?: [^\s`]+)?)[^`]*)` \|$/gm),
  ]);
  return rows.map(([, summary = '', command = '', words = '', first = '']): Entry => {
    const path = commands.has(words) ? words : first;
    return { command, summary, path, fields: [field(3, summary), field(1.2, command)] };
  });
}

/** The lines that people mean by other words. */
function synonymEntries(commands: ReadonlyMap<string, CommandSpec>): Entry[] {
  const wordsOfLine = new Map<string, string[]>();
  const add = (line: string, word: string) => wordsOfLine.set(line, [...(wordsOfLine.get(line) ?? []), word]);
  for (const [key, sentence] of Object.entries(said))
    for (const line of [sentence].flat())
      add(line.replace(/ (?:--period )?WHEN/, ''), key.replace(' WHEN', ''));
  for (const [name, others] of Object.entries(groupNames)) add(`report --by ${name}`, others);
  for (const [name, others] of Object.entries(viewNames))
    add(`report --${name}`, `${name} ${others}`.replace(/\S+_\S+/g, ''));
  for (const [name, others] of Object.entries(sortNames))
    add(`report --sort ${name}`, `${name} ${others}`.replace(/\S+_\S+/g, ''));
  return [...wordsOfLine].flatMap(([line, words]): Entry[] => {
    const path = withoutShortcut(line.split(' '))
      .slice(0, 2)
      .join(' ')
      .replace(/ [-X].*/, '');
    const command = commands.get(path);
    if (command === undefined) return [];
    const typed = shellLine({ command: '', args: withPlaceholders(line, command).split(' ') });
    return [
      {
        command: typed,
        summary: command.summary,
        path,
        fields: [field(3, ...words), field(1.2, line, command.summary)],
      },
    ];
  });
}

/** Names the values that a sentence leaves open as the command's help does. */
function withPlaceholders(sentence: string, command: CommandSpec): string {
  const [first = ''] = Object.keys(command.positionals);
  const words = sentence.split(' ');
  return words
    .map((word, at) => {
      if (word !== 'X' && word !== 'REST') return word;
      return flagAt(words[at - 1] ?? '', command)?.placeholder ?? positionalLabel(first);
    })
    .join(' ');
}

/** The flag with which a line ends. */
function flagAt(line: string, { flags }: CommandSpec): Flag<unknown> | undefined {
  const name = Object.keys(flags).find((each) => ` ${line}`.endsWith(` ${flagLabel(each)}`));
  return name === undefined ? undefined : flags[name];
}

function field(weight: number, ...texts: readonly string[]): [number, ReadonlySet<string>] {
  return [weight, new Set(wordsOf(texts).map(meaningOf))];
}

function wordsOf(texts: readonly string[]): string[] {
  const apart = texts
    .join(' ')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
  return apart.replace(/(?<=\p{L})['’](?:s|re|t)\b/gu, '').match(/[\p{L}\p{N}]+/gu) ?? [];
}

function isFill(word: string): boolean {
  return word !== 'why' && (fillWords.test(word) || questionWords.test(word) || periodWords.test(word));
}

const meanings: ReadonlyMap<string, string> = new Map(
  sameWords.flatMap((line) => {
    const [first = '', ...others] = line.split(' ').map(stemOf);
    return others.map((word): [string, string] => [word, first]);
  }),
);

/** The stem of a word, or of the first of the words that are used for it. */
function meaningOf(word: string): string {
  const stem = stemOf(word);
  return meanings.get(stem) ?? stem;
}

/** A word is rare if few entries have it in a text of weight. */
function rarityOf(stem: string, entries: readonly Entry[]): number {
  const having = entries.filter(({ fields }) =>
    fields.some(([weight, stems]) => weight > 1 && stems.has(stem)),
  );
  return Math.sqrt(Math.log(1 + entries.length / (1 + having.length)));
}

function scoreOf({ fields }: Entry, rarity: ReadonlyMap<string, number>): number {
  const found = [...rarity].map(([stem, rare]) => {
    const weights = fields.map(([weight, stems]) => (stems.has(stem) ? weight : 0));
    return rare * Math.max(0, ...weights);
  });
  const length = fields.reduce((total, [, stems]) => total + stems.size, 0);
  return found.reduce((sum, each) => sum + each, 0) * (1 + 4 / (8 + length));
}

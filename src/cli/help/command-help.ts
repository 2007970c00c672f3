/** The help of a command: its page as text, and its outline as JSON. */
import { commonErrorsOf } from '../../contract/operation.ts';
import { exits, type OwnMeaning, ownCodes, serviceMeanings, usualCodes } from '../errors/error-codes.ts';
import {
  type CommandSpec,
  type CommandTree,
  type Example,
  type Flags,
  flagLabel,
  loadCommands,
  nameEnvVar,
  type PositionalSpec,
  type PositionalSpecs,
  positionalLabel,
} from '../kit/args/command-input.ts';
import type { Flag } from '../kit/args/flags.ts';
import { globalsFor } from '../kit/args/global-flags.ts';
import { columnName } from '../kit/result/column-names.ts';
import { dashed } from '../kit/result/message.ts';
import type { Answer, AnswerBuilder, Field, Shape } from '../kit/result/shape.ts';
import { type CommandFacts, collectFacts, operationNamed, shapeText } from './command-facts.ts';
import {
  type Block,
  type HelpLine,
  linesSection,
  type Page,
  type Section,
  textBlock,
  textSection,
} from './page-layout.ts';

/** Creates the help page of a command, examples first. `related` are commands with their summaries. */
export function commandPage(
  path: readonly string[],
  command: CommandSpec,
  facts: CommandFacts,
  related: readonly HelpLine[],
): Page {
  const { description, examples, aliases } = command;
  const lists = new NameLists();
  return {
    name: ['waybill', ...path].join(' '),
    summary: command.summary,
    sections: [
      ...usageSection(path, command),
      { title: 'Examples', blocks: [{ kind: 'examples', examples }] },
      ...(description === null ? [] : [textSection('Description', description)]),
      ...linesSection('Arguments', argumentLines(command.positionals, lists)),
      ...groupedFlags(command).flatMap(([heading, flags]) =>
        linesSection(
          heading,
          flags.map(([name, flag]): HelpLine => [flagWords(name, flag), flagSummary(name, flag, lists)]),
        ),
      ),
      ...columnSections(command),
      ...answerSections(facts.answers, lists),
      exitSection(command, facts),
      ...errorSections(facts),
      ...linesSection('Related', related),
      ...(aliases.length === 0 ? [] : [textSection(null, `Aliases: ${aliases.join(', ')}`)]),
    ],
  };
}

export function usageSection(path: readonly string[], { positionals }: CommandSpec): Section[] {
  const words = ['waybill', ...path, ...positionalWords(positionals), '[FLAGS]'];
  return linesSection('Usage', [[words.join(' '), '']]);
}

/** Lists with more names are written once on a page. */
const max_repeated_names = 8;

/** The long lists of names on a page, such as statuses: a list that is there already is named by its label. */
class NameLists {
  readonly #lists: { label: string; names: readonly string[] }[] = [];

  /** The names as text: all of them, or those that another list on the page does not have. */
  write(label: string, names: readonly string[], separator: string): string {
    if (names.length <= max_repeated_names) return names.join(separator);
    const added = (known: readonly string[]) => names.filter((name) => !known.includes(name));
    const found = this.#lists.find((list) => added(list.names).length <= max_repeated_names);
    if (found === undefined) {
      this.#lists.push({ label, names });
      return names.join(separator);
    }
    return [`names of ${found.label}`, ...added(found.names)].join(separator);
  }
}

/** A positional in the usage line: `ORDER`, `[FILE]`, `ORDER...`. */
export function positionalWords(positionals: CommandSpec['positionals']): string[] {
  return Object.entries(positionals).map(([name, positional]) => {
    const label = positionalWord(name, positional) + (positional.variadic ? '...' : '');
    return positional.required === true ? label : `[${label}]`;
  });
}

/** Short choices are shown as the placeholder: `real|scaled|manual`. */
function positionalWord(name: string, { choices }: PositionalSpec<unknown>): string {
  return choices.length > 0 && choices.length < 5 ? choices.join('|') : positionalLabel(name);
}

export function argumentLines(positionals: CommandSpec['positionals'], lists = new NameLists()): HelpLine[] {
  return Object.entries(positionals).map(([name, positional]): HelpLine => {
    const word = positionalWord(name, positional);
    const isNamed = positional.choices.length === 0 || word === positional.choices.join('|');
    if (isNamed) return [word, positional.summary];
    return [word, `${positional.summary}: ${lists.write(word, positional.choices, ', ')}`];
  });
}

/** A flag as it is typed: `-f, --file FILE`. */
export function flagWords(name: string, flag: Flag<unknown>): string {
  const long = `--${flag.negatable ? '[no-]' : ''}${dashed(name)}`;
  const value =
    flag.kind === 'switch' ? '' : flag.hasOptionalValue ? `[=${flag.placeholder}]` : ` ${flag.placeholder}`;
  const aliases = flag.aliases.map((alias) => `, --${alias}`).join('');
  return `${flag.short === null ? '' : `-${flag.short}, `}${long}${value}${aliases}`;
}

function flagSummary(name: string, flag: Flag<unknown>, lists: NameLists): string {
  // Columns are listed in a section of their own.
  const isOfColumns = flag.placeholder === 'COLUMNS' || flag.ofColumns !== undefined;
  const isListed = flag.choices.length > 0 && !isOfColumns;
  const choices = isListed ? ` (${lists.write(flagLabel(name), flag.choices, ', ')})` : '';
  const initial = flag.defaultText === null ? '' : ` [${flag.defaultText}]`;
  const must = flag.required === true ? ' (required)' : '';
  const repeats = flag.kind === 'list' ? ' (repeatable)' : '';
  return flag.summary + choices + repeats + initial + must;
}

/** The names of columns, each with its heading where that is another name. */
function columnSections({ columns, flags }: Pick<CommandSpec, 'columns' | 'flags'>): Section[] {
  const names = columns.map(({ field, header }) => {
    const heading = columnName(header);
    return heading === field ? field : `${field} (${heading})`;
  });
  const title = `Columns (--columns${flags.filter === undefined ? '' : ', --filter, --sort'})`;
  return names.length === 0 ? [] : [textSection(title, [...new Set(names)].join(', '))];
}

const answerForms = {
  object: 'An object',
  array: 'An array of objects',
  lines: 'A line with an object for each, as it comes',
} as const;

/** The JSON fields of each result under its own heading; identical ones are merged. */
function answerSections(answers: readonly Answer[], lists: NameLists): Section[] {
  if (answers.length === 0) return [];
  const shown = new Map<string, string>();
  const blocks = answers.flatMap(({ when, form, shape }): Block[] => {
    const label = when === null ? answerForms[form] : `${answerForms[form]}, ${when}`;
    const entries = shapeLines(shape);
    const written = (lines: readonly HelpLine[]) =>
      lines.map(([name, type]): HelpLine => [name, lists.write(name, type.split(' | '), ' | ')]);
    const [own, rest] = entries[0]?.[0] === 'type' ? [entries.slice(0, 1), entries.slice(1)] : [[], entries];
    const key = JSON.stringify(rest);
    const before = shown.get(key);
    shown.set(key, before ?? label);
    if (before === undefined) return [textBlock(`${label}:`), { kind: 'lines', lines: written(entries) }];
    const same = textBlock(`${label}: the fields above${own.length === 0 ? '.' : ' and'}`);
    return own.length === 0 ? [same] : [same, { kind: 'lines', lines: own }];
  });
  return [{ title: 'JSON (--json)', blocks }];
}

function shapeLines(shape: Answer['shape']): HelpLine[] {
  if (shape.kind === 'either') return shape.of.flatMap(shapeLines);
  if (shape.kind !== 'object') return [[shapeText(shape), '']];
  return shape.fields.map(({ name, shape: of, optional, meaning }): HelpLine => {
    const type = shapeText(of, of.kind !== 'word');
    return [`${name}${optional ? '?' : ''}`, meaning === '' ? type : `${type}: ${meaning}`];
  });
}

/** Exit codes that every command can have, in one line unless they mean something of their own. */
const exitsOfAll: readonly number[] = [0, 1, 2, 4, 7, 11, 129, 130, 143];

function exitSection(command: CommandSpec, facts: CommandFacts): Section {
  const all = exitsOf(command, facts);
  const isCommon = ({ code }: CommandExit) => exitsOfAll.includes(code) && !Object.hasOwn(facts.exits, code);
  const own = all.filter((each) => !isCommon(each));
  const lines = own.map(({ code, meaning }): HelpLine => [String(code), meaning]);
  const common = all.filter(isCommon).map(({ code }) => code);
  const text = textBlock(`As of any command (waybill help exit-codes): ${common.join(', ')}.`);
  return { title: 'Exit codes', blocks: own.length === 0 ? [text] : [{ kind: 'lines', lines }, text] };
}

/** The command's own error codes with explanations; common ones in one line. */
function errorSections(facts: CommandFacts): Section[] {
  const own = commandErrors(facts);
  const explained = own.map(({ code, exit, when }): HelpLine => [`${code} (${exit})`, when]);
  const common = commonErrors(facts)
    .filter(({ code }) => own.every((each) => each.code !== code))
    .map(({ code, exit }) => `${code} (${exit})`);
  const blocks: Block[] = [
    ...(own.length === 0 ? [] : [{ kind: 'lines', lines: explained } as const]),
    ...(common.length === 0 ? [] : [textBlock(`Any call: ${common.join(', ')}.`)]),
  ];
  return blocks.length === 0 ? [] : [{ title: 'Error codes (exit code)', blocks }];
}

/** The headings of flags in order; a flag's own heading comes after the second. */
const headings = {
  own: 'Flags',
  filters: 'Filters',
  pickup: 'Pickup',
  dropoff: 'Dropoff',
  paging: 'Paging',
  waiting: 'Waiting',
  safety: 'Safety',
  output: 'Output',
  global: 'Global flags',
} as const;
const headingOrder: readonly string[] = Object.values(headings);

/** Flags of any command that belong under a heading; `until` is a filter where it goes with `since`. */
const waitingFlags = ['wait', 'watch', 'until', 'failOn', 'timeout', 'interval'];
const safetyFlags = ['yes', 'dryRun', 'idempotencyKey', 'maxCost', 'maxFee', 'validateOnly'];
const outputFlags = [
  ...['json', 'output', 'columns', 'raw', 'jq', 'time', 'noPager', 'quiet', 'color', 'accessible', 'showPii'],
];

type FlagEntry = readonly [name: string, flag: Flag<unknown>];

/** Groups the flags of a command, its own and the global ones, under their headings. */
export function groupedFlags(command: CommandSpec): [heading: string, flags: FlagEntry[]][] {
  const isList = Object.hasOwn(command.flags, 'limit');
  const isWaiting = (name: string) =>
    waitingFlags.includes(name) && !(name === 'until' && Object.hasOwn(command.flags, 'since'));
  const own = grouped(command.flags, (name, { group }) => group ?? ownHeading(name, isList, isWaiting(name)));
  const global = grouped(globalsFor(command), (name, { group }) => group ?? globalHeading(name));
  const found = [...own, ...global];
  return [...new Set(found.map(([heading]) => heading))]
    .sort((left, right) => headingRank(left) - headingRank(right))
    .map((heading) => [heading, found.filter((each) => each[0] === heading).map(([, entry]) => entry)]);
}

function grouped(
  flags: Flags,
  headingOf: (name: string, flag: Flag<unknown>) => string,
): [string, FlagEntry][] {
  return Object.entries(flags).map(([name, flag]) => [headingOf(name, flag), [name, flag]]);
}

function ownHeading(name: string, isList: boolean, isWaiting: boolean): string {
  if (/^pickup[A-Z]/.test(name)) return headings.pickup;
  if (/^dropoff[A-Z]/.test(name)) return headings.dropoff;
  if (isWaiting) return headings.waiting;
  if (isList) return headings.filters;
  return safetyFlags.includes(name) ? headings.safety : headings.own;
}

function globalHeading(name: string): string {
  if (safetyFlags.includes(name)) return headings.safety;
  return outputFlags.includes(name) ? headings.output : headings.global;
}

function headingRank(heading: string): number {
  const found = headingOrder.indexOf(heading);
  return found === -1 ? headingOrder.indexOf(headings.filters) + 0.5 : found;
}

/** An error code of a command: its meaning and exit code. */
interface CommandError {
  code: string;
  exit: number;
  when: string;
}

/** An exit code of a command, with a specific meaning if there is one. */
interface CommandExit {
  code: number;
  meaning: string;
}

const errorMeanings: Readonly<Record<string, OwnMeaning>> = {
  ...serviceMeanings,
  ...usualCodes,
  ...ownCodes,
};

function meaningOf(code: string): CommandError {
  const found = errorMeanings[code];
  if (found === undefined)
    throw new TypeError(`no table has the error code ${code}: src/cli/errors/error-codes.ts is for it`);
  return { code, exit: found.exit, when: found.when };
}

/** A command's own error codes: those of its requests without the common ones, then this program's. */
export function commandErrors({ calls, errors }: CommandFacts): CommandError[] {
  const called = calls.flatMap((name) => operationNamed(name).errors ?? []);
  return [...new Set<string>([...called, ...errors])]
    .map(meaningOf)
    .sort((left, right) => left.exit - right.exit);
}

function commonErrors({ calls }: CommandFacts): CommandError[] {
  const codes = calls.flatMap((name) => commonErrorsOf(operationNamed(name)));
  const own = calls.length === 0 ? [] : ['no_api_key', 'route_api_key_test_mode_mismatch', 'unreachable'];
  return [...new Set<string>([...codes, ...own])]
    .map(meaningOf)
    .sort((left, right) => left.exit - right.exit);
}

/** Every exit code of a command. */
export function exitsOf(
  command: Pick<CommandSpec, 'confirms' | 'flags'>,
  facts: CommandFacts,
): CommandExit[] {
  const own: Readonly<Partial<Record<number, string>>> = facts.exits;
  const codes = new Set([
    ...[0, 1, 2, 129, 130, 143],
    ...Object.keys(own).map(Number),
    ...[...commandErrors(facts), ...commonErrors(facts)].map(({ exit }) => exit),
    ...(command.confirms ? [3] : []),
    ...flagExits(command),
  ]);
  return exits
    .filter(({ code }) => codes.has(code))
    .map(({ code, meaning }) => ({ code, meaning: own[code] ?? meaning }));
}

/** A wait can time out or end badly; a limit can be exceeded. */
function flagExits({ flags }: Pick<CommandSpec, 'flags'>): number[] {
  const has = (...names: string[]) => names.some((name) => Object.hasOwn(flags, name));
  return [
    ...(has('timeout') ? [8] : []),
    // `until` with choices takes statuses; otherwise it is a time.
    ...(has('failOn') || (flags.until?.choices.length ?? 0) > 0 ? [9] : []),
    ...(has('maxCost', 'maxFee') ? [6] : []),
  ];
}

/** A command as data for programs. */
export interface CommandOutline {
  /** As typed: `orders create`. */
  command: string;
  aliases: string[];
  summary: string;
  description: string | null;
  /** `none`, `read`, or `write`. */
  effect: string;
  positionals: Record<string, unknown>[];
  flags: Record<string, unknown>[];
  global_flags: string[];
  examples: readonly Example[];
  /** The JSON results. */
  json: Record<string, unknown>[];
  exit_codes: CommandExit[];
  error_codes: string[];
  related: readonly string[];
}

export function outlineShape({ object, orNull, listOf }: AnswerBuilder): Shape {
  return object({
    command: 'string',
    aliases: listOf('string'),
    summary: 'string',
    description: orNull('string'),
    effect: 'none | read | write',
    positionals: 'array of objects',
    flags: 'array of objects',
    global_flags: listOf('string'),
    examples: listOf(object({ command: 'string', summary: 'string' })),
    json: 'array of objects',
    exit_codes: listOf(object({ code: 'integer', meaning: 'string' })),
    error_codes: listOf('string'),
    related: listOf('string'),
  });
}

/** The command with this path; null where it names none. */
export async function outlineOf(path: readonly string[], tree: CommandTree): Promise<CommandOutline | null> {
  const [found] = await outlinesUnder(path, tree);
  return found?.command === path.join(' ') ? found : null;
}

/** The commands with this path or below it, which are all of them for an empty one. */
export async function outlinesUnder(path: readonly string[], tree: CommandTree): Promise<CommandOutline[]> {
  const isUnder = ({ command }: CommandOutline) =>
    path.every((word, index) => command.split(' ')[index] === word);
  return (await outlines(tree)).filter(isUnder);
}

async function outlines({ groups, singles }: CommandTree): Promise<CommandOutline[]> {
  const found: CommandOutline[] = [];
  for (const single of singles) found.push(outline([], [], await single.load()));
  for (const group of groups) {
    for (const command of await loadCommands(group))
      found.push(outline([group.name], group.aliases, command));
  }
  return found;
}

function outline(
  path: readonly string[],
  groupAliases: readonly string[],
  command: CommandSpec,
): CommandOutline {
  const groups = path.length === 0 ? [''] : [...path, ...groupAliases];
  const names = groups.flatMap((group) =>
    [command.name, ...command.aliases].map((name) => `${group} ${name}`.trim()),
  );
  const facts = collectFacts([...path, command.name], command);
  return {
    command: names[0] ?? command.name,
    aliases: names.slice(1),
    summary: command.summary,
    description: command.description,
    effect: command.effect,
    positionals: positionalsAsData(command.positionals),
    flags: flagsAsData(command),
    global_flags: Object.keys(globalsFor(command)).map((name) => `--${dashed(name)}`),
    examples: command.examples,
    json: answersAsData(facts),
    exit_codes: exitsOf(command, facts),
    error_codes: [...commandErrors(facts), ...commonErrors(facts)].map(({ code }) => code),
    related: facts.related,
  };
}

function answersAsData({ answers }: CommandFacts): Record<string, unknown>[] {
  return answers.map(({ when, form, shape }) => ({
    when,
    form,
    fields:
      shape.kind === 'object'
        ? Object.fromEntries(shape.fields.map((field) => [field.name, fieldType(field)]))
        : {},
  }));
}

/** The type of a field: `string or null`; with a question mark if it is optional. */
function fieldType({ shape, optional }: Field): string {
  return `${shapeText(shape, shape.kind !== 'word')}${optional ? '?' : ''}`;
}

function positionalsAsData(positionals: PositionalSpecs): Record<string, unknown>[] {
  return Object.entries(positionals).map(([name, { kind, summary, required, choices, variadic }]) => ({
    name: positionalLabel(name),
    kind,
    summary,
    required: required === true,
    choices,
    variadic,
  }));
}

function flagsAsData(command: CommandSpec): Record<string, unknown>[] {
  const groups = new Map(
    groupedFlags(command).flatMap(([heading, flags]) => flags.map(([name]) => [name, heading] as const)),
  );
  return Object.entries(command.flags).map(([name, flag]) => ({
    name: `--${dashed(name)}`,
    short: flag.short === null ? null : `-${flag.short}`,
    aliases: flag.aliases.map((alias) => `--${alias}`),
    kind: flag.kind,
    summary: flag.summary,
    group: groups.get(name),
    required: flag.required === true,
    default: flag.defaultText,
    choices: flag.choices,
    negatable: flag.negatable,
    repeatable: flag.kind === 'list',
    environment: nameEnvVar(name),
  }));
}

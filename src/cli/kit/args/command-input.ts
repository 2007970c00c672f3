/**
 * The input of a command: how a command declares its flags and positionals (`CommandSpec`), how their texts become values
 * (`readFlags`, `readPositionals`), and what is wrong with them (`findFaults`).
 */
import type { ExitCode } from '../errors/failure.ts';
import { product } from '../product.ts';
import {
  dashed,
  didYouMean,
  type Invocation,
  type NextStep,
  suggestionText,
  type Text,
} from '../result/message.ts';
import type { ColumnHead, Format } from '../result/result.ts';
import type { Answer, AnswerBuilder } from '../result/shape.ts';
import { BadValue, type Flag, type GivenInput, type Origin } from './flags.ts';

/** The effect of a command on the service: none, it reads, or it may change records. */
export type Effect = 'none' | 'read' | 'write';

/** The flags that select and show the connection to a service. */
export const connectionFlagNames = ['profile', 'baseUrl', 'apiKeyFile', 'requestTimeout', 'curl'] as const;
export type ConnectionFlag = (typeof connectionFlagNames)[number];

/** A positional argument of a command: how it is described, and how its words become a value. */
export interface PositionalSpec<T> {
  /** The kind of record whose ID it takes, or `file` or `text`. */
  kind: string;
  summary: string;
  required: boolean | ((given: GivenInput) => boolean);
  /** The words that it accepts; empty if it accepts any. */
  choices: readonly string[];
  /** Takes all remaining words; only the last positional can. */
  variadic: boolean;
  /** The statuses of the records that are offered to pick from; absent: any. */
  statuses?: readonly string[] | undefined;
  /** Reads the given words; throws BadValue. */
  read(words: readonly string[]): T;
}

export interface Example {
  command: string;
  summary: string;
}

export type Flags = Readonly<Record<string, Flag<unknown>>>;
export type PositionalSpecs = Readonly<Record<string, PositionalSpec<unknown>>>;

/** The texts given to a command before they are parsed, by their names in the code. */
export interface RawInput {
  flags: ReadonlyMap<string, readonly string[]>;
  words: readonly string[];
  /** The origin of each flag with a text; absent: all were typed. */
  origins?: ReadonlyMap<string, Origin>;
}

/** Everything that is wrong with the input of a command. */
export interface InputFaults {
  missing: readonly MissingInput[];
  invalid: readonly InvalidInput[];
  /** The labels of flags of which one is required without a prompt, if none was given. */
  oneOf: readonly string[];
}

export interface MissingInput {
  /** `--pickup-address`, or `ORDER` for a positional. */
  label: string;
  /** The name in the code. */
  name: string;
  part: Flag<unknown> | PositionalSpec<unknown>;
}

export interface InvalidInput {
  label: string;
  message: string;
  choices: readonly string[];
  /** The choice that is probably meant. */
  hint?: Text | undefined;
}

/** The declaration of a command without its action: all that parsing, help and completion need. */
export interface CommandSpec {
  name: string;
  aliases: readonly string[];
  summary: string;
  description: string | null;
  flags: Flags;
  /** Hints for flags that users expect but the command lacks, by flag: `--dropoff-address`. */
  flagHints: Readonly<Record<string, Text>>;
  /** Commands that are shown below such a hint, in order. */
  flagSteps: Readonly<Record<string, readonly NextStep[]>>;
  /** The command that is meant by an argument which this command does not take, such as `whoami 1042`. */
  meantByWord: ((word: string, words: readonly string[]) => Invocation | null) | null;
  /** Whether a terminal is asked instead of the flags of which one is required. */
  asksInstead: boolean;
  /** The flag that names a file with values for the other flags. */
  configFlag: string | null;
  positionals: PositionalSpecs;
  examples: readonly Example[];
  effect: Effect;
  /** The flags that select and show the connection to a service, as far as it uses them. */
  connectionFlags: readonly ConnectionFlag[];
  /** Whether it takes `--yes`. */
  confirms: boolean;
  /** When it asks for a confirmation, as its help says; empty: always. */
  confirmsWhen: string;
  /** Whether the given input already shows that it will ask for a confirmation. */
  willAskConfirmation(raw: RawInput): boolean;
  /** The output formats that it supports. */
  formats: readonly Format[];
  /** The columns of its result that `--columns` selects from. */
  columns: readonly ColumnHead[];
  /** The operations that it requests; null: those whose responses it returns. */
  calls: readonly string[] | null;
  /** Its JSON results; empty if it returns text. */
  answers(of: AnswerBuilder): readonly Answer[];
  /** Exit codes besides those of its requests and flags, with their meanings here. */
  exits: Readonly<Partial<Record<ExitCode, string>>>;
  /** Error codes of this program, besides those of its requests. */
  errors: readonly string[];
  /** Related commands, as typed. */
  related: readonly string[];
  check(raw: RawInput): InputFaults;
}

/** A command or a group of commands, which is found by its name or an alias. */
export interface Named {
  name: string;
  aliases: readonly string[];
}

export function findNamed<T extends Named>(all: readonly T[], word: string): T | undefined {
  return all.find(({ name }) => name === word) ?? all.find(({ aliases }) => aliases.includes(word));
}

interface TreeEntry extends Named {
  summary: string;
  /** Heading in the help of the program. */
  section: string;
}

/** Commands under one word: `orders create`. */
export interface Group<C extends CommandSpec = CommandSpec> extends TreeEntry {
  /** Its commands by their names, each loaded only when it is typed. */
  verbs: Readonly<Record<string, () => Promise<C>>>;
}

/** A command of one word: `whoami`. */
export interface Single<C extends CommandSpec = CommandSpec> extends TreeEntry {
  load(): Promise<C>;
}

/** Every command of a program. */
export interface CommandTree<C extends CommandSpec = CommandSpec> {
  name: string;
  /** The headings of the program's help, in their order. */
  sections: readonly string[];
  groups: readonly Group<C>[];
  singles: readonly Single<C>[];
  /** The command for a line without a command: it runs in a terminal, or if the line starts with one of its flags. */
  bareCommand: string;
}

/** All commands of a group, in the order of help. */
export async function loadCommands<C extends CommandSpec>({ verbs }: Pick<Group<C>, 'verbs'>): Promise<C[]> {
  return Promise.all(Object.values(verbs).map((load) => load()));
}

/** Finds all faults of the given texts; `oneOf` are flags of which one is required. */
export function findFaults(
  flags: Flags,
  positionals: PositionalSpecs,
  raw: RawInput,
  oneOf: readonly string[] = [],
): InputFaults {
  const given = givenInput(positionals, raw);
  const missing = [
    ...missingInputs(positionals, given, positionalLabel),
    ...missingInputs(flags, given, flagLabel),
  ];
  return {
    missing,
    invalid: [
      ...unexpectedArguments(positionals, raw),
      ...invalidPositionals(positionals, raw),
      ...invalidFlags(flags, raw),
    ],
    oneOf: oneOf.some((name) => given.has(name)) ? [] : oneOf.map(flagLabel),
  };
}

/** The faults of filters that take one value and were given several, so that no value is ignored in silence. */
export function repeatedFilters(flags: Flags, raw: RawInput): InvalidInput[] {
  return Object.entries(flags).flatMap(([name, { kind, group }]) => {
    const texts = [...new Set(raw.flags.get(name))];
    if (texts.length < 2 || group === 'Paging' || !(kind === 'text' || kind === 'choice' || kind === 'money'))
      return [];
    const message = `takes one value, not ${texts.map((text) => `"${text}"`).join(' and ')}: run the command once for each`;
    return [{ label: flagLabel(name), message, choices: [] }];
  });
}

function missingInputs(
  parts: Flags | PositionalSpecs,
  given: GivenInput,
  label: (name: string) => string,
): MissingInput[] {
  return Object.entries(parts)
    .filter(([name, part]) => !given.has(name) && isRequired(part, given))
    .map(([name, part]) => ({ label: label(name), name, part }));
}

function isRequired(part: Flag<unknown> | PositionalSpec<unknown>, given: GivenInput): boolean {
  return typeof part.required === 'function' ? part.required(given) : part.required;
}

function invalidFlags(flags: Flags, raw: RawInput): InvalidInput[] {
  return Object.entries(flags).flatMap(([name, spec]) => {
    const texts = raw.flags.get(name);
    if (texts === undefined) return [];
    return invalidInput(flagLabel(name), () => spec.read(texts)).map((fault) =>
      withFlagMeant(fault, flags, texts),
    );
  });
}

/** Suggests the flag if a flag's value is the name of another flag: `--status late`. */
function withFlagMeant(fault: InvalidInput, flags: Flags, texts: readonly string[]): InvalidInput {
  const name = texts.at(-1)?.toLowerCase() ?? '';
  const meantFlag = Object.hasOwn(flags, name) ? flags[name] : undefined;
  if (meantFlag === undefined) return fault;
  return { ...fault, hint: suggestionText([`${flagLabel(name)} ${meantFlag.placeholder}`.trimEnd()]) };
}

function invalidPositionals(positionals: PositionalSpecs, raw: RawInput): InvalidInput[] {
  const words = wordsByPositional(positionals, raw.words);
  return Object.entries(positionals).flatMap(([name, positional]) => {
    const given = words.get(name) ?? [];
    return given.some(isBlank)
      ? [{ label: positionalLabel(name), message: emptyInputText, choices: [] }]
      : invalidInput(positionalLabel(name), () => positional.read(given));
  });
}

/** The fault of an empty text, such as `"$ID"` with an unset variable: it never identifies a record. */
export const emptyInputText = 'must not be empty';

/** True for an empty or blank text. */
export function isBlank(typed: string): boolean {
  return typed.trim() === '';
}

function invalidInput(label: string, read: () => unknown): InvalidInput[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    const { message, choices, given, hint } = error;
    const near = given === null ? undefined : didYouMean(given, choices);
    return [{ label, message, choices, hint: hint ?? near }];
  }
}

/** The fault of an unexpected argument; the message may continue. */
export const unexpectedArgumentText = 'is an unexpected argument';

function unexpectedArguments(positionals: PositionalSpecs, raw: RawInput): InvalidInput[] {
  const entries = Object.values(positionals);
  const max_words = entries.some(({ variadic }) => variadic) ? Number.POSITIVE_INFINITY : entries.length;
  const extra = raw.words.slice(max_words).map((word) => (isBlank(word) ? '""' : word));
  if (extra.length === 0) return [];
  const label = extra.length === 1 ? extra.join('') : `"${extra.join(' ')}"`;
  const message = `${unexpectedArgumentText}${takenText(Object.keys(positionals))}`;
  return [{ label, message, choices: [] }];
}

/** Says what a command without or with one positional takes; empty for more, which its help lists. */
function takenText([first, ...others]: readonly string[]): string {
  if (first === undefined) return ': this command takes none';
  return others.length === 0 ? `: this command takes one ${first}` : '';
}

/** Returns which flags and positionals were given. */
export function givenInput(positionals: PositionalSpecs, raw: RawInput): GivenInput {
  const words = wordsByPositional(positionals, raw.words);
  return {
    has: (name) => raw.flags.has(name) || (words.get(name)?.length ?? 0) > 0,
    hasText: (name, wanted) => (raw.flags.get(name) ?? words.get(name))?.at(-1) === wanted,
    find: (name) => {
      const texts = raw.flags.get(name);
      return texts === undefined ? null : { texts, origin: raw.origins?.get(name) ?? 'flag' };
    },
  };
}

/** Narrows values to the types that the flags or positionals read, if there is a value for each of them. */
export function hasEach<V extends object>(specs: object, values: object): values is V {
  return Object.keys(specs).every((name) => Object.hasOwn(values, name));
}

/** Reads the values of all flags; throws BadValue. */
export function readFlags(flags: Flags, raw: RawInput): Record<string, unknown> {
  const values = Object.entries(flags).map(([name, spec]) => {
    const texts = raw.flags.get(name);
    return [name, texts === undefined ? spec.absent() : spec.read(texts)];
  });
  return Object.fromEntries(values);
}

export function readPositionals(positionals: PositionalSpecs, raw: RawInput): Record<string, unknown> {
  const words = wordsByPositional(positionals, raw.words);
  const values = Object.entries(positionals).map(([name, positional]) => [
    name,
    positional.read(words.get(name) ?? []),
  ]);
  return Object.fromEntries(values);
}

/** The words of each positional: one, or all that remain for a variadic one. */
function wordsByPositional(
  positionals: PositionalSpecs,
  words: readonly string[],
): Map<string, readonly string[]> {
  const entries = Object.entries(positionals);
  return new Map(
    entries.map(([name, { variadic }], index) => [
      name,
      variadic ? words.slice(index) : words.slice(index, index + 1),
    ]),
  );
}

/** The label of a flag: `--pickup-address`. */
export function flagLabel(name: string): string {
  return `--${dashed(name)}`;
}

/** The label of a positional in help: `ORDER`. */
export function positionalLabel(name: string): string {
  return dashed(name).toUpperCase();
}

const { environment_prefix } = product;

/** The environment variable of a flag: `WAYBILL_BASE_URL`. */
export function nameEnvVar(name: string): string {
  return `${environment_prefix}${dashed(name).toUpperCase().replaceAll('-', '_')}`;
}

/** The name of the flag with this environment variable: none or one. Windows ignores the case of variables. */
export function flagsOfEnvVar(variable: string): string[] {
  const upper = variable.toUpperCase();
  if (!upper.startsWith(environment_prefix)) return [];
  const [first = '', ...words] = upper.slice(environment_prefix.length).toLowerCase().split('_');
  return [first + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')];
}

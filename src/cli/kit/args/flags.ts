/**
 * Flags: their declaration (`Flag`), and a function that makes each kind. `durationFlag({ summary: 'Time limit' })` reads
 * `--timeout 1h30m` as 5,400,000 milliseconds, and throws `BadValue` for `--timeout soon`.
 */
import { parseDollars } from '../../../domain/money.ts';
import { statusNamed } from '../../../domain/status-words.ts';
import type { Text } from '../result/message.ts';
import type { ColumnHead } from '../result/result.ts';

/** Where the value of a flag or setting comes from. */
export type Origin = 'flag' | 'environment' | 'file' | 'profile' | 'default';

/** Which flags of a command were given, by their names in the code (`pickupAddress`). */
export interface GivenInput {
  has(name: string): boolean;
  /** Whether it was given with this text. */
  hasText(name: string, text: string): boolean;
  /** Its texts and their origin; null if it was not given. */
  find(name: string): { texts: readonly string[]; origin: Origin } | null;
}

type When = (given: GivenInput) => boolean;
export type FlagKind = 'text' | 'integer' | 'money' | 'switch' | 'list' | 'duration' | 'choice';

/** The declaration of a flag, and how its text is parsed. */
export interface Flag<T> {
  kind: FlagKind;
  summary: string;
  /** The placeholder in help: `--limit COUNT`. */
  placeholder: string;
  /** The question asked if the flag is missing; by default its summary and name. */
  question: string | null;
  /** The command itself asks for it in a terminal, after it has looked at the record. */
  isAskedLater: boolean;
  /** Checks an answer to the question: returns the fault of the text, or null. */
  check: ((text: string) => string | null) | null;
  /** One letter. */
  short: string | null;
  /** Other long names, without leading dashes: `ref`. */
  aliases: readonly string[];
  /** Heading in help. */
  group: string | null;
  /** Prompted for without echo; never shown. */
  secret: boolean;
  choices: readonly string[];
  /** Also takes `--no-…`. */
  negatable: boolean;
  /** The value is optional and only given after `=`, or as a next word that matches. */
  hasOptionalValue: boolean | RegExp;
  /** Whether the flag is required, maybe by other input: prompted for in a terminal, else reported as missing. */
  required: boolean | When;
  /** The default as shown in help. */
  defaultText: string | null;
  /** Parses the given texts; throws BadValue. */
  read(texts: readonly string[]): T;
  /** The value if the flag is not given. */
  absent(): T;
  /** The same flag for a command with these columns, whose names it takes. */
  ofColumns?(columns: readonly ColumnHead[]): Flag<unknown>;
}

/** An invalid value of a flag; the message continues after the flag's name. */
export class BadValue extends Error {
  override name = 'BadValue';
  readonly choices: readonly string[];
  /** The given value, if it may be similar to a choice. */
  readonly given: string | null;
  /** The suggested correction, if there is one. */
  readonly hint: Text | null;

  constructor(
    message: string,
    choices: readonly string[] = [],
    given: string | null = null,
    hint: Text | null = null,
  ) {
    super(message);
    this.choices = choices;
    this.given = given;
    this.hint = hint;
  }
}

/** The result of a function; null if it throws BadValue. */
export function unlessBadValue<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof BadValue) return null;
    throw error;
  }
}

export interface FlagOptions {
  summary: string;
  placeholder?: string;
  short?: string;
  aliases?: readonly string[];
  group?: string;
  secret?: true;
  question?: string;
  /** The command itself asks for it, after it has looked at the record. */
  isAskedLater?: true;
  check?: (text: string) => string | null;
}

type RequiredOptions = FlagOptions & { required: true };
type DefaultOptions<T> = FlagOptions & { default: T };
type OptionalOptions = FlagOptions & { required?: When };
type ScalarOptions<T> = FlagOptions & { required?: true | When; default?: T };

/** Any text: `--name 'Joe Diner'`, without the carriage return that a line of a file may have. */
export function textFlag(options: RequiredOptions): Flag<string>;
export function textFlag(options: DefaultOptions<string>): Flag<string>;
export function textFlag(options: OptionalOptions): Flag<string | undefined>;
export function textFlag(options: ScalarOptions<string>): Flag<string | undefined> {
  return singleValueFlag('text', 'TEXT', options, (given) => given.replace(/\r\n?$/, ''), String);
}

/** A text that `read` parses to a value; it throws BadValue. */
export function parsedTextFlag<T>(read: (given: string) => T, options: OptionalOptions): Flag<T | undefined> {
  return { ...textFlag(options), read: (texts) => read(last(texts)), absent: () => undefined };
}

/** A whole number from 0 or `minimum` to `maximum`. */
export function integerFlag(options: RequiredOptions & Bounds): Flag<number>;
export function integerFlag(options: DefaultOptions<number> & Bounds): Flag<number>;
export function integerFlag(options: OptionalOptions & Bounds): Flag<number | undefined>;
export function integerFlag(options: ScalarOptions<number> & Bounds): Flag<number | undefined> {
  return singleValueFlag('integer', 'COUNT', options, (given) => readInteger(given, options), String);
}

interface Bounds {
  minimum?: number;
  maximum?: number;
}

/** The largest number that the contract takes. */
const max_number = 99_999_999;

function readInteger(given: string, { minimum = 0, maximum = max_number }: Bounds): number {
  const value = /^-?\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
  if (value >= minimum && value <= maximum) return value;
  throw new BadValue(`must be a whole number from ${minimum} to ${maximum}, not "${given}"`);
}

/** Text in dollars (`12.50`), value in cents (1250). */
export function moneyFlag(options: RequiredOptions): Flag<number>;
export function moneyFlag(options: DefaultOptions<number>): Flag<number>;
export function moneyFlag(options: OptionalOptions): Flag<number | undefined>;
export function moneyFlag(options: ScalarOptions<number>): Flag<number | undefined> {
  return singleValueFlag('money', 'DOLLARS', options, readMoney, moneyText);
}

/** Formats cents as a flag takes them: `12.50`. */
export function moneyText(cents: number): string {
  return (cents / 100).toFixed(2);
}

function readMoney(given: string): number {
  const cents = parseDollars(given);
  if (cents !== null && cents > max_number)
    throw new BadValue(`must be at most ${moneyText(max_number)} dollars, not "${given}"`);
  if (cents !== null) return cents;
  const more = /^\+/.test(given) ? ': write the new amount, not what is added' : '';
  throw new BadValue(`must be an amount in dollars such as 12.50, not "${given}"${more}`);
}

/** Text with a unit (`250ms`, `20s`, `30m`, `1h`, `2d`, `1h30m`), value in milliseconds. */
export function durationFlag(options: RequiredOptions): Flag<number>;
export function durationFlag(options: DefaultOptions<number>): Flag<number>;
export function durationFlag(options: OptionalOptions): Flag<number | undefined>;
export function durationFlag(options: ScalarOptions<number>): Flag<number | undefined> {
  return singleValueFlag('duration', 'DURATION', options, readDuration, durationText);
}

const durationUnits = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

/** Parses `1h30m`, `20s` or `250ms` to milliseconds; throws BadValue for anything else. */
export function readDuration(given: string): number {
  const parts = [...given.matchAll(/(\d{1,9})(ms|[dhms])/g)];
  const whole = parts.map(([part]) => part).join('') === given && given !== '';
  if (!whole) throw new BadValue(`must be a duration such as 30m, 20s or 250ms, not "${given}"`);
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * millisecondsOf(unit), 0);
}

function millisecondsOf(unit: string | undefined): number {
  return durationUnits.find(([name]) => name === unit)?.[1] ?? 0;
}

/** Formats milliseconds in the largest unit without a remainder: `30m`. */
export function durationText(milliseconds: number): string {
  if (milliseconds === 0) return '0s';
  const unit = durationUnits.find(([, size]) => milliseconds >= size && milliseconds % size === 0);
  return unit ? `${milliseconds / unit[1]}${unit[0]}` : `${milliseconds}ms`;
}

type OtherNames<C extends string> = Readonly<Partial<Record<C, string>>>;

/** The names that a flag or a positional takes. */
export type Choices<C extends string> = {
  choices: readonly C[];
  /** What people type for a choice, separated by spaces. */
  otherNames?: OtherNames<NoInfer<C>> | undefined;
};

/** One of the given names. */
export function choiceFlag<const C extends string>(options: RequiredOptions & Choices<C>): Flag<C>;
export function choiceFlag<const C extends string>(options: DefaultOptions<C> & Choices<C>): Flag<C>;
export function choiceFlag<const C extends string>(
  options: OptionalOptions & Choices<C>,
): Flag<C | undefined>;
export function choiceFlag<const C extends string>(
  options: ScalarOptions<C> & Choices<C>,
): Flag<C | undefined> {
  const read = (given: string) => readChoice(given, options.choices, options.otherNames);
  return { ...singleValueFlag('choice', 'NAME', options, read, String), choices: options.choices };
}

/** One of the given names or several, separated by commas or in repeated flags. */
export function choicesFlag<const C extends string>(
  options: FlagOptions & Choices<C>,
): Flag<C[] | undefined> {
  const base = flagBase('list', 'NAMES', options, null);
  const read = (texts: readonly string[]) => [
    ...new Set(
      texts.flatMap((given) =>
        given.split(',').map((name) => readChoice(name.trim(), options.choices, options.otherNames)),
      ),
    ),
  ];
  return { ...base, choices: options.choices, read, absent: () => undefined };
}

/** The choice with this name; undefined for any other text. */
export function findChoice<C extends string>(
  given: string,
  choices: readonly C[],
  otherNames?: OtherNames<C>,
): C | undefined {
  const plain = given.toLowerCase().replaceAll('-', '_');
  return (
    choices.find((name) => name === given) ??
    choices.find((name) => name === statusNamed(given)) ??
    choices.find((name) => otherNames?.[name]?.split(' ').includes(plain))
  );
}

/** The choice with this name; throws BadValue. */
export function readChoice<C extends string>(
  given: string,
  choices: readonly C[],
  otherNames?: OtherNames<C>,
): C {
  const choice = findChoice(given, choices, otherNames);
  if (choice !== undefined) return choice;
  throw new BadValue(`${mustBeOneOf(choices)}, not "${given}"`, choices, given);
}

/** Lists the choices unless there are many: then a suggestion follows. */
function mustBeOneOf(choices: readonly string[]): string {
  if (choices.length === 1) return `must be "${choices[0]}"`;
  return `must be one of ${choices.length > 8 ? `${choices.length} names` : choices.join(', ')}`;
}

/** A boolean: `--auto`; with a default of true or `negatable`, also `--no-auto`. */
export function switchFlag(options: FlagOptions & { default?: boolean; negatable?: true }): Flag<boolean> {
  const initial = options.default ?? false;
  const base = flagBase('switch', '', options, initial ? 'yes' : null);
  const negatable = options.negatable ?? initial;
  return { ...base, negatable, read: (texts) => readSwitch(last(texts)), absent: () => initial };
}

/** A boolean that has no default: `--ask-pin`, `--no-ask-pin`, or undefined. */
export function optionalSwitchFlag(options: FlagOptions): Flag<boolean | undefined> {
  return { ...switchFlag({ ...options, negatable: true }), absent: () => undefined };
}

function readSwitch(given: string): boolean {
  if (['', '1', 'true', 'yes', 'on'].includes(given)) return true;
  if (['0', 'false', 'no', 'off'].includes(given)) return false;
  throw new BadValue(`must be yes or no, not "${given}"`);
}

/** A repeatable flag: `--item 'Soup:2' --item 'Bread:1'`; `[]` if not given. */
export function listFlag(options: FlagOptions & { required?: true | When }): Flag<string[]> {
  const base = flagBase('list', 'TEXT', options, null);
  return { ...base, required: options.required ?? false, read: (texts) => [...texts], absent: () => [] };
}

/** `--providers speedycab,metrobike`, also repeated. */
export function namesFlag(options: FlagOptions & { required?: true | When }): Flag<string[]> {
  return { ...listFlag(options), placeholder: 'NAMES', read: (texts) => texts.flatMap(namesIn) };
}

function namesIn(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (!names.includes('')) return names;
  throw new BadValue(`must be comma-separated names, not "${text}"`);
}

function singleValueFlag<T>(
  kind: FlagKind,
  placeholder: string,
  options: ScalarOptions<T>,
  read: (given: string) => T,
  write: (value: T) => string,
): Flag<T | undefined> {
  const initial = options.default;
  return {
    ...flagBase(kind, placeholder, options, initial === undefined ? null : write(initial)),
    required: options.required ?? false,
    read: (texts) => read(last(texts)),
    absent: () => initial,
  };
}

function flagBase(kind: FlagKind, placeholder: string, options: FlagOptions, defaultText: string | null) {
  return {
    kind,
    summary: options.summary,
    placeholder: options.placeholder ?? placeholder,
    question: options.question ?? null,
    isAskedLater: options.isAskedLater ?? false,
    check: options.check ?? null,
    short: options.short ?? null,
    aliases: options.aliases ?? [],
    group: options.group ?? null,
    secret: options.secret ?? false,
    choices: [],
    negatable: false,
    hasOptionalValue: false,
    required: false,
    defaultText,
  };
}

function last(texts: readonly string[]): string {
  return texts.at(-1) ?? '';
}

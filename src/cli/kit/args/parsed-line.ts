import { Argument, Command, CommanderError, Option } from 'commander';
import { type FailureDetails, UsageError } from '../errors/failure.ts';
import { argvOf, dashed, type Invocation, type Text } from '../result/message.ts';
import { columnName, columnNames } from '../result/result.ts';
import type { Origin } from './flags.ts';
import { type GlobalName, globalFlags, globalsFor } from './global-flags.ts';
import { type CommandSpec, envVarOf, type Flags, flagLabel, flagsOfEnvVar, type Raw } from './input.ts';
import { didYouMean } from './suggestions.ts';

/** A command line split into texts, before they are parsed. */
export interface Parsed {
  own: Raw;
  global: Raw;
  /** The origin of each global flag with a text. */
  origins: ReadonlyMap<string, Origin>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The texts of each flag, by its name in the code, in order. */
export type Texts = ReadonlyMap<string, readonly string[]>;

/** Combines the input of a line with the environment. Throws UsageError. */
export function parsedOf(
  command: CommandSpec,
  { words, texts }: { words: readonly string[]; texts: Texts },
  environment: Environment,
): Parsed {
  const globals = globalsFor(command);
  const given = new Map(texts);
  const origins = new Map<string, Origin>([...given.keys()].map((name) => [name, 'flag']));
  addFromEnvironment({ ...globals, ...command.flags }, environment, given, origins);
  checkFormat(given, origins, command);
  return {
    own: { flags: only(given, command.flags), words, origins },
    global: { flags: only(given, globals), words: [], origins },
    origins,
  };
}

function addFromEnvironment(
  flags: Flags,
  environment: Environment,
  given: Map<string, readonly string[]>,
  origins: Map<string, Origin>,
): void {
  // Looking up the variable of each flag would take longer than listing the existing variables.
  const named = new Set(Object.keys(environment).flatMap(flagsOfEnvVar));
  for (const [name, flag] of Object.entries(flags)) {
    const text = named.has(name) ? environment[envVarOf(name)] : undefined;
    if (text === undefined || text === '' || given.has(name) || isOverruled(name, given, origins)) continue;
    if (name === 'json') {
      if (!isOff(text)) given.set(name, [/^(1|true|yes|on)$/.test(text) ? '' : text]);
    } else given.set(name, flag.kind === 'list' ? text.split('\n') : [text]);
    origins.set(name, 'environment');
  }
}

/** The flags that select the format: a single choice, although some can be combined. */
const choosing = ['json', 'output', 'jq'];

/** A format flag on the line overrides the environment variables of all format flags. */
function isOverruled(name: string, given: Texts, origins: ReadonlyMap<string, Origin>): boolean {
  const isTyped = (other: string) => given.has(other) && origins.get(other) === 'flag';
  return choosing.includes(name) && choosing.some(isTyped);
}

/** Throws UsageError if format flags conflict. */
function checkFormat(
  given: Texts,
  origins: ReadonlyMap<string, Origin>,
  command: Pick<CommandSpec, 'columns'>,
): void {
  const format = given.get('output')?.at(-1);
  const isOther = format !== undefined && format !== 'json' && format !== 'ndjson';
  const label = (name: string) => (origins.get(name) === 'environment' ? envVarOf(name) : flagLabel(name));
  const refuse = (name: string, other: string, details: FailureDetails = {}) => {
    throw new UsageError(`${label(name)} and ${other} cannot be used together.`, details);
  };
  const fields = given.get('json')?.at(-1) ?? '';
  if (given.has('columns') && fields !== '') refuse('json', label('columns'));
  for (const name of ['json', 'jq'])
    if (given.has(name) && isOther)
      refuse(name, `${label('output')} ${format}`, columnsMeant(fields, format ?? '', command));
}

/** Suggests `-o csv --columns id,status` for `--json=id,status -o csv`. */
function columnsMeant(
  fields: string,
  format: string,
  { columns }: Pick<CommandSpec, 'columns'>,
): FailureDetails {
  const known = columnNames(columns);
  const names = fields.split(',').map((field) => columnName(field.split('.').at(-1) ?? ''));
  const found = names.filter((name) => known.includes(name));
  return found.length === 0 ? {} : { hint: `Did you mean -o ${format} --columns ${found.join(',')}?` };
}

function isOff(text: string): boolean {
  return /^(0|false|no|off)$/.test(text);
}

function only(given: Texts, flags: Flags): Texts {
  return new Map([...given].filter(([name]) => Object.hasOwn(flags, name)));
}

/** True if flags or the environment select JSON; used for errors of lines that could not be parsed. */
export function wantsJson(texts: Texts, environment: Environment): boolean {
  const isJson = (format: string | undefined) => format === 'json' || format === 'ndjson';
  if (texts.has('json') || texts.has('jq')) return true;
  if (texts.has('output')) return texts.get('output')?.some(isJson) === true;
  const json = environment[envVarOf('json')] ?? '';
  if ((json !== '' && !isOff(json)) || environment[envVarOf('jq')]) return true;
  return isJson(environment[envVarOf('output')]);
}

/** The global flags of this line that a suggested command needs too. */
export interface ContextFlags {
  /** Flags that select the account. */
  account: readonly string[];
  /** Flags that select the format. */
  format: readonly string[];
}

export const noContextFlags: ContextFlags = { account: [], format: [] };

/** Returns the flags of a line without those from the environment, which also applies to the suggested command. */
export function contextFlagsOf({ global, origins }: Pick<Parsed, 'global' | 'origins'>): ContextFlags {
  const words = (...names: GlobalName[]) =>
    names
      .filter((name) => origins.get(name) === 'flag')
      .flatMap((name) => flagWords(name, global.flags.get(name) ?? []));
  // Evaluated lazily, as few results suggest a command.
  return {
    get account() {
      return words('profile', 'baseUrl', 'apiKeyFile');
    },
    get format() {
      return words('output', 'json', 'columns', 'raw', 'jq', 'time');
    },
  };
}

function flagWords(name: GlobalName, texts: readonly string[]): string[] {
  const { kind, bare } = globalFlags[name];
  const text = kind === 'list' ? texts.join(',') : (texts.at(-1) ?? '');
  if (kind === 'switch') return [flagLabel(text === 'false' ? `no-${name}` : name)];
  if (!bare) return [flagLabel(name), text];
  return [text === '' ? flagLabel(name) : `${flagLabel(name)}=${text}`];
}

/** These commands use no account. */
const withoutAccount: readonly string[] = ['profiles', 'start', 'serve', 'help', 'commands', 'openapi'];

/** Adds the account flags of this run to a command, unless it has its own. */
export function withContextFlags<T extends Invocation>(line: T, { account }: ContextFlags): T {
  const [noun = ''] = argvOf(line);
  const isElsewhere =
    noun === '' ||
    withoutAccount.includes(noun) ||
    line.args.some((arg) => /^--(?:profile|base-url)(?:=|$)/.test(arg));
  return isElsewhere || account.length === 0 ? line : { ...line, context: account };
}

/**
 * Adds the values of a command's configuration file to a line. A flag and an environment variable override the file.
 * Throws UsageError.
 */
export async function withConfigFile(
  command: CommandSpec,
  parsed: Parsed,
  read: (path: string) => Promise<string>,
): Promise<Parsed> {
  const path = command.configFlag === null ? undefined : parsed.own.flags.get(command.configFlag)?.at(-1);
  if (path === undefined) return parsed;
  const flags = new Map(parsed.own.flags);
  const origins = new Map(parsed.origins);
  for (const [name, texts] of parseConfig(await read(path), path, command)) {
    if (flags.has(name)) continue;
    flags.set(name, texts);
    origins.set(name, 'file' satisfies Origin);
  }
  return { ...parsed, origins, own: { ...parsed.own, flags, origins } };
}

/** Parses lines of the form `name = value`, where the name is that of a flag, in quotes or not; `#` starts a comment. */
function parseConfig(
  text: string,
  path: string,
  { flags, configFlag }: CommandSpec,
): Map<string, readonly string[]> {
  const names = new Map(
    Object.keys(flags)
      .filter((name) => name !== configFlag)
      .map((name) => [dashed(name), name]),
  );
  const values = new Map<string, readonly string[]>();
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const place = `${path}, line ${index + 1}`;
    const [, label = '', value = ''] = /^([^\s=]+)\s*=\s*(.*)$/.exec(line) ?? [];
    if (label === '') throw new UsageError(`${place}: expected a setting such as \`port = 4010\`.`);
    const name = names.get(label);
    if (name === undefined) {
      const hint = didYouMean(label, [...names.keys()]);
      throw new UsageError(`${place}: unknown setting ${label}.`, hint === undefined ? {} : { hint });
    }
    const before = values.get(name) ?? [];
    if (before.length > 0 && flags[name]?.kind !== 'list')
      throw new UsageError(`${place}: ${label} is set twice.`);
    values.set(name, [...before, value.replace(/^(["'])(.*)\1$/, '$2')]);
  }
  return values;
}

/** The results of the parsers so far, which errors need. */
export interface LineState {
  /** The texts of each flag, by its name in the code, in order. */
  texts: Map<string, string[]>;
  /** The parsers of the commands found so far; the last one is active. */
  parsers: LineParser[];
  /** The tokens given to the last parser. */
  tokens: readonly string[];
  /** True for a global flag, even if the current command does not take it. */
  isProgramFlag(name: string): boolean;
}

export function newLineState(isProgramFlag: LineState['isProgramFlag'] = () => false): LineState {
  return { texts: new Map(), parsers: [], tokens: [], isProgramFlag };
}

/** The error for a flag whose value would be the next flag. */
export class FlagTakenAsValue extends Error {
  override name = 'FlagTakenAsValue';
  readonly found: FlagAsValue;

  constructor(found: FlagAsValue) {
    super(`${found.flag} would take ${found.value}`);
    this.found = found;
  }
}

interface ParserPart {
  name: string;
  aliases?: readonly string[];
  summary?: string;
}

interface ParserPlace {
  summary: string;
  choices: readonly string[];
  variadic: boolean;
}

/** A Commander command that neither prints nor exits, and collects the texts of its flags. */
export class LineParser extends Command {
  readonly #state: LineState;
  /** Alternatives to flags that the command does not have. */
  flagHints: Readonly<Record<string, Text>> = {};

  constructor({ name, aliases = [], summary = '' }: ParserPart, state: LineState) {
    super(name);
    this.#state = state;
    this.aliases(aliases)
      .summary(summary)
      .helpOption('-h, --help')
      .helpCommand(false)
      .exitOverride()
      .enablePositionalOptions()
      .showSuggestionAfterError(false)
      .configureOutput({ writeOut: () => {}, writeErr: () => {} });
  }

  /** Adds flags by their names in the code; `read` parses the texts of a flag so far. */
  addFlags<F extends OptionFlag>(
    flags: Readonly<Record<string, F>>,
    read: (flag: F, texts: readonly string[]) => unknown,
  ): this {
    const { texts } = this.#state;
    for (const [name, flag] of Object.entries(flags)) {
      const take: TakeText = (_, text) => {
        const all = [...(texts.get(name) ?? []), text];
        texts.set(name, all);
        return read(flag, all);
      };
      for (const option of optionsOf(name, flag, take)) this.addOption(option);
    }
    return this;
  }

  /** Adds positionals. None is required here: missing ones are prompted for or reported together with missing flags. */
  addPlaces(places: Readonly<Record<string, ParserPlace>>): this {
    for (const [name, { summary, choices, variadic }] of Object.entries(places)) {
      const argument = new Argument(variadic ? `[${name}...]` : `[${name}]`, summary);
      this.addArgument(choices.length === 0 ? argument : argument.choices(choices).argParser((word) => word));
    }
    return this;
  }

  /** Parses the flags of this command. Throws FlagTakenAsValue. */
  override parseOptions(argv: string[]): { operands: string[]; unknown: string[] } {
    const isLeaf = this.commands.length === 0;
    const typed = withHelpLast(argv);
    const tokens = this.#withOwnValues(typed);
    this.#state.parsers.push(this);
    this.#state.tokens = tokens;
    // The parser of the subcommand parses everything after its name.
    const next = isLeaf ? -1 : tokens.findIndex((token) => this.#isCommand(token));
    const isHelp = isLeaf && tokens.at(-1) === help && !tokens.includes('--');
    if (isHelp) {
      this.#readLeniently(tokens.slice(0, -1));
      return { operands: [], unknown: [help] };
    }
    const { isProgramFlag } = this.#state;
    const own = next === -1 ? typed : typed.slice(0, next);
    const found = findFlagAsValue(own, this.options, isProgramFlag);
    if (found === null) return this.#withCommandFirst(super.parseOptions(tokens));
    this.#readLeniently(tokens.toSpliced(found.index, 1));
    throw new FlagTakenAsValue(found);
  }

  /** Keeps the flags that decide how help and errors are written, even if the line has faults. */
  #readLeniently(tokens: string[]): void {
    try {
      super.parseOptions(tokens);
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
    }
  }

  /** Flags of a command may precede its name: `--all orders list`. */
  #withCommandFirst({ operands, unknown }: { operands: string[]; unknown: string[] }) {
    const at = unknown.findIndex((token) => !token.startsWith('-'));
    const word = unknown[at];
    if (operands.length > 0 || word === undefined || !this.#isCommand(word)) return { operands, unknown };
    return { operands: [word], unknown: unknown.toSpliced(at, 1) };
  }

  #isCommand(word: string): boolean {
    return this.commands.some((command) => command.name() === word || command.aliases().includes(word));
  }

  /** A flag with an optional value never takes the next word: only `--json=id,status` has a value. */
  #withOwnValues(tokens: readonly string[]): string[] {
    const end = tokens.indexOf('--');
    const isBare = (token: string) =>
      this.options.some((option) => option.optional && isTypedSo(option, token));
    return tokens.map((token, index) => ((end === -1 || index < end) && isBare(token) ? `${token}=` : token));
  }
}

const help = '--help';

/** Moves a help flag before `--` to the end, so that help is shown even if the line has faults. */
function withHelpLast(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  const line = end === -1 ? argv : argv.slice(0, end);
  const isHelp = (token: string) => token === help || token === '-h';
  if (!line.some(isHelp)) return argv;
  return [...line.filter((token) => !isHelp(token)), help];
}

/** The properties of a flag that its option needs. */
interface OptionFlag {
  kind: string;
  summary: string;
  placeholder: string;
  short: string | null;
  aliases: readonly string[];
  choices: readonly string[];
  negatable: boolean;
  /** The value is optional and only given after `=`. */
  bare: boolean;
  defaultText: string | null;
  absent(): unknown;
}

/** Receives each text of a flag in order and returns the flag's value so far. */
type TakeText = (name: string, text: string) => unknown;

/** A Commander option for one name of a flag: all names set the same value. */
class FlagOption extends Option {
  readonly name_in_code: string;

  constructor(names: string, flag: OptionFlag, name: string, take: TakeText) {
    super(names, flag.summary);
    this.name_in_code = name;
    // A flag's own name may start with `no-`, which Commander takes for the negation of another.
    const isDenial = this.negate && this.name() !== dashed(name);
    this.negate = isDenial;
    this.preset(isDenial ? 'false' : 'true');
    if (flag.choices.length > 0) this.choices(flag.choices);
    this.argParser((text) => take(name, text));
  }

  override attributeName(): string {
    return this.name_in_code;
  }
}

/** True if the token is one of the option's names: `--output`, `-o`. */
export function isTypedSo({ long, short }: Option, token: string): boolean {
  return token !== '' && (long === token || short === token);
}

/** The options of a flag: its name with its short form, each alias, and its negation. */
function optionsOf(name: string, flag: OptionFlag, take: TakeText): FlagOption[] {
  const long = dashed(name);
  const value = flag.kind === 'switch' ? '' : flag.bare ? ` [${flag.placeholder}]` : ` <${flag.placeholder}>`;
  const short = flag.short === null ? '' : `-${flag.short}, `;
  const main = new FlagOption(`${short}--${long}${value}`, flag, name, take);
  main.default(flag.absent(), flag.defaultText ?? undefined);
  const others = flag.aliases.map((alias) => new FlagOption(`--${alias}${value}`, flag, name, take));
  const denial = flag.negatable ? [new FlagOption(`--no-${long}`, flag, name, take)] : [];
  return [main, ...[...others, ...denial].map((option) => option.hideHelp())];
}

/** A flag whose value would be the next flag. */
interface FlagAsValue {
  /** Its index in the tokens. */
  index: number;
  flag: string;
  value: string;
}

/**
 * Finds a flag whose value would be the following flag, as with an unquoted empty variable: `--ref $REF --dry-run` must
 * not create an order with the reference `--dry-run`.
 */
function findFlagAsValue(
  tokens: readonly string[],
  options: readonly Option[],
  isProgramFlag: (name: string) => boolean,
): FlagAsValue | null {
  for (let index = 0; index < tokens.length && tokens[index] !== '--'; index += 1) {
    const flag = tokens[index] ?? '';
    if (!takesNext(flag, options)) continue;
    const value = tokens[index + 1];
    if (value !== undefined && isFlag(value, options, isProgramFlag)) return { index, flag, value };
    index += 1;
  }
  return null;
}

/** The last of several short flags may take a value: `-qo json`. An earlier one takes the rest of the token. */
function takesNext(token: string, options: readonly Option[]): boolean {
  const takesValue = (name: string) => options.some((option) => isTypedSo(option, name) && option.required);
  if (token.startsWith('--') || token.length < 3) return takesValue(token);
  const letters = /^-([a-z]+)$/i.exec(token)?.[1] ?? '';
  const isSwitch = (letter: string) =>
    options.some((option) => isTypedSo(option, `-${letter}`) && option.isBoolean());
  const first = [...letters].findIndex((letter) => !isSwitch(letter));
  return first !== -1 && first === letters.length - 1 && takesValue(`-${letters[first]}`);
}

/** True for an existing flag, with or without a value: other text that starts with a dash is a value. */
function isFlag(word: string, options: readonly Option[], isProgramFlag: (name: string) => boolean): boolean {
  if (word === '--' || word === '--help' || word === '-h') return true;
  const name = /^(--?[\w-]+)(?:=.*)?$/s.exec(word)?.[1] ?? '';
  return options.some((option) => isTypedSo(option, name)) || isProgramFlag(name);
}

/**
 * The parser of one command, based on Commander. `waybill orders list --all` has three: of the program, `orders` and
 * `list`. They collect the texts of flags in one `LineState`, `all: ['true']`, which `command-input.ts` reads as values.
 */
import { Argument, Command, CommanderError, Option } from 'commander';
import { dashed, type NextStep, type Text } from '../result/message.ts';
import type { Flags, Named, PositionalSpecs } from './command-input.ts';
import type { Flag } from './flags.ts';

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

/** A flag whose value would be the next flag. */
interface FlagAsValue {
  /** The index of the flag in the tokens. */
  index: number;
  flag: string;
  /** The next word, which is a flag. */
  value: string;
}

/** The fault of a line: a flag without its value, followed by another flag. */
export class FlagTakenAsValue extends Error {
  override name = 'FlagTakenAsValue';
  readonly found: FlagAsValue;

  constructor(found: FlagAsValue) {
    super(`${found.flag} would take ${found.value}`);
    this.found = found;
  }
}

/** A Commander command that neither prints nor exits, and collects the texts of its flags. */
export class LineParser extends Command {
  readonly #state: LineState;
  /** Alternatives to flags that the command does not have. */
  flagHints: Readonly<Record<string, Text>> = {};
  flagSteps: Readonly<Record<string, readonly NextStep[]>> = {};

  constructor({ name, aliases }: Named, state: LineState) {
    super(name);
    this.#state = state;
    this.aliases(aliases)
      .helpOption('-h, --help')
      .helpCommand(false)
      .exitOverride()
      .enablePositionalOptions()
      .showSuggestionAfterError(false)
      .configureOutput({ writeOut: () => {}, writeErr: () => {} });
  }

  /** Adds flags by their names in the code. */
  addFlags(flags: Flags): this {
    const { texts } = this.#state;
    for (const [name, flag] of Object.entries(flags)) {
      const take = (text: string) => {
        texts.set(name, [...(texts.get(name) ?? []), text]);
      };
      for (const option of optionsOf(name, flag, take)) this.addOption(option);
    }
    return this;
  }

  /** Adds positionals. None is required here: missing ones are prompted for or reported together with missing flags. */
  addPositionals(positionals: PositionalSpecs): this {
    for (const [name, { variadic }] of Object.entries(positionals))
      this.addArgument(new Argument(variadic ? `[${name}...]` : `[${name}]`));
    return this;
  }

  /** Parses the flags of this command. Throws FlagTakenAsValue. */
  override parseOptions(argv: string[]): { operands: string[]; unknown: string[] } {
    const isLeaf = this.commands.length === 0;
    const typed = this.#withPeriods(withHelpLast(argv));
    const tokens = this.#withEmptyValues(typed);
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
    const tokensOfCommand = next === -1 ? typed : typed.slice(0, next);
    const flagAsValue = findFlagAsValue(tokensOfCommand, this.options, isProgramFlag);
    if (flagAsValue === null) return this.#withCommandFirst(super.parseOptions(tokens));
    this.#readLeniently(tokens.toSpliced(flagAsValue.index, 1));
    throw new FlagTakenAsValue(flagAsValue);
  }

  /** Keeps the flags that decide how help and errors are written, even if the line has faults. */
  #readLeniently(tokens: string[]): void {
    try {
      super.parseOptions(tokens);
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
    }
  }

  /** Moves the name of a command before its flags, which may precede it: `--all orders list`. */
  #withCommandFirst({ operands, unknown }: { operands: string[]; unknown: string[] }) {
    const at = unknown.findIndex((token) => !token.startsWith('-'));
    const word = unknown[at];
    if (operands.length > 0 || word === undefined || !this.#isCommand(word)) return { operands, unknown };
    return { operands: [word], unknown: unknown.toSpliced(at, 1) };
  }

  /** Replaces `--yesterday` and `--last-week` by `--period yesterday` and `--period 'last week'`. */
  #withPeriods(tokens: readonly string[]): readonly string[] {
    const end = endOfFlags(tokens);
    if (!hasOption(this.options, '--period')) return tokens;
    return tokens.map((token, index) => {
      const word = index < end ? periodWord.exec(token)?.[1] : undefined;
      return word === undefined ? token : `--period=${word.replace('-', ' ')}`;
    });
  }

  #isCommand(word: string): boolean {
    return this.commands.some((command) => command.name() === word || command.aliases().includes(word));
  }

  /**
   * Adds `=` to a flag with an optional value, unless the next word matches the values that it takes: after `--json` alone,
   * Commander would take the next word as its value.
   */
  #withEmptyValues(tokens: readonly string[]): string[] {
    const end = endOfFlags(tokens);
    const isBare = (token: string, next: string) =>
      this.options.some((option) => option.optional && hasName(option, token) && !takes(option, next));
    return tokens.map((token, index) =>
      index < end && isBare(token, tokens[index + 1] ?? '') ? `${token}=` : token,
    );
  }
}

const help = '--help';
const periodWord = /^--(today|yesterday|(?:this-|last-)?(?:week|month))$/;

/** The index of `--`, after which all tokens are words; the length of the line without one. */
function endOfFlags(tokens: readonly string[]): number {
  const end = tokens.indexOf('--');
  return end === -1 ? tokens.length : end;
}

/** True if only `-h` asks for help: `--help` shows all of it. */
export function isShortHelp(argv: readonly string[]): boolean {
  return !argv.slice(0, endOfFlags(argv)).includes(help);
}

/** Moves a help flag before `--` to the end, so that help is shown even if the line has faults. */
function withHelpLast(argv: readonly string[]): readonly string[] {
  const line = argv.slice(0, endOfFlags(argv));
  const isHelp = (token: string) => token === help || token === '-h';
  if (!line.some(isHelp)) return argv;
  return [...line.filter((token) => !isHelp(token)), help];
}

/** Whether a flag with an optional value takes the next word as its value. */
function takes(option: Option, word: string): boolean {
  return option instanceof FlagOption && option.taken?.test(word) === true;
}

/** A Commander option for one name of a flag: all names set the same value. */
class FlagOption extends Option {
  readonly name_in_code: string;
  /** Matches a next word that is the value of the flag, if the value is optional. */
  readonly taken: RegExp | null;

  constructor(names: string, flag: Flag<unknown>, name: string, take: (text: string) => void) {
    super(names, flag.summary);
    this.name_in_code = name;
    this.taken = typeof flag.hasOptionalValue === 'boolean' ? null : flag.hasOptionalValue;
    // A flag's own name may start with `no-`, which Commander takes for the negation of another.
    const isDenial = this.negate && this.name() !== dashed(name);
    this.negate = isDenial;
    this.preset(isDenial ? 'false' : 'true');
    if (flag.choices.length > 0) this.choices(flag.choices);
    this.argParser(take);
  }

  override attributeName(): string {
    return this.name_in_code;
  }
}

/** True if the token is one of the option's names: `--output`, `-o`. */
export function hasName({ long, short }: Option, token: string): boolean {
  return token !== '' && (long === token || short === token);
}

export function hasOption(options: readonly Option[], token: string): boolean {
  return options.some((option) => hasName(option, token));
}

/** The options of a flag: its name with its short form, its aliases, its negation. `take` gets each text in order. */
function optionsOf(name: string, flag: Flag<unknown>, take: (text: string) => void): FlagOption[] {
  const long = dashed(name);
  const value =
    flag.kind === 'switch' ? '' : flag.hasOptionalValue ? ` [${flag.placeholder}]` : ` <${flag.placeholder}>`;
  const short = flag.short === null ? '' : `-${flag.short}, `;
  const names = [`${short}--${long}${value}`, ...flag.aliases.map((alias) => `--${alias}${value}`)];
  if (flag.negatable) names.push(`--no-${long}`);
  return names.map((typed) => new FlagOption(typed, flag, name, take));
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
    if (!takesNextToken(flag, options)) continue;
    const value = tokens[index + 1];
    if (value !== undefined && isFlag(value, options, isProgramFlag)) return { index, flag, value };
    index += 1;
  }
  return null;
}

/** The last of several short flags may take a value: `-qo json`. An earlier one takes the rest of the token. */
function takesNextToken(token: string, options: readonly Option[]): boolean {
  const takesValue = (name: string) => options.some((option) => hasName(option, name) && option.required);
  if (token.startsWith('--') || token.length < 3) return takesValue(token);
  const letters = /^-([a-z]+)$/i.exec(token)?.[1] ?? '';
  const isSwitch = (letter: string) =>
    options.some((option) => hasName(option, `-${letter}`) && option.isBoolean());
  const first = [...letters].findIndex((letter) => !isSwitch(letter));
  return first !== -1 && first === letters.length - 1 && takesValue(`-${letters[first]}`);
}

/** True for an existing flag, with or without a value: other text that starts with a dash is a value. */
function isFlag(word: string, options: readonly Option[], isProgramFlag: (name: string) => boolean): boolean {
  if (word === '--' || word === '--help' || word === '-h') return true;
  const name = /^(--?[\w-]+)(?:=.*)?$/s.exec(word)?.[1] ?? '';
  return hasOption(options, name) || isProgramFlag(name);
}

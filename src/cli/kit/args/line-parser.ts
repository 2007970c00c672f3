import { Argument, Command, CommanderError } from 'commander';
import type { Text } from '../result/message.ts';
import { isTypedSo, type OptionFlag, optionsOf, type TakeText } from './flag-option.ts';
import { type FlagAsValue, findFlagAsValue } from './reject-flag-as-value.ts';

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
  /** What to do instead of flags that the command does not have. */
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

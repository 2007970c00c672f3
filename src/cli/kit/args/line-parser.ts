import { Argument, Command, CommanderError } from 'commander';
import { isTypedSo, type OptionFlag, optionsOf, type TakeText } from './flag-option.ts';
import { type FlagAsValue, findFlagAsValue } from './reject-flag-as-value.ts';

/** What the parsers of a line have found so far; errors are told with it. */
export interface LineState {
  /** The texts of each flag, by its name in the code, in the order of the line. */
  texts: Map<string, string[]>;
  /** The parsers of the words found so far; the last is the one at work. */
  parsers: LineParser[];
  /** What the last parser was given to read. */
  tokens: readonly string[];
  /** Whether a word is a flag of the program, even where the command at hand does not take it. */
  isProgramFlag(name: string): boolean;
}

export function newLineState(isProgramFlag: LineState['isProgramFlag'] = () => false): LineState {
  return { texts: new Map(), parsers: [], tokens: [], isProgramFlag };
}

/** The value of a flag is the flag behind it. */
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

/** A command of Commander's that neither prints nor ends the process, and keeps the texts of its flags. */
export class LineParser extends Command {
  readonly #state: LineState;

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

  /** Adds flags by their names in the code; `read` gives the value of the texts that a flag has so far. */
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

  /** Adds positionals. What is missing is asked for or named together with all else, so that none is required here. */
  addPlaces(places: Readonly<Record<string, ParserPlace>>): this {
    for (const [name, { summary, choices, variadic }] of Object.entries(places)) {
      const argument = new Argument(variadic ? `[${name}...]` : `[${name}]`, summary);
      this.addArgument(choices.length === 0 ? argument : argument.choices(choices).argParser((word) => word));
    }
    return this;
  }

  /** Reads the flags of this command out of a line. Throws FlagTakenAsValue. */
  override parseOptions(argv: string[]): { operands: string[]; unknown: string[] } {
    const isLeaf = this.commands.length === 0;
    const typed = withHelpLast(argv);
    const tokens = this.#withOwnValues(typed);
    this.#state.parsers.push(this);
    this.#state.tokens = tokens;
    // What stands behind the name of a command is for the parser of that one.
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

  /** Keeps what the flags say of how help and errors are written, whatever else is wrong with the line. */
  #readLeniently(tokens: string[]): void {
    try {
      super.parseOptions(tokens);
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
    }
  }

  /** Flags of a command may stand before its name: `--all orders list`. */
  #withCommandFirst({ operands, unknown }: { operands: string[]; unknown: string[] }) {
    const at = unknown.findIndex((token) => !token.startsWith('-'));
    const word = unknown[at];
    if (operands.length > 0 || word === undefined || !this.#isCommand(word)) return { operands, unknown };
    return { operands: [word], unknown: unknown.toSpliced(at, 1) };
  }

  #isCommand(word: string): boolean {
    return this.commands.some((command) => command.name() === word || command.aliases().includes(word));
  }

  /** A flag whose value is optional never takes the next word: only `--json=id,status` has a value. */
  #withOwnValues(tokens: readonly string[]): string[] {
    const end = tokens.indexOf('--');
    const isBare = (token: string) =>
      this.options.some((option) => option.optional && isTypedSo(option, token));
    return tokens.map((token, index) => ((end === -1 || index < end) && isBare(token) ? `${token}=` : token));
  }
}

const help = '--help';

/** Asked for anywhere in the line, before `--`, help goes before everything that is wrong with the line. */
function withHelpLast(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  const line = end === -1 ? argv : argv.slice(0, end);
  const isHelp = (token: string) => token === help || token === '-h';
  if (!line.some(isHelp)) return argv;
  return [...line.filter((token) => !isHelp(token)), help];
}

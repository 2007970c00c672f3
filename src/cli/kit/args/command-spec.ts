import type { Format } from '../output/formats.ts';
import type { Invocation, Text } from '../result/message.ts';
import type { ColumnHead } from '../result/result.ts';
import type { Flag, Given, Origin } from './flags.ts';

/** The effect of a command on the service: none, it reads, or it may change records. */
export type Effect = 'none' | 'read' | 'write';

/** A positional argument of a command: how it is described, and how its words become a value. */
export interface PositionalSpec<T> {
  /** The kind of record whose ID it takes, or `file` or `text`. */
  kind: string;
  summary: string;
  required: boolean | ((given: Given) => boolean);
  /** The words that it accepts; empty if it accepts any. */
  choices: readonly string[];
  /** Takes all remaining words; only the last positional can. */
  variadic: boolean;
  /** Whether only open orders and draft routes are offered to pick from. */
  onlyOpen?: boolean;
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
export interface Raw {
  flags: ReadonlyMap<string, readonly string[]>;
  words: readonly string[];
  /** The origin of each flag with a text; absent: all were typed. */
  origins?: ReadonlyMap<string, Origin>;
}

/** The inputs that are missing or invalid. */
export interface InputFaults {
  missing: readonly MissingInput[];
  bad: readonly BadInput[];
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

export interface BadInput {
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
  /** What to do instead, by flags that people expect but the command does not have: `--dropoff-address`. */
  flagHints: Readonly<Record<string, Text>>;
  /** The command that is meant by an argument which this command does not take, such as `whoami 1042`. */
  meantByWord: ((word: string) => Invocation) | null;
  /** The flag that names a file with values for the other flags. */
  configFlag: string | null;
  positionals: PositionalSpecs;
  examples: readonly Example[];
  effect: Effect;
  /** Whether it takes `--yes`. */
  confirms: boolean;
  /** Whether the given input already shows that it will ask for a confirmation. */
  asksYes(raw: Raw): boolean;
  /** The output formats that it supports. */
  formats: readonly Format[];
  /** The columns of its result, for `--columns`; empty if it has none to choose from. */
  columns: readonly ColumnHead[];
  /** Not listed in help. */
  hidden: boolean;
  check(raw: Raw): InputFaults;
}

/** The commands of a group by their names, each loaded only when it is typed. */
export type Verbs<C extends CommandSpec = CommandSpec> = Readonly<Record<string, () => Promise<C>>>;

/** An entry that is typed by its name or by an alias. */
export interface Named {
  name: string;
  aliases: readonly string[];
}

/** The entry with this name or alias. */
export function named<T extends Named>(all: readonly T[], word: string): T | undefined {
  return all.find(({ name }) => name === word) ?? all.find(({ aliases }) => aliases.includes(word));
}

interface Listed extends Named {
  summary: string;
  /** Heading in the help of the program. */
  section: string;
}

/** Commands under one word: `orders create`. */
export interface Group<C extends CommandSpec = CommandSpec> extends Listed {
  /** Loaded lazily, as a line names only one group. */
  verbs(): Verbs<C>;
}

/** A command of one word: `whoami`. */
export interface Single<C extends CommandSpec = CommandSpec> extends Listed {
  /** The exported command of its file, in a list of one. */
  load(): Promise<{ commands: readonly [C] }>;
}

/** Every command of a program. */
export interface CommandTree<C extends CommandSpec = CommandSpec> {
  /** The name of the program. */
  name: string;
  /** The headings of the program's help, in their order. */
  sections: readonly string[];
  groups: readonly Group<C>[];
  singles: readonly Single<C>[];
  /** The command for a line without a command: it runs in a terminal, or if the line starts with one of its flags. */
  bareCommand: string;
}

/** All commands of a group, in the order of help. */
export async function commandsOf<C extends CommandSpec>({ verbs }: Pick<Group<C>, 'verbs'>): Promise<C[]> {
  return Promise.all(Object.values(verbs()).map((load) => load()));
}

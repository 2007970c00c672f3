/**
 * The definition of a command, and the context that it runs in. A command is exported from the file of its noun:
 *
 *     export const getStore = defineCommand({
 *       name: 'get',
 *       summary: 'Show a store',
 *       positionals: { store: positional('store', { summary: 'The store' }) },
 *       examples: [{ command: 'waybill stores get str_1', summary: 'One store' }],
 *       effect: 'read',
 *       answers: ({ one }) => [one('stores.get')],
 *       async run(context, { positionals }) { ... },
 *     });
 */
import type { Client } from '../../client/client.ts';
import type { Feature } from '../../client/service-features.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import type { Transport } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import type { OwnCode } from '../errors/error-codes.ts';
import {
  type CommandSpec,
  type CommandTree,
  connectionFlagNames,
  type Example,
  type Flags,
  findFaults,
  givenInput,
  hasEach,
  type PositionalSpec,
  type RawInput,
  readFlags,
  readPositionals,
  repeatedFilters,
} from '../kit/args/command-input.ts';
import { type Choices, type Flag, type GivenInput, readChoice } from '../kit/args/flags.ts';
import type { GlobalName, GlobalValues } from '../kit/args/global-flags.ts';
import type { Host, Prompts, Signal } from '../kit/host/host.ts';
import type { OutputSettings } from '../kit/output/output-settings.ts';
import type { Progress } from '../kit/output/progress.ts';
import type { Invocation, NextStep, StepObject, Text } from '../kit/result/message.ts';
import { type ColumnHead, formats, type Result, withAskedColumns } from '../kit/result/result.ts';
import type { Answer, AnswerBuilder } from '../kit/result/shape.ts';
import type { RecordName } from '../records.ts';
import type { Settings } from '../settings/settings.ts';

/** The definition of a command in its source; `CommandSpec` says what each field means. */
interface Definition<F extends Flags, P extends Positionals>
  extends Pick<CommandSpec, 'name' | 'summary' | 'effect'>,
    Partial<Pick<CommandSpec, keyof typeof defaults | 'connectionFlags'>> {
  positionals?: P;
  flags?: F;
  /** Flags of which one is required if prompting is impossible. */
  oneOf?: readonly ((keyof F & string) | GlobalName)[];
  examples: readonly [Example, ...Example[]];
  /** It may ask for confirmation and so takes `--yes`; a function decides by the input whether it will. */
  confirms?: true | ((given: GivenInput) => boolean);
  configFlag?: keyof F & string;
  calls?: readonly OperationName[];
  answers?(of: ResultBuilder): readonly Answer[];
  errors?: readonly (OwnCode | ErrorCode)[];
  run(context: Context, input: Input<F, P>): Promise<Result> | Result;
}

export interface Command extends CommandSpec {
  positionals: Positionals;
  /** Parses the texts, which check() accepted, and returns the function to run. */
  prepare(raw: RawInput): (context: Context) => Promise<Result>;
}

/** Creates a command from its definition; flags and positionals determine the types of its input. */
export function defineCommand<const F extends Flags = Empty, const P extends Positionals = Empty>(
  definition: Definition<F, P>,
): Command {
  const { columns = [], positionals: positionalSpecs = {}, confirms, run } = definition;
  const flags = withColumns(definition.flags ?? {}, columns);
  return {
    ...defaults,
    connectionFlags: definition.effect === 'none' ? [] : connectionFlagNames,
    ...definition,
    flags,
    positionals: positionalSpecs,
    confirms: confirms !== undefined,
    willAskConfirmation: (raw) =>
      typeof confirms === 'function' && confirms(givenInput(positionalSpecs, raw)),
    check: (raw) => {
      const faults = findFaults(flags, positionalSpecs, raw, definition.oneOf);
      const isList =
        definition.effect === 'read' && ['limit', 'period'].some((name) => Object.hasOwn(flags, name));
      return isList ? { ...faults, invalid: [...repeatedFilters(flags, raw), ...faults.invalid] } : faults;
    },
    prepare(raw) {
      const input = typedInput(definition, flags, raw);
      return async (context) => {
        const result = await run(context, input);
        return result.kind === 'list' ? withAskedColumns(result, input.given) : result;
      };
    },
  };
}

/** The fields of a command whose definition does not have them. */
const defaults = {
  aliases: [],
  description: null,
  flagHints: {},
  flagSteps: {},
  meantByWord: null,
  asksInstead: false,
  configFlag: null,
  confirmsWhen: '',
  formats,
  columns: [],
  calls: null,
  answers: () => [],
  exits: {},
  errors: [],
  related: [],
} satisfies Partial<CommandSpec>;

/** Gives the flags that take names of columns, such as `--sort`, those of the command. */
function withColumns(flags: Flags, columns: readonly ColumnHead[]): Flags {
  const entries = Object.entries(flags).map(([name, flag]) => [
    name,
    { ...flag, ...flag.ofColumns?.(columns) },
  ]);
  return Object.fromEntries(entries);
}

/** Reads the values of the given texts, which check() accepted. */
function typedInput<F extends Flags, P extends Positionals>(
  definition: Definition<F, P>,
  specs: Flags,
  raw: RawInput,
): Input<F, P> {
  const positionalSpecs = definition.positionals ?? {};
  const flags = readFlags(specs, raw);
  const words = readPositionals(positionalSpecs, raw);
  if (hasEach<FlagValues<F>>(specs, flags) && hasEach<PositionalValues<P>>(positionalSpecs, words))
    return { flags, positionals: words, given: givenInput(positionalSpecs, raw) };
  throw new TypeError(`the input of ${definition.name} is not whole`);
}

/** An operation of the contract by noun and verb: `orders.create`. */
type OperationName = {
  [N in keyof Operations & string]: `${N}.${keyof Operations[N] & string}`;
}[keyof Operations & string];

export type ResultBuilder = AnswerBuilder<OperationName>;

type Positionals = Readonly<Record<string, Positional<unknown>>>;
type Empty = Record<never, never>;
export type FlagValues<F extends Flags> = { [K in keyof F]: F[K] extends Flag<infer T> ? T : never };
type PositionalValues<P extends Positionals> = {
  [K in keyof P]: P[K] extends Positional<infer T> ? T : never;
};

export interface Input<F extends Flags, P extends Positionals> {
  flags: FlagValues<F>;
  positionals: PositionalValues<P>;
  /** Whether a flag or positional was given: on the line, in the environment or at a prompt. */
  given: GivenInput;
}

/** The kind of a positional; completion offers IDs of that kind. */
export type PositionalKind =
  | RecordName
  | 'quote'
  | 'courier'
  | 'provider'
  | 'scenario'
  | 'profile'
  | 'file'
  | 'text';

export interface Positional<T> extends PositionalSpec<T> {
  kind: PositionalKind;
}

interface PositionalOptions {
  summary: string;
  /** By default the positional is required. */
  optional?: true | ((given: GivenInput) => boolean);
  /** Offers only records with these statuses. */
  statuses?: readonly string[];
}

type Optional = PositionalOptions & Required<Pick<PositionalOptions, 'optional'>>;

/** A positional: an ID of one kind, or a text. */
export function positional(kind: PositionalKind, options: Optional): Positional<string | undefined>;
export function positional(kind: PositionalKind, options: PositionalOptions): Positional<string>;
export function positional(kind: PositionalKind, options: PositionalOptions): Positional<string | undefined> {
  const read = ([word]: readonly string[]) => (word === undefined ? word : wordOf(kind, word));
  return { ...optionsOf(kind, options), variadic: false, read };
}

/** A positional that takes one of a few words. */
export function choicePositional<const C extends string>(
  options: Optional & Choices<C>,
): Positional<C | undefined>;
export function choicePositional<const C extends string>(
  options: PositionalOptions & Choices<C>,
): Positional<C>;
export function choicePositional<const C extends string>(
  options: PositionalOptions & Choices<C>,
): Positional<C | undefined> {
  const { choices, otherNames } = options;
  const read = ([word]: readonly string[]) =>
    word === undefined ? word : readChoice(word, choices, otherNames);
  return { ...optionsOf('text', options), choices, variadic: false, read };
}

/** A positional that takes all remaining words: one or more, or any number if `optional`. */
export function positionals(kind: PositionalKind, options: PositionalOptions): Positional<string[]> {
  const read = (words: readonly string[]) => words.map((word) => wordOf(kind, word));
  return { ...optionsOf(kind, options), variadic: true, read };
}

/** A word without the line end or blanks that a script may leave around it. A path keeps them. */
function wordOf(kind: PositionalKind, word: string): string {
  return kind === 'file' ? word : word.trim();
}

function optionsOf(kind: PositionalKind, { summary, optional, statuses }: PositionalOptions) {
  const isFunction = typeof optional === 'function';
  const required = isFunction ? (given: GivenInput) => !optional(given) : optional === undefined;
  return { kind, summary, required, choices: [], statuses };
}

/** The access to the service that a command needs now, if it is less than its effect. */
export interface ServiceAccess {
  reads?: true | undefined;
  opensUnchanged?: true | undefined;
}

/** A request that another program has sent to this one: its key, and how requests with this key are sent. */
export interface KeyCaller {
  transport: Transport;
  apiKey: string;
  mode: 'test' | 'live';
  baseUrl: string;
}

/** The options of a confirmation. */
export interface ConfirmOptions {
  /** Asks in spite of --yes. */
  despiteYes?: boolean;
  /** What to pass instead of an answer; absent: --yes and the limits that are not given. */
  hint?: string;
  next?: NextStep | undefined;
}

/** The context of a command. Nothing here writes to stdout: a command returns its result. */
export interface Context {
  /** The command tree, for help, completion and `doctor`. */
  tree: CommandTree;
  /**
   * The service of the current profile; connects on the first call. A command that may change records is only connected
   * if the key has the profile's mode; one that only `reads` this time skips that check. One with `opensUnchanged`
   * leaves the embedded service as it is: no due work is done, and no key is created.
   */
  client(options?: ServiceAccess): Promise<Client>;
  /** Runs due work of the embedded service until the command ends; false for another service, which does so itself. */
  runService(): Promise<boolean>;
  /** The mode of the current key, from the service or the profile; live if unknown; connects. */
  mode(): Promise<'test' | 'live'>;
  /** Whether the service has a feature; true if unknown. */
  has(feature: Feature): boolean;
  /** The same context with other settings: another service, or another key. */
  at(settings: Settings): Context;
  /** A context that sends the requests of another program with their key, and writes nothing to stderr. */
  forCaller(caller: KeyCaller): Context;
  /** The settings of this run. Reads the profiles on first use. */
  readonly settings: Settings;
  globals: GlobalValues;
  /** Adds the account flags of this run to a command: profile, URL and key file. */
  withContextFlags<T extends Invocation>(line: T): T;
  /** Formats a message for programs: commands with the account flags of this run, times in ISO. */
  plainText(text: Text): string;
  /** A suggested command for programs, with the account flags of this run. */
  stepObject(step: NextStep): StepObject;
  /** A command as a shell line, with the account flags of this run. */
  commandText(line: Invocation): string;
  /** True if a flag was typed; false if its value is from the environment or its default. */
  isTyped(name: string): boolean;
  /** The command's own typed flags as words, for a suggested command that continues this one. */
  typedWords(except?: readonly string[]): string[];
  output: OutputSettings;
  /** The machine: environment, folders, versions and streams. */
  host: Host;
  /** This machine's time in milliseconds since the epoch. */
  now(): number;
  /** The service's time in milliseconds since the epoch, as of its last response; this machine's before the first. */
  serviceNow(): number;
  /** Rejects early if the process is interrupted. */
  sleep(milliseconds: number): Promise<void>;
  /** Aborted when the process is interrupted. */
  signal: AbortSignal;
  /** Whether prompts are possible: stdin and stderr are terminals, not in CI, without --json and --no-input. */
  interactive: boolean;
  /** Prompts on stderr; only use them if `interactive`. */
  prompts(): Promise<Prompts>;
  /**
   * Asks for confirmation, with no as the default. `--yes` skips it, unless `despiteYes`. Exit 2 if prompting is
   * impossible, with `next` as the command that needs no answer; exit 3 if declined.
   */
  confirm(question: Text, options?: ConfirmOptions): Promise<void>;
  /**
   * Writes a line to stderr, unless --quiet. With JSON the line must be JSON too, as programs read stderr. In a
   * terminal it wraps at spaces, unless `isWhole`.
   */
  note(line: Text, options?: { isWhole?: boolean }): void;
  /** Warns on stderr, unless --quiet, below the profile and the mode; with JSON as an object with these facts. */
  warning(code: string, message: string, facts?: object): void;
  /** Writes a line to stderr, even with --quiet. */
  warn(line: Text): void;
  progress(text: string): Promise<Progress>;
  /** Reads a file, or stdin for `-`; UsageError if that fails. */
  readFile(path: string): Promise<string>;
  /** Sets the text of an interruption: the state at the service and how to continue. A function is called then. */
  setInterruptionText(text: Text | (() => Text)): void;
  /** Runs before a signal ends the process, to finish work in progress. */
  onStop(work: (signal: Signal) => Promise<void>): void;
  /**
   * The idempotency key of the write with this name: `--idempotency-key` or a random one for the first, derived ones
   * for the others.
   */
  idempotencyKey(part?: string): string;
}

/** Whether the service is waybill's own; true if unknown. No other one is known to have idempotency keys. */
export function isOwnService({ has }: Pick<Context, 'has'>): boolean {
  return has('idempotency');
}

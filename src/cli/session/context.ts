import type { Client } from '../../client/client.ts';
import type { Feature } from '../../client/features.ts';
import type { CommandTree } from '../kit/args/command-tree.ts';
import type { GlobalValues } from '../kit/args/global-flags.ts';
import type { Host, Signal } from '../kit/host/host.ts';
import type { Prompts } from '../kit/host/prompts.ts';
import type { OutputSettings } from '../kit/output/format.ts';
import type { Progress } from '../kit/output/progress.ts';
import type { Invocation, NextStep, StepObject } from '../kit/result/invocation.ts';
import type { Text } from '../kit/result/message.ts';
import type { Settings } from '../settings/settings.ts';

/** The access to the service that a command needs now, if it is less than its effect. */
export interface Reach {
  reads?: true | undefined;
  opensUnchanged?: true | undefined;
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
  client(options?: Reach): Promise<Client>;
  /** Runs due work of the embedded service until the command ends; false for another service, which does so itself. */
  runService(): Promise<boolean>;
  /** The mode of the current key, from the service or the profile; live if unknown; connects. */
  mode(): Promise<'test' | 'live'>;
  /** Whether the service has a feature; true if unknown. */
  has(feature: Feature): boolean;
  /** The same context with other settings: another service, or another key. */
  at(settings: Settings): Context;
  /** The settings of this run. Reads the profiles on first use. */
  readonly settings: Settings;
  /** The global flags of this run. */
  globals: GlobalValues;
  /** Adds the account flags of this run to a command: profile, URL and key file. */
  inContext<T extends Invocation>(line: T): T;
  /** Formats a message for programs: commands with the account flags of this run, times in ISO. */
  plainText(text: Text): string;
  /** A suggested command for programs, with the account flags of this run. */
  stepObject(step: NextStep): StepObject;
  /** A command as a shell line, with the account flags of this run. */
  commandText(line: Invocation): string;
  /** True if a flag was typed; false if its value is from the environment or its default. */
  isTyped(name: string): boolean;
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
   * impossible, exit 3 if declined.
   */
  confirm(question: Text, options?: { despiteYes: boolean }): Promise<void>;
  /**
   * Writes a line to stderr, unless --quiet. With JSON the line must be JSON too, as programs read stderr. In a
   * terminal it wraps at spaces, unless `isWhole`.
   */
  note(line: Text, options?: { isWhole?: boolean }): void;
  /** Writes a line to stderr, even with --quiet. */
  warn(line: Text): void;
  progress(text: string): Promise<Progress>;
  /** Reads a file, or stdin for `-`; UsageError if that fails. */
  readFile(path: string): Promise<string>;
  /**
   * Sets the text printed on an interruption: the state at the service and how to continue. A function is called then.
   */
  setInterruptionText(text: Text | (() => Text)): void;
  /** Runs before a signal ends the process, to finish work in progress. */
  onStop(work: (signal: Signal) => Promise<void>): void;
  /**
   * The idempotency key of the write with this name: `--idempotency-key` or a random one for the first, derived ones
   * for the others.
   */
  idempotencyKey(part?: string): string;
}

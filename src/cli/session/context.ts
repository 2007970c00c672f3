import type { Client } from '../../client/client.ts';
import type { Feature } from '../../client/feature-names.ts';
import type { CommandTree } from '../kit/args/command-tree.ts';
import type { GlobalValues } from '../kit/args/global-flags.ts';
import type { Host, Signal } from '../kit/host/host.ts';
import type { Prompts } from '../kit/host/prompts.ts';
import type { OutputSettings } from '../kit/output/format.ts';
import type { Progress } from '../kit/output/progress.ts';
import type { Invocation, NextStep, StepObject } from '../kit/result/invocation.ts';
import type { Text } from '../kit/result/message.ts';
import type { Settings } from '../settings/settings.ts';

/** What a command is about to do with the service, where it is less than its effect says. */
export interface Reach {
  reads?: true | undefined;
  looks?: true | undefined;
}

/** What a command is given to work with. Nothing here touches stdout: a command returns its answer. */
export interface Context {
  /** Every command of the program, for help, completion and `doctor`. */
  tree: CommandTree;
  /**
   * The service of the profile in use; connects at the first call. A command that may change something is only
   * connected where the mode of the key is that of the profile; one that `reads` this time need not ask. One that only
   * `looks` finds the service in this process as it is: what became due is left undone, and no key is made.
   */
  client(options?: Reach): Promise<Client>;
  /**
   * Lets the service in this process do what becomes due, until the command ends; false where it is none of this
   * process, and does so by itself.
   */
  runService(): Promise<boolean>;
  /** The mode of the key in use, as the service or the profile says; live where neither does; connects. */
  mode(): Promise<'test' | 'live'>;
  /** Whether the service has a feature, as far as that is known. */
  has(feature: Feature): boolean;
  /** The same context at the service of these settings: another one, or the same with another key. */
  at(settings: Settings): Context;
  /** What this run works with. Reads the profiles at the first use. */
  readonly settings: Settings;
  /** The global flags of this run. */
  asked: GlobalValues;
  /** The command as it works in the same account as this run: with its profile, address and key file. */
  inContext<T extends Invocation>(line: T): T;
  /** The text for programs: its commands in the same account as this run, its times in ISO. */
  plainText(text: Text): string;
  /** A command to run next, for programs, in the same account as this run. */
  stepObject(step: NextStep): StepObject;
  /** A command as a line for a shell, in the same account as this run. */
  commandText(line: Invocation): string;
  /** Whether a flag stands on the line; else it has its value from the environment, or its default. */
  isTyped(name: string): boolean;
  output: OutputSettings;
  /** The machine: environment, folders, versions, streams that are terminals or not. */
  host: Host;
  /** Milliseconds since the epoch, by this machine. */
  now(): number;
  /** Milliseconds since the epoch, by the service, as of its last answer; this machine's before the first. */
  serviceNow(): number;
  /** Ends early, by rejecting, when the process is interrupted. */
  sleep(milliseconds: number): Promise<void>;
  /** Aborted when the process is interrupted. */
  signal: AbortSignal;
  /** Whether a person can be asked: a terminal on stdin and stderr, not in CI, no --json, no --no-input. */
  interactive: boolean;
  /** Prompts on stderr; to be used only where `interactive`. */
  prompts(): Promise<Prompts>;
  /**
   * Asks for a yes, with no as the default. Given `--yes`, goes on, unless `despiteYes`; with nobody to ask,
   * fails with exit 2; told no, with exit 3.
   */
  confirm(question: Text, options?: { despiteYes: boolean }): Promise<void>;
  /**
   * A line on stderr; not with --quiet. With JSON it is to be JSON too, as stderr is read by programs. On a screen it is
   * broken at its spaces, unless it is to stay whole.
   */
  note(line: Text, options?: { isWhole?: boolean }): void;
  /** A line on stderr, also with --quiet. */
  warn(line: Text): void;
  progress(text: string): Promise<Progress>;
  /** The text of a file, or of stdin for `-`; UsageError where it cannot be read. */
  readFile(path: string): Promise<string>;
  /**
   * What is true at the service right now and how to go on, in a line or two: said when the process is
   * interrupted. A function is asked then.
   */
  standing(text: Text | (() => Text)): void;
  /** Runs before the process ends by a signal: lets work in hand finish. */
  onStop(work: (signal: Signal) => Promise<void>): void;
  /**
   * The idempotency key for the write with this name: `--idempotency-key`, or one made for this run, for the first;
   * one derived from it for the others.
   */
  idempotencyKey(part?: string): string;
}

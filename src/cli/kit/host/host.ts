/** The interface of the machine: streams, environment, clock, prompts and signals. Tests can replace it. */
import type { Invocation } from '../result/message.ts';

/** The variables of the environment, by their names. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** An output stream. */
export interface Sink {
  isTerminal: boolean;
  /** Width in characters, if it is a terminal. */
  columns: number | null;
  /** Height in lines, if it is a terminal. */
  rows: number | null;
  /** True if the stream was closed when the process started, so that everything written to it is lost. */
  isClosed?: boolean;
  /** Resolves when it accepts more; rejects with PipeClosed if the reader is gone. */
  write(text: string): Promise<void>;
}

/** The reader of a stream is gone: the program exits without an error. */
export class PipeClosed extends Error {
  override name = 'PipeClosed';
}

/** A program that pages long text in the terminal. */
export interface Pager {
  /** Rejects with PipeClosed once the user has quit it. */
  write(text: string): Promise<void>;
  /** Resolves when the user has quit it. */
  end(): Promise<void>;
}

export interface Spinner {
  text: string;
  stop(): void;
}

/** An operation on the system keychain; `item` is the name of a key. */
export type KeychainRequest =
  | { act: 'read' | 'delete'; item: string }
  | { act: 'write'; item: string; key: string };

/** The keychain does not respond or responds with an error; the message continues a sentence. */
export class KeychainFault extends Error {
  override name = 'KeychainFault';
}

/** The number of colors: none, 16, 256, or all. */
export type ColourLevel = 0 | 1 | 2 | 3;

/** Everything of the machine that the program uses. */
export interface Host {
  stdin: {
    isTerminal: boolean;
    text(): Promise<string>;
    /** Yields the input as it arrives. */
    chunks(): AsyncIterable<string | Uint8Array>;
  };
  stdout: Sink;
  stderr: Sink;
  /** Writes to stderr without waiting for its reader; settles like a stream's write(). */
  writeLog(text: string): Promise<void>;
  environment: Environment;
  platform: string;
  home: string;
  /** The working directory. */
  folder: string;
  version: string;
  /** The real path of the program: its script. */
  readonly program: string;
  /** Version of the runtime: `24.15.0`. */
  runtime: string;
  /** Milliseconds since the epoch. */
  now(): number;
  /** A random number from 0 up to, but not including, 1. */
  random(): number;
  /** Rejects when the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Calls back once, unless the returned function is called before. */
  timer(milliseconds: number, expired: () => void): () => void;
  /** Accessible prompts are numbered lists and plain lines without redraws. */
  prompts(accessible: boolean, colour: ColourLevel): Promise<Prompts>;
  spinner(text: string): Promise<Spinner>;
  /** Starts a program with the terminal; null if it does not exist. */
  pager(words: readonly [string, ...string[]]): Promise<Pager | null>;
  /** Calls back for each key until the returned function is called; only if stdin is a terminal. */
  onKeys(pressed: (key: string) => void): Promise<() => void>;
  /** Accesses the system keychain: returns the key for a read, else null. Rejects with KeychainFault, or on abort. */
  keychain(request: KeychainRequest, signal: AbortSignal): Promise<string | null>;
  /** Runs a program by its words in this terminal; resolves with its exit code. */
  run(words: readonly [string, ...string[]]): Promise<number>;
  /** Cryptographically random bytes as base64. */
  randomBase64(bytes: number): Promise<string>;
  /** Aborted when the process is interrupted. */
  signal: AbortSignal;
  /** The text and the actions on an interruption. */
  interruption: Interruption;
}

/** The state at the service as text, with suggested commands. */
export interface InterruptionStatus {
  text: string;
  next: readonly (Invocation & { when?: string })[];
}

/** The signals that end the process; SIGHUP when its terminal is closed. */
export type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** The text and the actions when a signal ends the process. */
export interface Interruption {
  /** The state at the service and the commands that continue; null if no service is involved. */
  status(): InterruptionStatus | null;
  /** Runs before the process ends, to finish or undo what is in progress. */
  work: ((signal: Signal) => Promise<void>)[];
  /** True if it should be printed as JSON, like the errors of the line. */
  isJson?(): boolean;
  /** Registers the signal handlers. Before this call a signal ends the process immediately. */
  listen(): void;
}

/** The user went back from a question to the one before it. Not a failure. */
export class WentBack extends Error {
  override name = 'WentBack';

  constructor() {
    super('the user went back to the previous question');
  }
}

export interface Choice<T> {
  name: string;
  value: T;
  description?: string;
  /** Why the choice is not available. */
  disabled?: string | undefined;
}

interface QuestionOptions {
  /** Whether the user can go back: then the prompt rejects with WentBack. */
  back?: true;
}

export interface SelectOptions<T> extends QuestionOptions {
  /** The value of the choice that is active first. */
  initial?: T | undefined;
  /** The current choices, in the same number and order; polled while the question is open. */
  current?: () => readonly Choice<T>[];
}

export interface TextOptions extends QuestionOptions {
  /** Shown after the message. */
  hint?: string | undefined;
  /** The answer if nothing is typed. */
  initial?: string | undefined;
  /** Returns the fault of an answer, or null. */
  check?: (text: string) => string | null;
  /** Returns the form of an answer that is displayed once it is given. */
  format?: (text: string) => string;
}

/** Questions to the user, on stderr. Each rejects with Interrupted on Ctrl+C, on Ctrl+D and at the end of stdin. */
export interface Prompts {
  text(message: string, options?: TextOptions): Promise<string>;
  secret(message: string): Promise<string>;
  select<T>(message: string, choices: readonly Choice<T>[], options?: SelectOptions<T>): Promise<T>;
  /** Returns the value of a choice found by typing, or the typed text if no choice matches. */
  search(
    message: string,
    choices: readonly Choice<string>[],
    options?: Pick<TextOptions, 'check'>,
  ): Promise<string>;
  checkbox<T>(message: string, choices: readonly Choice<T>[], options?: QuestionOptions): Promise<T[]>;
  confirm(message: string): Promise<boolean>;
}

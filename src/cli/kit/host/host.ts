import type { Invocation } from '../result/invocation.ts';
import type { Prompts } from './prompts.ts';

/** A stream that is written to. */
export interface Sink {
  isTerminal: boolean;
  /** Characters in a line, where it is a terminal. */
  columns: number | null;
  /** Lines on the screen, where it is a terminal. */
  rows: number | null;
  /** Resolves when more can be taken; rejects with PipeClosed when the reader has gone. */
  write(text: string): Promise<void>;
}

/** The reader of a stream has gone: no fault, the program ends quietly. */
export class PipeClosed extends Error {
  override name = 'PipeClosed';
}

/** A program that shows long text on the terminal. */
export interface Pager {
  /** Rejects with PipeClosed once the person has left it. */
  write(text: string): Promise<void>;
  /** Resolves when the person has left it. */
  end(): Promise<void>;
}

export interface Spinner {
  text: string;
  stop(): void;
}

/** An operation on the keychain of the system; `item` is the name of a key there. */
export type KeychainRequest =
  | { act: 'read' | 'delete'; item: string }
  | { act: 'write'; item: string; key: string };

/** The keychain does not answer, or its answer cannot be used; the message continues a sentence. */
export class KeychainFault extends Error {
  override name = 'KeychainFault';
}

/** The number of colours: none, 16, 256, or all. */
export type ColourLevel = 0 | 1 | 2 | 3;

/** Everything of the machine that the program uses: in tests, all of it is made up. */
export interface Host {
  stdin: {
    isTerminal: boolean;
    text(): Promise<string>;
    /** The text as it arrives. */
    chunks(): AsyncIterable<string | Uint8Array>;
  };
  stdout: Sink;
  stderr: Sink;
  /** Writes to stderr while the process works on, however slowly it is read; settles as write() of a stream does. */
  writeLog(text: string): Promise<void>;
  environment: Readonly<Record<string, string | undefined>>;
  platform: string;
  home: string;
  /** The folder of the process. */
  folder: string;
  version: string;
  /** Version of the runtime: `24.15.0`. */
  runtime: string;
  /** Milliseconds since the epoch. */
  now(): number;
  /** From 0 up to, not including, 1. */
  chance(): number;
  /** Rejects when the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Calls back once, unless what it returns is called before. */
  timer(milliseconds: number, expired: () => void): () => void;
  /** Accessible ones are numbered lists and plain lines, without redraw. */
  prompts(accessible: boolean, colour: ColourLevel): Promise<Prompts>;
  spinner(text: string): Promise<Spinner>;
  /** Starts a program by its words, with the terminal; null where there is none of this name. */
  pager(words: readonly [string, ...string[]]): Promise<Pager | null>;
  /** Calls back for each key pressed until what it gives is called; only where stdin is a terminal. */
  keys(pressed: (key: string) => void): Promise<() => void>;
  /** Asks the system's keychain: the key that is read, else null. Rejects with KeychainFault, or as the signal aborts. */
  keychain(request: KeychainRequest, signal: AbortSignal): Promise<string | null>;
  /** Runs a shell by its words, as it starts for somebody, away from the terminal; null where there is none of this name. */
  shell(words: readonly [string, ...string[]], signal: AbortSignal): Promise<string | null>;
  /** Has the newest version looked up, which goes into a file some time; nobody waits for it. */
  lookForUpdate(file: string): Promise<void>;
  /** So many bytes that nobody can guess, as base64. */
  secret(bytes: number): Promise<string>;
  /** Aborted when the process is told to end. */
  signal: AbortSignal;
  /** Takes what is said, and done, when the process is told to end. */
  interruption: Interruption;
}

/** What is true at the service, as text, and the commands that it names. */
export interface Standing {
  text: string;
  next: readonly Invocation[];
}

/** What tells the process to end; the last when its terminal is closed. */
export type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** What is said and done when a signal ends the process. */
export interface Interruption {
  /** What is true at the service, and how to go on; null where no service is in play. */
  standing(): Standing | null;
  work: ((signal: Signal) => Promise<void>)[];
  /** Whether that is to be JSON, as errors of the line are. */
  isJson?(): boolean;
  /** Has signals wait for this from now on. Without it, one that comes before the program waits for anything ends it at once. */
  listen(): void;
}

import type { Line } from './connect.ts';
import type { Prompts } from './context.ts';
import type { ColourLevel } from './output/colour.ts';
import type { Settings } from './settings/settings.ts';

/** A stream that is written to. */
export interface Sink {
  isTerminal: boolean;
  /** Characters in a line, where it is a terminal. */
  columns: number | null;
  /** Resolves when more can be taken; rejects with PipeClosed when the reader has gone. */
  write(text: string): Promise<void>;
}

/** The reader of a stream has gone: no fault, the program ends quietly. */
export class PipeClosed extends Error {
  override name = 'PipeClosed';
}

export interface Spinner {
  text: string;
  stop(): void;
}

/** Everything of the machine that the program uses: in tests, all of it is made up. */
export interface Host {
  stdin: { isTerminal: boolean; text(): Promise<string> };
  stdout: Sink;
  stderr: Sink;
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
  /** A way to a service instead of the one that the settings name. */
  line?: (settings: Settings) => Promise<Line>;
  /** Aborted when the process is told to end. */
  signal: AbortSignal;
  /** Takes what is said, and done, when the process is told to end. */
  interruption: Interruption;
}

/** What is said and done when a signal ends the process. */
export interface Interruption {
  /** What is true at the service, and how to go on; null where no service is in play. */
  standing(): string | null;
  work: (() => Promise<void>)[];
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Host, type Interruption, KeychainFault, type Prompts } from '../../src/cli/kit/host/host.ts';
import { now, randomShare, sleep, timer } from '../../src/cli/kit/system/streams.ts';
import { run } from '../../src/cli/program.ts';
import type { Transport } from '../../src/contract/operation.ts';
import { onEndOfFile } from '../end-of-file.ts';
import { suggestionFaults } from './suggested-lines.ts';

/** Parts of the machine that a test can replace. By default time is real, without a keychain, a pager or key presses. */
type Replaced =
  | 'now'
  | 'sleep'
  | 'timer'
  | 'signal'
  | 'interruption'
  | 'pager'
  | 'onKeys'
  | 'keychain'
  | 'spinner'
  | 'run';

export interface RunOptions extends Partial<Pick<Host, Replaced>> {
  /** Text on stdin; without it, stdin is a terminal if `tty` is true. */
  stdin?: string;
  env?: Record<string, string>;
  /** Whether stdin, stdout and stderr are terminals. */
  tty?: boolean;
  /** Of stdout and stderr; by default stderr is wide enough for whole sentences. */
  columns?: number;
  /** Lines on the screen; by default unknown. */
  rows?: number;
  /** Handles requests instead of the service of the settings. */
  transport?: Transport;
  /** Answers to prompts, in order; an error is thrown instead. */
  answers?: readonly unknown[];
  /** Replaces `answers`. */
  prompts?: Prompts;
  /** The home folder; default: a new one for each test file. */
  home?: string;
  /** Receives everything written to stdout, immediately. */
  written?: (text: string) => void;
  /** The same for stderr. */
  said?: (text: string) => void;
}

export interface Outcome {
  stdout: string;
  stderr: string;
  exit: number;
}

let shared: string | null = null;

/** A new empty home, removed after the tests of the file. */
export function freshHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'waybill-home-'));
  onEndOfFile(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** The home of commands without one. */
function sharedHome(): string {
  if (shared !== null) return shared;
  onEndOfFile(() => {
    shared = null;
  });
  shared = freshHome();
  return shared;
}

/** Runs a command in this process, on the embedded service by default: words in, bytes out. */
export async function waybill(argv: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const out = { stdout: '', stderr: '' };
  const exit = await run(argv, hostFor(options, out));
  expect(await suggestionFaults(out.stderr), `suggested by ${argv.join(' ')}`).toEqual([]);
  return { ...out, exit };
}

/** A new interruption, which keeps what a command would print. */
export const newInterruption = (): Interruption => ({ status: () => null, work: [], listen: () => {} });

/** The default widths. */
const widths = { stdout: 100, stderr: 1000 } as const;

/** The machine of a run, on which it writes to `out`. */
export function hostFor(options: RunOptions, out: { stdout: string; stderr: string }): Host {
  const { stdin, env = {}, tty = false, columns, rows, written, said, ...others } = options;
  const { transport, answers = [], prompts, home = sharedHome(), ...replaced } = others;
  const sink = (name: 'stdout' | 'stderr') => ({
    isTerminal: tty,
    columns: tty ? (columns ?? widths[name]) : null,
    rows: tty ? (rows ?? null) : null,
    write: async (text: string) => {
      out[name] += text;
      if (name === 'stdout') written?.(text);
      else said?.(text);
    },
  });
  const stderr = sink('stderr');
  return {
    stdin: {
      isTerminal: tty && stdin === undefined,
      text: async () => stdin ?? '',
      chunks: async function* () {
        yield stdin ?? '';
      },
    },
    stdout: sink('stdout'),
    stderr,
    writeLog: stderr.write,
    environment: { ...env },
    platform: 'linux',
    home,
    folder: home,
    version: '0.0.0-test',
    program: '/usr/lib/node_modules/waybill/bin/waybill.cjs',
    run: async () => 0,
    runtime: process.versions.node,
    ...{ now, random: randomShare, sleep, timer },
    prompts: async () => prompts ?? promptsWith([...answers]),
    spinner: async (text) => ({ text, stop: () => {} }),
    pager: async () => null,
    onKeys: async () => () => {},
    keychain: () => Promise.reject(new KeychainFault('there is none')),
    randomBase64: async (bytes) => Buffer.alloc(bytes, 7).toString('base64'),
    signal: new AbortController().signal,
    interruption: { status: () => null, work: [], listen: () => {} },
    ...replaced,
    ...(transport === undefined
      ? {}
      : {
          openTransport: async () => ({
            transport,
            apiKey: 'wb_test_madeup0000000000',
            close: async () => {},
          }),
        }),
  };
}

/** Prompts with the given answers; they fail the test if there are too few. */
function promptsWith(answers: unknown[]): Prompts {
  const next = (message: string): unknown => {
    if (answers.length === 0) throw new Error(`no answer for: ${message}`);
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const chosen = <T>(message: string, choices: readonly { value: T; name: string }[]): T => {
    const answer = next(message);
    const found = choices.find(({ value, name }) => value === answer || name === answer);
    if (found === undefined) throw new Error(`${String(answer)} is no choice of: ${message}`);
    return found.value;
  };
  return {
    text: async (message) => String(next(message)),
    secret: async (message) => String(next(message)),
    confirm: async (message) => next(message) === true,
    select: async (message, choices) => chosen(message, choices),
    search: async (message) => String(next(message)),
    checkbox: async (message, choices) => [chosen(message, choices)],
  };
}

/** The single JSON object of a text; fails if there is anything else. */
export function jsonOf(text: string): Record<string, unknown> {
  const data: unknown = JSON.parse(text);
  if (typeof data !== 'object' || data === null || Array.isArray(data)) throw new Error(`no object: ${text}`);
  return Object.fromEntries(Object.entries(data));
}

/** The lines of an output, without empty ones. */
export function linesIn(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** The cells of rows with tabs. */
export function rowsIn(text: string): string[][] {
  return linesIn(text).map((line) => line.split('\t'));
}

/** The JSON objects of an output, one a line. */
export function objectsIn(text: string): Record<string, unknown>[] {
  return linesIn(text).map(jsonOf);
}

/** The context line of a write with `--json` on stderr. */
export const contextLine = `${JSON.stringify({ type: 'context', profile: 'sandbox', mode: 'test' })}\n`;

export function errorOf(text: string): Record<string, unknown> {
  // A write prints its profile and mode first.
  const { error } = jsonOf(text.trim().split('\n').at(-1) ?? '');
  return jsonOf(JSON.stringify(error));
}

/** The result of a command that fails with `--json`, with the fields of its error. */
export async function failureOf(command: Promise<Outcome>): Promise<Outcome & Record<string, unknown>> {
  const outcome = await command;
  return { ...errorOf(outcome.stderr), ...outcome };
}

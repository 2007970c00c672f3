import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Host, Interruption } from '../../src/cli/kit/host/host.ts';
import type { Prompts } from '../../src/cli/kit/host/prompts.ts';
import { chance, now, sleep, timer } from '../../src/cli/kit/system/timers.ts';
import { run } from '../../src/cli/program.ts';
import { KeychainFault } from '../../src/cli/settings/keychain.ts';
import type { Transport } from '../../src/contract/wire.ts';
import { atEndOfFile } from '../ends.ts';

export interface RunOptions {
  /** Text on stdin; without it, stdin is a terminal exactly where `tty` is true. */
  stdin?: string;
  env?: Record<string, string>;
  /** Whether stdin, stdout and stderr are terminals. */
  tty?: boolean;
  /** Stdout goes into a pipe all the same. */
  piped?: boolean;
  /** Of stdout and stderr alike; without it, stderr has room for whole sentences. */
  columns?: number;
  /** Lines on the screen; nobody has measured it without them. */
  rows?: number;
  /** Shows long text; there is none without it. */
  pager?: Host['pager'];
  /** Carries requests instead of the service that the settings name. */
  transport?: Transport;
  /** Answers to prompts, in order; an error is thrown instead. */
  answers?: readonly unknown[];
  /** Whoever answers instead of `answers`. */
  prompts?: Prompts;
  /** Home of the person; a fresh one for each test file without it. */
  home?: string;
  signal?: AbortSignal;
  interruption?: Interruption;
  now?: () => number;
  /** Where keys come from; nobody presses any without it. */
  keys?: Host['keys'];
  version?: string;
  /** The system's keychain; there is none without it. */
  keychain?: Host['keychain'];
  /** Runs a shell; there is none without it. */
  shell?: Host['shell'];
  /** Has a newer version looked up; nobody does without it. */
  lookForUpdate?: Host['lookForUpdate'];
  /** What calls back later; real time does without it. */
  timer?: Host['timer'];
  /** What a line that is redrawn shows; nobody sees it without it. */
  spinner?: Host['spinner'];
  /** Hears all that is written to stdout, as it is written. */
  written?: (text: string) => void;
  /** The same of stderr. */
  said?: (text: string) => void;
  /** What a wait does; it takes real time without it. */
  sleep?: Host['sleep'];
}

export interface Outcome {
  stdout: string;
  stderr: string;
  exit: number;
}

let shared: string | null = null;

/** A new empty home, taken away after the tests of the file. */
export function freshHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'waybill-home-'));
  atEndOfFile(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** The home of the lines for which none is named. */
function sharedHome(): string {
  if (shared !== null) return shared;
  atEndOfFile(() => {
    shared = null;
  });
  shared = freshHome();
  return shared;
}

/** Runs a line in this process, on the embedded service unless told otherwise: words in, bytes out. */
export async function waybill(argv: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const out = { stdout: '', stderr: '' };
  const exit = await run(argv, hostFor(options, out));
  return { ...out, exit };
}

/** Characters in a line where a test says nothing of it. */
const widths = { stdout: 100, stderr: 1000 } as const;

function hostFor(options: RunOptions, out: { stdout: string; stderr: string }): Host {
  const { stdin, env = {}, tty = false, transport, answers = [] } = options;
  const home = options.home ?? sharedHome();
  const sink = (name: 'stdout' | 'stderr') => ({
    isTerminal: tty && !(options.piped === true && name === 'stdout'),
    columns: tty ? (options.columns ?? widths[name]) : null,
    rows: tty ? (options.rows ?? null) : null,
    write: async (text: string) => {
      out[name] += text;
      if (name === 'stdout') options.written?.(text);
      else options.said?.(text);
    },
  });
  const stderr = sink('stderr');
  return {
    stdin: { isTerminal: tty && stdin === undefined, text: async () => stdin ?? '' },
    stdout: sink('stdout'),
    stderr,
    writeLog: stderr.write,
    environment: { ...env },
    platform: 'linux',
    home,
    folder: home,
    version: options.version ?? '0.0.0-test',
    runtime: process.versions.node,
    now: options.now ?? now,
    chance,
    sleep: options.sleep ?? sleep,
    timer: options.timer ?? timer,
    prompts: async () => options.prompts ?? promptsWith([...answers]),
    spinner: options.spinner ?? (async (text) => ({ text, stop: () => {} })),
    pager: options.pager ?? (async () => null),
    keys: options.keys ?? (async () => () => {}),
    keychain: options.keychain ?? (() => Promise.reject(new KeychainFault('there is none'))),
    shell: options.shell ?? (async () => null),
    lookForUpdate: options.lookForUpdate ?? (async () => {}),
    secret: async (bytes) => Buffer.alloc(bytes, 7).toString('base64'),
    signal: options.signal ?? new AbortController().signal,
    interruption: options.interruption ?? { standing: () => null, work: [], listen: () => {} },
    ...(transport === undefined
      ? {}
      : { line: async () => ({ transport, apiKey: 'wb_test_madeup0000000000', close: async () => {} }) }),
  };
}

/** Prompts that take the answers given, and fail the test when there is none left. */
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

/** The one JSON object of a text; fails where there is anything else. */
export function jsonOf(text: string): Record<string, unknown> {
  const data: unknown = JSON.parse(text);
  if (typeof data !== 'object' || data === null || Array.isArray(data)) throw new Error(`no object: ${text}`);
  return Object.fromEntries(Object.entries(data));
}

/** The `error` in a JSON error. */
/** What a write with `--json` says on stderr first. */
export const contextLine = `${JSON.stringify({ type: 'context', profile: 'sandbox', mode: 'test' })}\n`;

export function errorOf(text: string): Record<string, unknown> {
  // A write has said its profile and mode before.
  const { error } = jsonOf(text.trim().split('\n').at(-1) ?? '');
  return jsonOf(JSON.stringify(error));
}

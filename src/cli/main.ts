/** The process: its signals, its exit code and the host of the real machine. */
import type { KnownRecord, RecordQuery } from './completion/candidates.ts';
import { interruptionText } from './errors/error-codes.ts';
import { wantsJson } from './kit/args/parsed-line.ts';
import { UsageError } from './kit/errors/failure.ts';
import type { ColourLevel, Host, Interruption, Prompts, Signal } from './kit/host/host.ts';
import { wrapProse } from './kit/output/terminal-lines.ts';
import type { OnContinued } from './kit/prompts/stopped-prompts.ts';
import {
  afterPending,
  atFirstWait,
  now,
  randomShare,
  readStreamText,
  sinkOf,
  sleep,
  timer,
  widthOf,
  writeInBackground,
} from './kit/system/streams.ts';
import { run } from './program.ts';

/**
 * The program: runs its command line and sets the exit code, which nothing else does. The process ends when all output
 * has left it; a signal ends it with that signal, after the state at the service was printed.
 */
export async function main(): Promise<void> {
  const abortion = lazyAbortion();
  const ending = (signal: Signal) => {
    // Listens before the others leave: between two listeners the signal would end the process.
    const ignore = () => {};
    process.on(signal, ignore);
    timer(same_signal_ms, () => process.off(signal, ignore));
    // Any second signal ends the process immediately, even if a package listens to signals.
    signals.leave();
    for (const each of endingSignals)
      for (const listener of process.listeners(each)) if (listener !== ignore) process.off(each, listener);
    void endBySignal(signal, abortion, interruption);
  };
  const signals = signalListener(ending);
  const interruption: Interruption = { status: () => null, work: [], listen: signals.listen };
  // The event loop is empty but the line has not ended: the prompt's input was closed.
  const abandoned = () => ending('SIGINT');
  process.exitCode = 130;
  process.once('beforeExit', abandoned);
  const host = systemHost(abortion.signal, interruption);
  const code = await run(process.argv.slice(2), host);
  if (abortion.isDone()) return;
  signals.leave();
  process.off('beforeExit', abandoned);
  if (code === 130) endWith('SIGINT');
  // An ordinary shutdown costs time and frees nothing.
  await host.settled();
  process.exit(code);
}

/** The records that complete a line of a shell. */
export async function completionRecords(query: RecordQuery): Promise<KnownRecord[]> {
  const { serviceRecords } = await import('./completion/service-records.ts');
  const interruption: Interruption = { status: () => null, work: [], listen: () => {} };
  return serviceRecords(query, systemHost(lazyAbortion().signal, interruption));
}

/**
 * A terminal's signal arrives twice where npm has started the program, as npm passes on what it gets itself: a repeat
 * that soon is no second signal.
 */
const same_signal_ms = 100;

/** The signals that end the process; SIGHUP when its terminal is closed. */
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Rotation of logs sends them to whatever writes one: the first would open Node's debugger, the second end the process. */
const ignoredSignals = ['SIGUSR1', 'SIGUSR2'] as const;

/**
 * Registers signal handlers on request, or when the program first waits: a look-up on the embedded service never waits,
 * and registering costs a quarter of a millisecond.
 */
function signalListener(ending: (signal: Signal) => void): { listen: () => void; leave: () => void } {
  let isListening = false;
  const listen = () => {
    if (isListening) return;
    isListening = true;
    // Not `once`, which takes the last listener away before it is called: the signal would end the process.
    for (const signal of endingSignals) process.on(signal, ending);
    for (const signal of ignoredSignals) process.on(signal, () => {});
  };
  const forget = atFirstWait(listen);
  const leave = () => {
    forget();
    if (!isListening) return;
    for (const signal of endingSignals) process.off(signal, ending);
  };
  return { listen, leave };
}

interface Abortion {
  signal(): AbortSignal;
  abort(): void;
  isDone(): boolean;
}

/** Most lines end before the signal is used; creating it costs half a millisecond. */
function lazyAbortion(): Abortion {
  let controller: AbortController | undefined;
  const made = () => {
    controller ??= new AbortController();
    return controller;
  };
  return {
    signal: () => made().signal,
    abort: () => made().abort(),
    isDone: () => controller?.signal.aborted === true,
  };
}

async function endBySignal(signal: Signal, abortion: Abortion, interruption: Interruption): Promise<void> {
  const status = statusOf(interruption);
  // The packages for prompts and spinners add listeners that end the process unless another exists.
  const hold = () => {};
  process.on(signal, hold);
  abortion.abort();
  // Called immediately, as the exit code depends on the signal and not on the clean-up.
  const ended = Promise.allSettled(interruption.work.map((work) => work(signal)));
  // An open prompt is removed from the screen first.
  await afterPending();
  process.off(signal, hold);
  restoreTerminal();
  const isJson = interruption.isJson?.() ?? wantsJson(new Map(), process.env);
  const text = interruptionText(signal, status, isJson);
  // Writing to a closed terminal fails.
  process.stderr.on('error', () => {});
  process.stderr.write(isJson ? text : wrapProse(text, widthOf(process.stderr)));
  await ended;
  endWith(signal);
}

/** A signal ends the process even if the state cannot be printed. */
function statusOf(interruption: Interruption): ReturnType<Interruption['status']> {
  try {
    return interruption.status();
  } catch {
    return null;
  }
}

const show_cursor = '\u001b[?25h';

/** Restores the terminal from a prompt's raw mode and hidden cursor. */
function restoreTerminal(): void {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stdin.isRaw) return;
  stdin.setRawMode(false);
  stderr.write(show_cursor);
}

/** Ends by the signal itself, which the listeners of a stopped spinner would suppress. */
function endWith(signal: Signal): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // The kernel keeps the signals that the first process of a container sends to itself.
  if (process.pid === 1) process.exit(128 + process.getBuiltinModule('node:os').constants.signals[signal]);
}

/** Set by the build from package.json. */
declare const WAYBILL_VERSION: string | undefined;

/** The machine, which reports when all output has left the process. */
interface SystemHost extends Host {
  settled(): Promise<void>;
}

/** Creates the host of the real machine. */
function systemHost(signal: () => AbortSignal, interruption: Interruption): SystemHost {
  const stdout = sinkOf({ number: 1, open: () => process.stdout });
  const stderr = sinkOf({ number: 2, open: () => process.stderr });
  return {
    stdin: {
      // Creating this stream costs more than a look-up, and few commands use it.
      get isTerminal() {
        return process.stdin.isTTY === true;
      },
      text: () => readStreamText(process.stdin),
      chunks: () => process.stdin,
    },
    stdout,
    stderr,
    writeLog: (text) => writeInBackground(2, text),
    settled: async () => {
      await Promise.all([stdout.settled(), stderr.settled()]);
    },
    environment: process.env,
    platform: process.platform,
    // Loads node:os only if the environment does not name the home folder.
    get home() {
      return (
        (process.platform !== 'win32' && process.env.HOME) || process.getBuiltinModule('node:os').homedir()
      );
    },
    get folder() {
      return currentFolder();
    },
    version: typeof WAYBILL_VERSION === 'string' ? WAYBILL_VERSION : '0.0.0',
    get program() {
      return programPath();
    },
    runtime: process.versions.node,
    now,
    random: randomShare,
    sleep,
    timer,
    prompts: (accessible, colour) => (accessible ? linePrompts(signal()) : promptsOn(signal(), colour)),
    spinner: async (text) => (await import('./kit/system/terminal.ts')).terminalSpinner(text),
    pager: async (words) =>
      (await import('./kit/system/programs.ts')).openPager(words, { environment: process.env, interruption }),
    onKeys: async (pressed) => (await import('./kit/system/terminal.ts')).terminalKeys(pressed),
    keychain: async (request, aborted) =>
      (await import('./kit/system/programs.ts')).systemKeychain(request, aborted),
    run: async (words) => (await import('./kit/system/programs.ts')).runProgram(words, process.env),
    randomBase64: async (bytes) => (await import('node:crypto')).randomBytes(bytes).toString('base64'),
    get signal() {
      return signal();
    },
    interruption,
  };
}

/** Follows the links of the package manager. */
function programPath(): string {
  const started = process.argv[1] ?? process.execPath;
  try {
    return process.getBuiltinModule('node:fs').realpathSync(started);
  } catch {
    return started;
  }
}

async function linePrompts(signal: AbortSignal): Promise<Prompts> {
  const { accessiblePrompts } = await import('./kit/prompts/accessible-prompts.ts');
  return accessiblePrompts({
    input: process.stdin,
    output: process.stderr,
    signal,
    timer,
    ...(await jobs()),
  });
}

async function promptsOn(signal: AbortSignal, colour: ColourLevel): Promise<Prompts> {
  const { terminalPrompts } = await import('./kit/prompts/terminal-prompts.ts');
  const { paletteFor } = await import('./kit/output/colour.ts');
  const palette = await paletteFor(colour);
  const streams = { input: process.stdin, output: process.stderr };
  return terminalPrompts({ ...streams, signal, timer, palette, ...(await jobs()) });
}

/** Windows stops no process on Ctrl+Z. */
async function jobs(): Promise<{ onContinued?: OnContinued }> {
  if (process.platform === 'win32') return {};
  const { stoppingJob } = await import('./kit/prompts/stopped-prompts.ts');
  return { onContinued: stoppingJob(timer) };
}

/** Only called to resolve a path: the folder may no longer exist. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new UsageError('The current folder is gone: change to one that there is.', { cause });
  }
}

import { interruptionText } from './errors/interruption.ts';
import { wantsJson } from './kit/args/parsed-line.ts';
import type { Interruption, Signal } from './kit/host/host.ts';
import { prose } from './kit/output/width.ts';
import { widthOf } from './kit/system/streams.ts';
import { afterPending, atFirstWait } from './kit/system/timers.ts';
import { run } from './program.ts';
import { systemHost } from './system-host.ts';

/**
 * The program: runs the line it was started with and sets the exit code, which nothing else does. The process
 * ends when what was written has left it; a signal ends it as a signal, once it was said what is true at the service.
 */
export async function main(): Promise<void> {
  const abortion = lazyAbortion();
  const ending = (signal: Signal) => {
    // A second signal, whichever it is, ends the process at once: a package that listens to signals does not keep it.
    signals.leave();
    for (const each of endingSignals) process.removeAllListeners(each);
    void endBy(signal, abortion, interruption);
  };
  const signals = signalsTo(ending);
  const interruption: Interruption = { standing: () => null, work: [], listen: signals.listen };
  // Nothing is left to wait for, but the line has not ended: whoever was asked has gone.
  const abandoned = () => ending('SIGINT');
  process.exitCode = 130;
  process.once('beforeExit', abandoned);
  const host = systemHost(abortion.signal, interruption);
  const code = await run(process.argv.slice(2), host);
  if (abortion.isDone()) return;
  signals.leave();
  process.off('beforeExit', abandoned);
  if (code === 130) endAsInterrupted();
  // To take the process apart bit by bit, as it would end by itself, costs time and frees nothing.
  await host.settled();
  process.exit(code);
}

/** What tells the process to end; the last when its terminal is closed. */
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Listens to signals when it is asked to, at the latest as soon as the program waits for anything: a look at the
 * embedded service never does, and to begin and to end takes a quarter of a millisecond.
 */
function signalsTo(ending: (signal: Signal) => void): { listen: () => void; leave: () => void } {
  let isListening = false;
  const listen = () => {
    if (isListening) return;
    isListening = true;
    for (const signal of endingSignals) process.once(signal, ending);
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

/** Most lines end before anything asks for the signal, whose making costs half a millisecond. */
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

async function endBy(signal: Signal, abortion: Abortion, interruption: Interruption): Promise<void> {
  const standing = standingOf(interruption);
  // The prompts and the spinner bring listeners that end the process where there is no other one.
  const hold = () => {};
  process.on(signal, hold);
  abortion.abort();
  // At once: what ends a command knows the signal, which its own clean-up does not.
  const ended = Promise.allSettled(interruption.work.map((work) => work(signal)));
  // An open prompt leaves the screen first.
  await afterPending();
  process.off(signal, hold);
  giveBackTerminal();
  const isJson = interruption.isJson?.() ?? wantsJson(new Map(), process.env);
  const text = interruptionText(signal, standing, isJson);
  // A terminal that was closed takes no more.
  process.stderr.on('error', () => {});
  process.stderr.write(isJson ? text : prose(text, widthOf(process.stderr)));
  await ended;
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** A signal ends the process, whatever of what it would say cannot be told. */
function standingOf(interruption: Interruption): ReturnType<Interruption['standing']> {
  try {
    return interruption.standing();
  } catch {
    return null;
  }
}

const showCursor = '\u001b[?25h';

/** A question has the terminal give keys as they are, and may hide its cursor: neither outlives the process. */
function giveBackTerminal(): void {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stdin.isRaw) return;
  stdin.setRawMode(false);
  stderr.write(showCursor);
}

/** By the signal itself, which the listeners of a spinner that has stopped would keep away. */
function endAsInterrupted(): void {
  process.removeAllListeners('SIGINT');
  process.kill(process.pid, 'SIGINT');
}

import { interruptionText, type Signal } from './failures/interruption.ts';
import type { Interruption } from './host.ts';
import { wantsJson } from './line/parse.ts';
import { systemHost } from './ports/system.ts';
import { run } from './program.ts';

/**
 * The program: runs the line it was started with and sets the exit code, which nothing else does. The process
 * ends when what was written has left it; a signal ends it as a signal, once it was said what is true at the service.
 */
export async function main(): Promise<void> {
  const abortion = lazyAbortion();
  const interruption: Interruption = { standing: () => null, work: [] };
  const ending = (signal: Signal) => void endBy(signal, abortion, interruption);
  process.once('SIGINT', ending);
  process.once('SIGTERM', ending);
  // Nothing is left to wait for, but the line has not ended: whoever was asked has gone.
  const abandoned = () => ending('SIGINT');
  process.exitCode = 130;
  process.once('beforeExit', abandoned);
  const host = systemHost(abortion.signal, interruption);
  const code = await run(process.argv.slice(2), host);
  if (abortion.isDone()) return;
  process.off('SIGINT', ending);
  process.off('SIGTERM', ending);
  process.off('beforeExit', abandoned);
  if (code === 130) endAsInterrupted();
  // To take the process apart bit by bit, as it would end by itself, costs time and frees nothing.
  await host.settled();
  process.exit(code);
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

/** A second signal ends the process at once: its handler is gone. */
async function endBy(signal: Signal, abortion: Abortion, interruption: Interruption): Promise<void> {
  const standing = interruption.standing();
  abortion.abort();
  const isJson = wantsJson(process.argv.slice(2), process.env);
  process.stderr.write(interruptionText(signal, standing, isJson));
  await Promise.allSettled(interruption.work.map((work) => work()));
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** By the signal itself, which the listeners of a spinner that has stopped would keep away. */
function endAsInterrupted(): void {
  process.removeAllListeners('SIGINT');
  process.kill(process.pid, 'SIGINT');
}

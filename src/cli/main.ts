import type { Interruption } from './host.ts';
import { systemHost } from './ports/system.ts';
import { run } from './program.ts';

type Signal = 'SIGINT' | 'SIGTERM';

/**
 * The program: runs the line it was started with and sets the exit code, which nothing else does. The process
 * ends when what was written has left it; a signal ends it as a signal, once it was said what is true at the service.
 */
export async function main(): Promise<void> {
  const controller = new AbortController();
  const interruption: Interruption = { standing: () => null, work: [] };
  const ending = (signal: Signal) => void endBy(signal, controller, interruption);
  process.once('SIGINT', ending);
  process.once('SIGTERM', ending);
  // Nothing is left to wait for, but the line has not ended: whoever was asked has gone.
  const abandoned = () => ending('SIGINT');
  process.exitCode = 130;
  process.once('beforeExit', abandoned);
  const host = systemHost(controller.signal, interruption);
  const code = await run(process.argv.slice(2), host);
  if (controller.signal.aborted) return;
  process.off('SIGINT', ending);
  process.off('SIGTERM', ending);
  process.off('beforeExit', abandoned);
  if (code === 130) endAsInterrupted();
  // To take the process apart bit by bit, as it would end by itself, costs time and frees nothing.
  await host.settled();
  process.exit(code);
}

/** A second signal ends the process at once: its handler is gone. */
async function endBy(signal: Signal, controller: AbortController, interruption: Interruption): Promise<void> {
  const standing = interruption.standing();
  controller.abort();
  process.stderr.write(
    `${signal === 'SIGINT' ? '\nInterrupted.' : 'Told to end.'} ${standing ?? ''}`.trimEnd().concat('\n'),
  );
  await Promise.allSettled(interruption.work.map((work) => work()));
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** By the signal itself, which the listeners of a spinner that has stopped would keep away. */
function endAsInterrupted(): void {
  process.removeAllListeners('SIGINT');
  process.kill(process.pid, 'SIGINT');
}

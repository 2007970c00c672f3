import { spawn } from 'node:child_process';
import { type Interruption, type Pager, PipeClosed } from '../host/host.ts';
import { childEnvironment } from './child-processes.ts';

interface Started {
  environment: Readonly<Record<string, string | undefined>>;
  interruption: Interruption;
}

/**
 * Starts a pager on this process's terminal; null if the program does not exist. The pager handles Ctrl+C; this process
 * is interrupted after the pager is quit, and only if more output was to come.
 */
export async function openPager(
  [program, ...words]: readonly [string, ...string[]],
  { environment, interruption }: Started,
): Promise<Pager | null> {
  // Enables colors and links, exits for a short text, and keeps the screen.
  const env = { LESS: 'FRX', LV: '-c', ...childEnvironment(environment) };
  const child = spawn(program, words, { stdio: ['pipe', 'inherit', 'inherit'], env });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const isThere = await new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
  if (!isThere) return null;
  const { stdin } = child;
  stdin.on('error', () => {});
  interruption.listen();
  interruption.work.push(async () => {
    child.kill();
    await ended;
  });
  const interrupts = holdInterrupts(() => stdin.destroy());
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        stdin.write(text, (error) => (error ? reject(new PipeClosed()) : resolve()));
      }),
    async end() {
      interrupts.ignore();
      stdin.end();
      await ended;
      await interrupts.release();
    },
  };
}

/** Ignores SIGINT in this process and sends it again at the end if one was pending. */
function holdInterrupts(interrupted: () => void) {
  const listeners = process.listeners('SIGINT');
  process.removeAllListeners('SIGINT');
  let isPending = false;
  let isIgnored = false;
  const hold = () => {
    if (isIgnored) return;
    isPending = true;
    interrupted();
  };
  process.on('SIGINT', hold);
  return {
    ignore: () => {
      isIgnored = true;
    },
    release: async () => {
      process.off('SIGINT', hold);
      process.once('SIGINT', (...signal) => {
        for (const listener of listeners) Reflect.apply(listener, process, signal);
      });
      if (!isPending) return;
      process.kill(process.pid, 'SIGINT');
      // The signal ends the process before the result can.
      await new Promise(() => {});
    },
  };
}

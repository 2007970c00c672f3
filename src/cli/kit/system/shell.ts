import { spawn } from 'node:child_process';
import { childEnvironment } from './child-processes.ts';
import { timer } from './timers.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** So long a shell may take to start: it reads all that somebody wrote into its settings. */
const limit_ms = 5000;

/**
 * Runs a shell as somebody starts it, but away from the terminal, which it would take over, and with nothing to read.
 * Gives what it wrote to stdout; null where there is no such shell.
 */
export function shellText(
  [program, ...words]: readonly [string, ...string[]],
  environment: Environment,
  signal: AbortSignal,
): Promise<string | null> {
  const child = spawn(program, words, {
    // A session of its own.
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: childEnvironment(environment),
  });
  const { stdout, pid } = child;
  let text = '';
  stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  return new Promise((resolve) => {
    // What its settings have started dies with it.
    const end = () => {
      if (pid !== undefined) killGroup(pid);
    };
    const settle = (answer: string | null) => {
      cancel();
      signal.removeEventListener('abort', late);
      stdout.destroy();
      resolve(answer);
    };
    const late = () => {
      end();
      settle(text);
    };
    const cancel = timer(limit_ms, late);
    signal.addEventListener('abort', late);
    child.once('exit', end);
    child.once('close', () => settle(text));
    child.once('error', () => settle(null));
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {}
}

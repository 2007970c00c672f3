import { spawn } from 'node:child_process';
import { childEnvironment } from './child-processes.ts';
import { timer } from './timers.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The time limit for a shell's start-up files. */
const limit_ms = 5000;

/**
 * Runs a shell as the user's, but without the terminal, which it would take over, and without input. Returns its
 * stdout; null if the shell does not exist.
 */
export function shellText(
  [program, ...words]: readonly [string, ...string[]],
  environment: Environment,
  signal: AbortSignal,
): Promise<string | null> {
  const child = spawn(program, words, {
    // Starts a new session.
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
    // Kills it with all processes that its start-up files started.
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

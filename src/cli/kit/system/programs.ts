/** Starts other programs: the browser, the pager and the keychain. Also finds out whether a process is running. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  type Environment,
  type Interruption,
  KeychainFault,
  type KeychainRequest,
  type Pager,
  PipeClosed,
} from '../host/host.ts';
import { product } from '../product.ts';
import { readErrorCode } from './files.ts';
import { readStreamText } from './streams.ts';

/** The program that opens a URL on each platform, run without a shell. */
const browserOpeners: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens a URL in the user's browser, which outlives this process; false if none could be started. */
export function openBrowser(url: URL, platform: string, environment: NodeJS.ProcessEnv): Promise<boolean> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return Promise.resolve(false);
  const [program, ...words] = browserOpeners[platform] ?? ['xdg-open'];
  const child = spawn(program, [...words, url.href], {
    detached: true,
    stdio: 'ignore',
    env: childEnvironment(environment),
  });
  child.unref();
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
}

/** Runs a program with this terminal; resolves with its exit code, 127 if there is no such program. */
export function runProgram(
  [program, ...words]: readonly [string, ...string[]],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  // On Windows, npm is a script that only a shell starts.
  const shell = process.platform === 'win32';
  const child = spawn(program, words, { stdio: 'inherit', shell, env: childEnvironment(environment) });
  return new Promise((resolve) => {
    child.once('error', () => resolve(127));
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** The environment of a child process, without our variables, which may contain keys, and NODE_OPTIONS. */
function childEnvironment(environment: Environment): Record<string, string | undefined> {
  const isForUs = (name: string) => name.startsWith(product.environment_prefix) || name === 'NODE_OPTIONS';
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isForUs(name)));
}

/** The path of a program of ours that runs as a child process. */
async function ownProgram(name: string): Promise<string> {
  const { join } = await import('node:path');
  return join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? `${name}.ts` : `${name}.cjs`);
}

/**
 * Executes a keychain request in a child process that is killed with the signal, as a hanging system call cannot be
 * aborted otherwise. The key travels through pipes, so that no process list shows it.
 */
export async function systemKeychain(request: KeychainRequest, signal: AbortSignal): Promise<string | null> {
  const child = spawn(process.execPath, [await ownProgram('keychain-process')], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: childEnvironment(process.env),
    windowsHide: true,
    killSignal: 'SIGKILL',
    signal,
  });
  const failed = once(child, 'error').then(([error]) => Promise.reject(error));
  // The child may have exited before reading its input.
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(request));
  return parseChildOutput(await Promise.race([readStreamText(child.stdout), failed]));
}

/** Reads the output of the child: `{ "value": … }`, or `{ "fault": … }`. */
function parseChildOutput(text: string): string | null {
  const answer: unknown = text === '' ? null : JSON.parse(text);
  if (typeof answer !== 'object' || answer === null) throw new KeychainFault('it gave no answer');
  if ('value' in answer && typeof answer.value === 'string') return answer.value;
  if ('value' in answer) return null;
  throw new KeychainFault('fault' in answer ? String(answer.fault) : 'it gave no answer');
}

interface PagerHost {
  environment: Environment;
  interruption: Interruption;
}

/** Whether lines for the shell wait in the terminal, as after a paste. Only bash can tell without taking them. */
async function hasTypedAhead(): Promise<boolean> {
  const bash = spawn('bash', ['--norc', '-c', 'read -t 0 < /dev/tty'], { stdio: 'ignore' });
  return new Promise((resolve) => {
    bash.once('close', (code) => resolve(code === 0));
    bash.once('error', () => resolve(false));
  });
}

/**
 * Starts a pager on this process's terminal; null if it does not exist, or would take lines that were pasted for the shell.
 * The pager handles Ctrl+C: this process is interrupted after the pager is quit, and only if more output was to come.
 */
export async function openPager(
  [program, ...words]: readonly [string, ...string[]],
  { environment, interruption }: PagerHost,
): Promise<Pager | null> {
  if (await hasTypedAhead()) return null;
  // The pager shows colors and links, exits for a short text, and keeps the screen. It must not run commands or write
  // files, as keys that are typed or pasted for the shell reach it.
  const env = {
    LESS: 'FRX',
    LV: '-c',
    ...childEnvironment(environment),
    LESSSECURE: '1',
    MORESECURE: '1',
  };
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

/** Whether a process of this machine is running, also one of another user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return readErrorCode(error) === 'EPERM';
  }
}

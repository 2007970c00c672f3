import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { KeychainFault, type KeychainRequest } from '../host/host.ts';
import { childEnvironment, ownProgram } from './programs.ts';
import { textOf } from './streams.ts';

/**
 * Executes a keychain request in a child process that is killed with the signal, as a hanging system call cannot be
 * aborted otherwise. The key travels through pipes, so that no process list shows it.
 */
export async function systemKeychain(request: KeychainRequest, signal: AbortSignal): Promise<string | null> {
  const program = await ownProgram('keychain-process');
  if (program === null) throw new KeychainFault('the single executable has no way to it');
  const child = spawn(process.execPath, [program], {
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
  return answerIn(await Promise.race([textOf(child.stdout), failed]));
}

/** Reads the output of the child: `{ "value": … }`, or `{ "fault": … }`. */
function answerIn(text: string): string | null {
  const answer: unknown = text === '' ? null : JSON.parse(text);
  if (typeof answer !== 'object' || answer === null) throw new KeychainFault('it gave no answer');
  if ('value' in answer && typeof answer.value === 'string') return answer.value;
  if ('value' in answer) return null;
  throw new KeychainFault('fault' in answer ? String(answer.fault) : 'it gave no answer');
}

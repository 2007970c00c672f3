import { spawn } from 'node:child_process';
import { childEnvironment } from './child-processes.ts';

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

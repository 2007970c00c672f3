import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { childEnvironment, ownProgram } from './child-processes.ts';

const registry = 'https://registry.npmjs.org';

/**
 * Starts a child process that queries the registry and writes the result to the file; it outlives this one. Not for a
 * clone, which is updated with git, nor for the single executable.
 */
export async function startUpdateCheck(file: string): Promise<void> {
  const program = await ownProgram('update-process');
  if (program === null || isClone(dirname(program))) return;
  const child = spawn(process.execPath, [program, registry, file], {
    detached: true,
    stdio: 'ignore',
    env: childEnvironment(process.env),
    windowsHide: true,
  });
  child.on('error', () => {});
  child.unref();
}

/** A clone has its sources beside the built files. */
function isClone(folder: string): boolean {
  return basename(folder) !== 'dist' || existsSync(join(dirname(folder), 'src'));
}

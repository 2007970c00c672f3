import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { childEnvironment, ownProgram } from './child-processes.ts';

const registry = 'https://registry.npmjs.org';

/**
 * Lets a process of its own ask the registry, which goes on when this one has ended and writes what it finds into
 * the file. Nobody asks for a clone, which git brings up to date, nor for the single executable.
 */
export async function startLook(file: string): Promise<void> {
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

/** The built files of a clone lie beside their sources. */
function isClone(folder: string): boolean {
  return basename(folder) !== 'dist' || existsSync(join(dirname(folder), 'src'));
}

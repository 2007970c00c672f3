import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and the missing ones above it, for this user only. Node's own recursive `mkdirSync` never returns
 * where a file system refuses new folders with ENOENT, as /proc does.
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    const above = dirname(path);
    if (code !== 'ENOENT' || above === path || statSync(above, { throwIfNoEntry: false }) !== undefined)
      throw error;
    makeFolder(above);
    makeFolder(path);
  }
}

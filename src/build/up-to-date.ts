import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * When the newest of these files and folders changed, in ms; folders count too, because a file may have been removed.
 */
function newest(paths: readonly string[]): number {
  return Math.max(0, ...paths.map((path) => Math.max(statSync(path).mtimeMs, newest(entriesOf(path)))));
}

function entriesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [];
  return readdirSync(path).map((name) => join(path, name));
}

/** Whether `target` was written after everything in `sources` last changed. */
export function isUpToDate(target: string, sources: readonly string[]): boolean {
  return existsSync(target) && statSync(target).mtimeMs >= newest(sources);
}

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../errors/failure.ts';
import type { Host } from '../host/host.ts';
import { reasonOf } from './file-errors.ts';

type Place = Pick<Host, 'stdin' | 'folder'>;

/** Reads a file, or stdin for `-`; UsageError if that fails. */
export async function readInputFile(path: string, place: Place): Promise<string> {
  if (path !== '-') return textOfFile(path, place.folder);
  const { stdin } = place;
  if (!stdin.isTerminal) return stdin.text();
  throw new UsageError('"-" reads from stdin, which is a terminal: pipe something into it, or name a file.');
}

function textOfFile(path: string, folder: string): string {
  return bytesOfFile(path, folder).toString('utf8');
}

/** The bytes of a file; UsageError if it cannot be read. */
export function bytesOfFile(path: string, folder: string): Buffer {
  try {
    return readFileSync(resolve(folder, path));
  } catch (error) {
    throw new UsageError(`The file ${path} cannot be read: ${reasonOf(error)}.`, { cause: error });
  }
}

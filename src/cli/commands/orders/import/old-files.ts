import { existsSync, renameSync } from 'node:fs';
import { removeFile } from './csv-files.ts';
import { unwritable } from './file-faults.ts';
import type { Places } from './source.ts';

/**
 * Renames the journal of an abandoned import, which records what was created. Returns a function that restores it, in
 * case the new import never starts.
 */
export function setAside(journal: string): () => void {
  const old = `${journal}.old`;
  const isThere = existsSync(journal);
  if (isThere) move(journal, old);
  return () => {
    removeFile(journal);
    if (isThere) move(old, journal);
  };
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    throw unwritable(to, error);
  }
}

/**
 * Removes the faults file of an earlier check after a check without findings; if a journal exists, the file belongs to
 * its import and stays.
 */
export function removeOldFaults({ journal, failed }: Places): void {
  if (!existsSync(journal)) removeFile(failed);
}

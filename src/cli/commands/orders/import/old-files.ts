import { existsSync, renameSync } from 'node:fs';
import { removeFile } from './csv-files.ts';
import { unwritable } from './file-faults.ts';
import type { Places } from './source.ts';

/**
 * Keeps a journal that is not gone on with: it says what was made. Gives the way back, for where nothing came of the
 * new one.
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

/** What a check found that found nothing now; what an import could not make is told by its journal, and stays. */
export function removeOldFaults({ journal, failed }: Places): void {
  if (!existsSync(journal)) removeFile(failed);
}

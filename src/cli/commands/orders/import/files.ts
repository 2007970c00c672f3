import { existsSync, renameSync, rmSync } from 'node:fs';
import { Failure } from '../../../kit/errors/failure.ts';
import { type FileLock, takeLock } from '../../../kit/system/file-lock.ts';
import { codeOf, reasonOf } from '../../../kit/system/files.ts';

/** The files beside the one that is imported. */
export interface ImportFiles {
  journal: string;
  ok: string;
  failed: string;
  /** Exists while a process imports the file. */
  lock: string;
}

export function filesOf(path: string): ImportFiles {
  return {
    journal: `${path}.waybill-journal`,
    ok: `${path}.ok.csv`,
    failed: `${path}.failed.csv`,
    lock: `${path}.waybill-lock`,
  };
}

/** Removes a file that an earlier import left there. */
export function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw unwritable(path, error);
  }
}

/**
 * Removes the faults file of an earlier check after a check without findings; if a journal exists, the file belongs to
 * its import and stays.
 */
export function removeOldFaults({ journal, failed }: ImportFiles): void {
  if (!existsSync(journal)) removeFile(failed);
}

/**
 * Renames the journal of an abandoned import, which records what was created. Returns a function that restores it, in
 * case the new import never starts.
 */
export function setAside(journal: string): () => void {
  const old = `${journal}.old`;
  const isThere = existsSync(journal);
  if (isThere) moveFile(journal, old);
  return () => {
    removeFile(journal);
    if (isThere) moveFile(old, journal);
  };
}

export function moveFile(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    throw unwritable(to, error);
  }
}

/** Takes the lock of a file; exit 6 if another process has it. */
export function lockFile(path: string, name: string): FileLock {
  return takeLock(path, {
    busy: (holder) => busy(holder, name),
    unusable: (cause) => unwritable(path, cause),
  });
}

function busy(id: number | null, name: string): Failure {
  const who = id === null ? 'another process' : `process ${id}`;
  return new Failure(6, 'import_running', `${name} is being imported by ${who}.`, {
    hint: 'Wait until that has ended: nothing was sent by this one.',
  });
}

const closed: readonly string[] = ['EACCES', 'EPERM', 'EROFS'];
const full: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Explains why a file cannot be written. */
export function writeReason(error: unknown): string {
  const code = codeOf(error) ?? '';
  if (closed.includes(code)) return 'you may not write there';
  return code === 'EFBIG' ? 'it may not grow any larger' : reasonOf(error);
}

/** The error for a result file that cannot be written. */
export function unwritable(path: string, cause: unknown): Failure {
  const hint = full.includes(codeOf(cause) ?? '')
    ? 'Make room on the disk.'
    : 'The journal and the results stand beside the file: copy it to a folder that you may write to.';
  return new Failure(2, 'file_unwritable', `${path} cannot be written: ${writeReason(cause)}.`, {
    hint,
    cause,
  });
}

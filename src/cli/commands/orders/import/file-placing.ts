import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { Failure } from '../../../kit/errors/failure.ts';
import { codeOf } from '../../../kit/system/file-errors.ts';
import { unwritable } from './file-faults.ts';

/** Puts a file that is whole in its place, where none may be. Throws Failure. */
export function putNew(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || existsSync(path)) throw begunMeanwhile(path);
    // Not every disk can give a file a second name.
    moved(draft, path);
  }
  rmSync(draft, { force: true });
}

function moved(draft: string, path: string): void {
  try {
    renameSync(draft, path);
  } catch (error) {
    throw unwritable(path, error);
  }
}

function begunMeanwhile(path: string): Failure {
  return new Failure(6, 'import_begun', `Another import was begun meanwhile: there is ${path} now.`, {
    hint: 'Nothing was sent by this one.',
  });
}

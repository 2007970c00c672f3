import { Failure } from '../../../kit/errors/failure.ts';
import { codeOf, reasonOf } from '../../../kit/system/files.ts';

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

const reasons: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'part of its path is a file',
  EEXIST: 'a file exists there',
  EISDIR: 'it is a folder',
  // The code of Node's own rm.
  ERR_FS_EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  ENOENT: 'it does not exist',
};

/** The system error code: `EACCES`. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** Explains why a file or folder cannot be used. */
export function reasonOf(error: unknown): string {
  const known = reasons[codeOf(error) ?? ''];
  return known ?? (error instanceof Error ? error.message : String(error));
}

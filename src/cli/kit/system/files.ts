/** Reads and replaces files, creates folders, and explains why one cannot be used (`explainFileError`). */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../errors/failure.ts';
import type { Host } from '../host/host.ts';

/** The meanings of the codes of system errors. */
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
export function readErrorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** Explains why a file or folder cannot be used. */
export function explainFileError(error: unknown): string {
  const known = reasons[readErrorCode(error) ?? ''];
  return known ?? (error instanceof Error ? error.message : String(error));
}

type InputHost = Pick<Host, 'stdin' | 'folder'>;

/** Reads a file, or stdin for `-`; UsageError if that fails. */
export async function readInputFile(path: string, place: InputHost): Promise<string> {
  if (path !== '-') return readFileText(path, place.folder);
  const { stdin } = place;
  if (!stdin.isTerminal) return stdin.text();
  throw new UsageError('"-" reads from stdin, which is a terminal: pipe something into it, or name a file.');
}

function readFileText(path: string, folder: string): string {
  return decodeUtf8(readFileBytes(path, folder), path);
}

/** The text of a file or of stdin; UsageError if it is not UTF-8. */
export function decodeUtf8(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw error instanceof TypeError ? notUtf8Error(name) : error;
  }
}

export function notUtf8Error(name: string): UsageError {
  return new UsageError(`${name} is not UTF-8.`, {
    hint: 'Save it again as UTF-8 text; in Excel, as "CSV UTF-8".',
  });
}

/** The bytes of a file; UsageError if it cannot be read. */
export function readFileBytes(path: string, folder: string): Buffer {
  try {
    return readFileSync(resolve(folder, path));
  } catch (error) {
    throw new UsageError(`The file ${path} cannot be read: ${explainFileError(error)}.`, { cause: error });
  }
}

interface WriteOptions {
  mode: number;
  /** Whether it must survive a power failure. */
  flush?: boolean;
}

/** Replaces a file atomically: a concurrent reader gets either the old or the new content. */
export function replaceFile(
  file: string,
  content: string | Buffer,
  { mode, flush = false }: WriteOptions,
): void {
  const draft = `${file}.${process.pid}.new`;
  try {
    // A killed process may have left a draft.
    rmSync(draft, { force: true });
    writeFileSync(draft, content, { flag: 'wx', mode, flush });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/**
 * Creates a folder and the missing ones above it, for this user only. Node's own recursive `mkdirSync` never returns
 * where a file system refuses new folders with ENOENT, as /proc does.
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const code = readErrorCode(error);
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    const above = dirname(path);
    if (code !== 'ENOENT' || above === path || statSync(above, { throwIfNoEntry: false }) !== undefined)
      throw error;
    makeFolder(above);
    makeFolder(path);
  }
}

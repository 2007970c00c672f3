import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';

interface Writing {
  mode: number;
  /** Use exactly this mode, that of the existing file, without the umask. */
  isGiven?: boolean;
  /** Whether it must survive a power failure. */
  flush?: boolean;
}

/** Replaces a file atomically: a concurrent reader gets either the old or the new content. */
export function writeWhole(
  file: string,
  content: string | Buffer,
  { mode, isGiven = false, flush = false }: Writing,
): void {
  const draft = `${file}.${process.pid}.new`;
  try {
    // A killed process may have left a draft.
    rmSync(draft, { force: true });
    writeFileSync(draft, content, { flag: 'wx', mode, flush });
    if (isGiven) chmodSync(draft, mode);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

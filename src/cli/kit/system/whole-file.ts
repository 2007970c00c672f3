import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';

interface Writing {
  mode: number;
  /** The mode is that of the file before: no umask takes anything off it. */
  isGiven?: boolean;
  /** Whether it is to be there after a loss of power. */
  flush?: boolean;
}

/** Puts a file in its place whole or not at all: whoever reads it meanwhile has the old one or the new one. */
export function writeWhole(
  file: string,
  content: string | Buffer,
  { mode, isGiven = false, flush = false }: Writing,
): void {
  const draft = `${file}.${process.pid}.new`;
  try {
    // One may lie there of a process that was killed.
    rmSync(draft, { force: true });
    writeFileSync(draft, content, { flag: 'wx', mode, flush });
    if (isGiven) chmodSync(draft, mode);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

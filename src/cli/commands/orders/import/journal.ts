import {
  closeSync,
  existsSync,
  fdatasync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '../../../kit/errors/failure.ts';
import { codeOf } from '../../../kit/system/files.ts';
import { unwritable } from './file-faults.ts';
import { type Done, type Entry, entryOf, type Header } from './journal-entries.ts';
import {
  apply,
  DamagedJournal,
  type JournalState,
  newState,
  readJournal,
  type Span,
} from './journal-state.ts';

const synced = promisify(fdatasync);

/** The append-only record of an import, which decides after a crash. */
export interface Journal {
  readonly state: JournalState;
  /** Writes an entry: it survives a crash of this process, and of the machine once `keep` has resolved. */
  append(entry: Entry): void;
  keep(): Promise<void>;
  /** Reads the outcome of a settled chunk. */
  read(span: Span): Done;
  /** Safe to call twice. */
  close(): void;
}

/**
 * Creates a journal, which appears under its name only with its complete header; never overwrites one. Throws Failure
 * if it cannot be written or already exists.
 */
export async function createJournal(path: string, header: Header): Promise<Journal> {
  const draft = `${path}.part`;
  const file = openFile(draft, 'w');
  const journal = journalOn({ path, file, end: 0 }, newState(header));
  try {
    journal.append(header);
    await journal.keep();
    putNew(draft, path);
  } catch (error) {
    journal.close();
    throw error;
  }
  keepFolder(dirname(path));
  return journal;
}

/** Opens an existing journal; null if there is none. Throws DamagedJournal. */
export async function openJournal(path: string): Promise<Journal | null> {
  const found = await readJournal(path);
  if (found === null) return null;
  const file = openFile(path, 'a');
  // Removes an entry that was cut off by a kill.
  if (statSync(path).size > found.end) truncateSync(path, found.end);
  return journalOn({ path, file, end: found.end }, found.state);
}

interface OpenFile {
  path: string;
  file: number;
  /** The length in bytes. */
  end: number;
}

function journalOn({ path, file, end: length }: OpenFile, state: JournalState): Journal {
  let end = length;
  let isBroken = false;
  let isOpen = true;
  return {
    state,
    append: (entry) => {
      // Nothing may be written after an incomplete line.
      if (isBroken) throw unwritable(path, new Error('it could not be written before'));
      isBroken = true;
      const bytes = Buffer.from(`${JSON.stringify(entry)}\n`);
      writeAll(file, bytes, path);
      apply(state, entry, { at: end, length: bytes.length });
      end += bytes.length;
      isBroken = false;
    },
    keep: async () => {
      try {
        await synced(file);
      } catch (error) {
        throw unwritable(path, error);
      }
    },
    read: (span) => readDone(path, span),
    close: () => {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}

function openFile(path: string, flags: string): number {
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    throw unwritable(path, error);
  }
}

function writeAll(file: number, bytes: Buffer, path: string): void {
  try {
    for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(writeSync(file, rest));
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** Syncs the folder, so that the new file name survives a crash; not every system supports it. */
function keepFolder(path: string): void {
  try {
    const folder = openSync(path, 'r');
    fsyncSync(folder);
    closeSync(folder);
  } catch {}
}

function readDone(path: string, { at, length }: Span): Done {
  const bytes = Buffer.alloc(length);
  const file = openSync(path, 'r');
  try {
    readSync(file, bytes, 0, length, at);
  } finally {
    closeSync(file);
  }
  const entry = entryOf(bytes.toString('utf8'));
  if (entry?.type === 'done') return entry;
  throw new DamagedJournal(path, at);
}

/** Moves a complete file to its name unless that exists. Throws Failure. */
function putNew(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || existsSync(path)) throw startedMeanwhile(path);
    // Not every file system supports hard links.
    moveDraft(draft, path);
  }
  rmSync(draft, { force: true });
}

function moveDraft(draft: string, path: string): void {
  try {
    renameSync(draft, path);
  } catch (error) {
    throw unwritable(path, error);
  }
}

function startedMeanwhile(path: string): Failure {
  return new Failure(6, 'import_begun', `Another import was started in the meantime: ${path} now exists.`, {
    hint: 'This import has sent nothing.',
  });
}

import {
  closeSync,
  createReadStream,
  fdatasync,
  fsyncSync,
  openSync,
  type ReadStream,
  readSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { UsageError } from '../../../kit/errors/failure.ts';
import { codeOf, reasonOf } from '../../../kit/system/files.ts';
import { moveFile, unwritable } from './files.ts';
import { type Done, type Entry, entryOf, type Header } from './journal-entries.ts';
import { apply, type JournalState, newState, type Span } from './journal-state.ts';

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
 * Creates a journal, which appears under its name only with its complete header. Throws Failure if it cannot be written.
 */
export async function createJournal(path: string, header: Header): Promise<Journal> {
  const draft = `${path}.part`;
  const file = openFile(draft, 'w');
  const journal = journalOn({ path, file, end: 0 }, newState(header));
  try {
    journal.append(header);
    await journal.keep();
    moveFile(draft, path);
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

/** The error for an unreadable journal: it was edited, or truncated by something other than an interrupted write. */
export class DamagedJournal extends Error {
  override name = 'DamagedJournal';

  constructor(path: string, at: number) {
    super(`The journal ${path} is damaged: it cannot be read from byte ${at} on.`);
  }
}

/**
 * Reads a journal and how far it is complete: the last line may be cut off by an interrupted write, but never the
 * first. Null without a file. Throws DamagedJournal.
 */
export async function readJournal(path: string): Promise<{ state: JournalState; end: number } | null> {
  let state: JournalState | null = null;
  let end = 0;
  let isThere = false;
  const stream = createReadStream(path).once('open', () => {
    isThere = true;
  });
  for await (const { text, span } of linesOf(stream, path)) {
    const entry = entryOf(text);
    if (entry === null || (state === null && entry.type !== 'import'))
      throw new DamagedJournal(path, span.at);
    if (state !== null) apply(state, entry, span);
    else if (entry.type === 'import') state = newState(entry);
    end = span.at + span.length;
  }
  if (state === null && isThere) throw new DamagedJournal(path, 0);
  return state === null ? null : { state, end };
}

interface Line {
  text: string;
  /** Includes the newline. */
  span: Span;
}

/** Yields every complete line; none if the file does not exist. */
async function* linesOf(stream: ReadStream, path: string): AsyncGenerator<Line> {
  let rest: Buffer = Buffer.alloc(0);
  let at = 0;
  try {
    for await (const bytes of stream) {
      if (!Buffer.isBuffer(bytes)) continue;
      rest = Buffer.concat([rest, bytes]);
      for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
        yield { text: rest.toString('utf8', 0, end), span: { at, length: end + 1 } };
        at += end + 1;
        rest = rest.subarray(end + 1);
      }
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw new UsageError(`The journal ${path} cannot be read: ${reasonOf(error)}.`, { cause: error });
  }
}

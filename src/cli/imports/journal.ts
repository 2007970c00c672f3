import {
  closeSync,
  createReadStream,
  fdatasync,
  fsyncSync,
  openSync,
  readSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '../failures/failure.ts';
import { codeOf, reasonOf } from '../settings/file-errors.ts';
import { type Done, type Entry, entryOf, type Header } from './journal-entries.ts';
import { apply, type JournalState, newState, type Span } from './journal-state.ts';

const synced = promisify(fdatasync);

/** The append-only record of an import: what it says goes, whatever happens to the process. */
export interface Journal {
  readonly state: JournalState;
  /** Writes an entry: it outlives this process, and once `keep` has resolved the machine as well. */
  append(entry: Entry): void;
  keep(): Promise<void>;
  /** What became of a settled chunk. */
  read(span: Span): Done;
  close(): void;
}

/** Begins a journal; its header is kept before this resolves. Throws Failure where it cannot be written. */
export async function createJournal(path: string, header: Header): Promise<Journal> {
  const file = opened(path, 'w');
  const journal = journalOn({ path, file, end: 0 }, newState(header));
  journal.append(header);
  await journal.keep();
  keepFolder(dirname(path));
  return journal;
}

/** Goes on with a journal; null where there is none, or where it was cut before its header was whole. */
export async function openJournal(path: string): Promise<Journal | null> {
  const found = await readJournal(path);
  if (found === null) return null;
  // What the process was about to write when it was killed.
  if (statSync(path).size > found.end) truncateSync(path, found.end);
  return journalOn({ path, file: opened(path, 'a'), end: found.end }, found.state);
}

interface OpenFile {
  path: string;
  file: number;
  /** Length in bytes. */
  end: number;
}

function journalOn({ path, file, end: length }: OpenFile, state: JournalState): Journal {
  let end = length;
  let isBroken = false;
  return {
    state,
    append: (entry) => {
      // After half a line nothing more may be written.
      if (isBroken) throw unwritable(path, new Error('it could not be written before'));
      isBroken = true;
      const bytes = Buffer.from(`${JSON.stringify(entry)}\n`);
      writeAll(file, bytes, path);
      apply(state, entry, { at: end, length: bytes.length });
      end += bytes.length;
      isBroken = false;
    },
    keep: () => synced(file),
    read: (span) => readDone(path, span),
    close: () => closeSync(file),
  };
}

function opened(path: string, flags: string): number {
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

function unwritable(path: string, cause: unknown): Failure {
  return new Failure(1, 'journal_failed', `The journal ${path} cannot be written: ${reasonOf(cause)}.`, {
    cause,
  });
}

/** The name of a new file is kept with its folder; not every system can. */
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
  throw new Error(`${path} has changed at byte ${at}`);
}

/** What a journal says, and how far it is whole; null where `openJournal` gives null. */
export async function readJournal(path: string): Promise<{ state: JournalState; end: number } | null> {
  let state: JournalState | null = null;
  let end = 0;
  for await (const { text, span } of linesOf(path)) {
    const entry = entryOf(text);
    if (entry === null || (state === null && entry.type !== 'import')) throw broken(path, span);
    if (state !== null) apply(state, entry, span);
    else if (entry.type === 'import') state = newState(entry);
    end = span.at + span.length;
  }
  return state === null ? null : { state, end };
}

function broken(path: string, { at }: Span): Failure {
  return new Failure(1, 'journal_failed', `The journal ${path} cannot be read from byte ${at} on.`, {
    hint: 'It was changed, or written by another version of waybill.',
  });
}

interface Line {
  text: string;
  /** With the newline. */
  span: Span;
}

/** Every line that has its end; none where there is no file. */
async function* linesOf(path: string): AsyncGenerator<Line> {
  let rest: Buffer = Buffer.alloc(0);
  let at = 0;
  try {
    for await (const bytes of createReadStream(path)) {
      if (!Buffer.isBuffer(bytes)) continue;
      rest = Buffer.concat([rest, bytes]);
      for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
        yield { text: rest.toString('utf8', 0, end), span: { at, length: end + 1 } };
        at += end + 1;
        rest = rest.subarray(end + 1);
      }
    }
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** The journal of an import: the file that is only appended to, its entries, and the state that they add up to. */
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
import { Compile } from 'typebox/schema';
import { OrderSettings } from '../../../../contract/orders.ts';
import { Nullable, type Static, Type } from '../../../../contract/schema.ts';
import { UsageError } from '../../../kit/errors/failure.ts';
import { once } from '../../../kit/once.ts';
import { explainFileError, readErrorCode } from '../../../kit/system/files.ts';
import { moveFile, unwritable } from './result-files.ts';
import { presetNames, sourceFormats } from './source.ts';

const syncFile = promisify(fdatasync);

/** The append-only record of an import, which decides after a crash. */
export interface Journal {
  readonly state: JournalState;
  /** Writes an entry: it survives a crash of this process, and of the machine once `sync` has resolved. */
  append(entry: Entry): void;
  sync(): Promise<void>;
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
    await journal.sync();
    moveFile(draft, path);
  } catch (error) {
    journal.close();
    throw error;
  }
  syncFolder(dirname(path));
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
      applyEntry(state, entry, { at: end, length: bytes.length });
      end += bytes.length;
      isBroken = false;
    },
    sync: async () => {
      try {
        await syncFile(file);
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
function syncFolder(path: string): void {
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
export async function readJournal(
  path: string,
): Promise<(Pick<Journal, 'state' | 'read'> & { end: number }) | null> {
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
    if (state !== null) applyEntry(state, entry, span);
    else if (entry.type === 'import') state = newState(entry);
    end = span.at + span.length;
  }
  if (state === null && isThere) throw new DamagedJournal(path, 0);
  return state === null ? null : { state, end, read: (span) => readDone(path, span) };
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
    if (readErrorCode(error) === 'ENOENT') return;
    throw new UsageError(`The journal ${path} cannot be read: ${explainFileError(error)}.`, { cause: error });
  }
}

export const journal_version = 3;

const Count = Type.Integer({ minimum: 0 });

/** The first line: source, destination and settings. They are fixed until the import is finished. */
export const Header = Type.Object({
  type: Type.Literal('import'),
  /**
   * Version 1 sent orders for manual dispatch one by one. Version 2 made an order of each row, and left other orders of
   * exports out: such an import is not resumed, as the file would be split otherwise.
   */
  version: Type.Enum([2, journal_version]),
  /** Identifies this import: another import of the same file uses other keys. */
  id: Type.String({ minLength: 1 }),
  file: Type.Object({
    format: Type.Enum(sourceFormats),
    sha256: Type.String(),
    rows: Count,
    columns: Type.Array(Type.String()),
    preset: Nullable(Type.Enum(presetNames)),
    /** Pairs of header and field. */
    map: Type.Array(Type.Array(Type.String())),
    store: Nullable(Type.String()),
    /** Pairs of header and value. */
    only: Type.Optional(Type.Array(Type.Array(Type.String()))),
    statuses: Type.Optional(Type.Array(Type.String())),
    /** Pairs of field and value. */
    set: Type.Optional(Type.Array(Type.Array(Type.String()))),
    date_attributes: Type.Optional(Type.Array(Type.String())),
    one_order_per_row: Type.Optional(Type.Boolean()),
  }),
  place: Type.Object({
    profile: Type.String(),
    service: Type.String(),
    mode: Type.Enum(['test', 'live']),
    account_id: Type.String(),
  }),
  /** Null: manual dispatch. */
  settings: Nullable(OrderSettings),
  simulation: Nullable(Type.String()),
  /**
   * The orders that the check refused: the line where each starts, its place among the orders, which earlier versions did
   * not write, and why.
   */
  invalid: Type.Optional(
    Type.Array(Type.Object({ line: Count, number: Type.Optional(Count), error: Type.String() })),
  ),
  /** An order whose reference is in use is not created. */
  unique_ref: Type.Optional(Type.Boolean()),
  limits: Type.Object({ rows: Count, bytes: Count }),
  /** Wall time, milliseconds since the epoch, like every `at` here. */
  at: Count,
});
export type Header = Static<typeof Header>;

/** Written before a chunk, or the rest of it, is sent. */
const Sending = Type.Object({
  type: Type.Literal('sending'),
  chunk: Count,
  /** How many times a part of the chunk was refused before. */
  attempt: Count,
  /** The first and last line of the chunk in the file. */
  lines: Type.Array(Count),
  key: Type.String(),
  sha256: Type.String(),
  at: Count,
});

/** Auto dispatch accepted the rest of the chunk. */
const Accepted = Type.Object({
  type: Type.Literal('accepted'),
  chunk: Count,
  batch_id: Type.String(),
  /** The number of orders accepted. */
  rows: Count,
});

const FailedRow = Type.Object({
  row: Count,
  error: Type.String(),
  /** The order that is there already, so that the row has not failed. */
  order_id: Type.Optional(Type.String()),
});
export type FailedRow = Static<typeof FailedRow>;

/** Rows of the chunk that will not be created. */
const Refused = Type.Object({ type: Type.Literal('refused'), chunk: Count, failed: Type.Array(FailedRow) });

const OrderOfRow = Type.Object({ line: Count, ref: Type.String(), order_id: Type.String() });

const Cells = Type.Array(Type.String());

/** The outcome of a chunk, as the result files need it. */
const Done = Type.Object({
  type: Type.Literal('done'),
  chunk: Count,
  batch_id: Nullable(Type.String()),
  made: Type.Array(OrderOfRow),
  /** Orders that were there already. */
  there: Type.Optional(Type.Array(OrderOfRow)),
  failed: Type.Array(
    Type.Object({
      line: Count,
      error: Type.String(),
      cells: Cells,
      /** The cells of further rows of the order. */
      more: Type.Optional(Type.Array(Cells)),
    }),
  ),
});
type Done = Static<typeof Done>;

const Finished = Type.Object({
  type: Type.Literal('finished'),
  made: Count,
  failed: Count,
  there: Type.Optional(Count),
  at: Count,
});

const Entry = Type.Union([Header, Sending, Accepted, Refused, Done, Finished]);
export type Entry = Static<typeof Entry>;

const entrySchema = once(() => Compile(Entry));

/** Parses a line of a journal; null if it is not an entry. */
function entryOf(text: string): Entry | null {
  try {
    const data: unknown = JSON.parse(text);
    return isEntry(data) ? data : null;
  } catch {
    return null;
  }
}

function isEntry(data: unknown): data is Entry {
  return entrySchema().Check(data);
}

/** The position of an entry in its journal, in bytes. */
interface Span {
  at: number;
  length: number;
}

export interface ChunkState {
  /** When the rest of it was first sent; null if it was not sent. */
  sent_at: number | null;
  sha256: string | null;
  /** How many times a part of it was refused. */
  attempt: number;
  batch_id: string | null;
  /** The number of orders of the batch. */
  accepted: number;
  /** Why a row is not created, by its index in the chunk. */
  failed: Map<number, string>;
  /** The order that is there already for a row, by the row's index in the chunk. */
  there: Map<number, string>;
}

/** The state of a finished chunk. */
interface SettledChunk {
  span: Span;
  batch_id: string | null;
  made: number;
  failed: number;
  there: number;
}

/** The contents of a journal. Memory grows with the chunks, not with the rows. */
export interface JournalState {
  header: Header;
  open: Map<number, ChunkState>;
  settled: Map<number, SettledChunk>;
  isFinished: boolean;
}

export function newState(header: Header): JournalState {
  return { header, open: new Map(), settled: new Map(), isFinished: false };
}

/** Returns the state of an unsettled chunk. */
export function openChunk({ open }: JournalState, number: number): ChunkState {
  const known = open.get(number);
  if (known !== undefined) return known;
  const fresh = {
    sent_at: null,
    sha256: null,
    attempt: 0,
    batch_id: null,
    accepted: 0,
    failed: new Map(),
    there: new Map(),
  };
  open.set(number, fresh);
  return fresh;
}

/** Applies an entry to the state, both when it is written and when it is read. */
function applyEntry(state: JournalState, entry: Entry, span: Span): void {
  if (entry.type === 'import') return;
  if (entry.type === 'finished') {
    state.isFinished = true;
    return;
  }
  if (entry.type === 'done') {
    const { chunk, batch_id, made, failed, there = [] } = entry;
    state.open.delete(chunk);
    const counts = { made: made.length, failed: failed.length, there: there.length };
    state.settled.set(chunk, { span, batch_id, ...counts });
    return;
  }
  if (!state.settled.has(entry.chunk)) applyToChunk(openChunk(state, entry.chunk), entry);
}

type Change = Extract<Entry, { type: 'sending' | 'accepted' | 'refused' }>;

function applyToChunk(chunk: ChunkState, entry: Change): void {
  switch (entry.type) {
    case 'sending':
      // A key's lifetime starts at its first use.
      chunk.sent_at ??= entry.at;
      chunk.sha256 = entry.sha256;
      break;
    case 'accepted':
      chunk.batch_id = entry.batch_id;
      chunk.accepted = entry.rows;
      break;
    case 'refused':
      for (const { row, error, order_id } of entry.failed)
        if (order_id === undefined) chunk.failed.set(row, error);
        else chunk.there.set(row, order_id);
      // The other rows of the chunk are sent again, in a new request.
      chunk.attempt += 1;
      chunk.sent_at = null;
  }
}

/** The settled chunks in the order of the file. */
export function settledChunks({ settled }: JournalState): SettledChunk[] {
  return [...settled].sort(([a], [b]) => a - b).map(([, chunk]) => chunk);
}

export function countSettledRows({ settled }: JournalState): { made: number; failed: number; there: number } {
  const totals = { made: 0, failed: 0, there: 0 };
  for (const { made, failed, there } of settled.values()) {
    totals.made += made;
    totals.failed += failed;
    totals.there += there;
  }
  return totals;
}

/**
 * Counts the rows that were created, accepted by auto dispatch, there already, or failed, including those of unsettled
 * chunks.
 */
export function rowsOf(state: JournalState): number {
  const { made, failed, there } = countSettledRows(state);
  let rows = made + failed + there;
  for (const chunk of state.open.values()) rows += chunk.accepted + chunk.failed.size + chunk.there.size;
  return rows;
}

/** True if an order is known to be created. */
export function hasMade({ settled, open }: JournalState): boolean {
  return (
    [...settled.values()].some(({ made }) => made > 0) ||
    [...open.values()].some(({ accepted }) => accepted > 0)
  );
}

import type { Entry, Header } from './journal-entries.ts';

/** The position of an entry in its journal, in bytes. */
export interface Span {
  at: number;
  length: number;
}

/** The state of a chunk. */
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
}

/** The state of a finished chunk. */
interface SettledChunk {
  span: Span;
  batch_id: string | null;
  made: number;
  failed: number;
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
  };
  open.set(number, fresh);
  return fresh;
}

/** Applies an entry to the state, both when it is written and when it is read. */
export function apply(state: JournalState, entry: Entry, span: Span): void {
  if (entry.type === 'import') return;
  if (entry.type === 'finished') {
    state.isFinished = true;
    return;
  }
  if (entry.type === 'done') {
    const { chunk, batch_id, made, failed } = entry;
    state.open.delete(chunk);
    state.settled.set(chunk, { span, batch_id, made: made.length, failed: failed.length });
    return;
  }
  if (!state.settled.has(entry.chunk)) change(openChunk(state, entry.chunk), entry);
}

type Change = Extract<Entry, { type: 'sending' | 'accepted' | 'refused' }>;

function change(chunk: ChunkState, entry: Change): void {
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
      for (const { row, error } of entry.failed) chunk.failed.set(row, error);
      // The other rows of the chunk are sent again, in a new request.
      chunk.attempt += 1;
      chunk.sent_at = null;
  }
}

/** The settled chunks in the order of the file. */
export function settledChunks({ settled }: JournalState): SettledChunk[] {
  return [...settled].sort(([a], [b]) => a - b).map(([, chunk]) => chunk);
}

/** Counts the rows of all settled chunks. */
export function totalsOf({ settled }: JournalState): { made: number; failed: number } {
  const totals = { made: 0, failed: 0 };
  for (const { made, failed } of settled.values()) {
    totals.made += made;
    totals.failed += failed;
  }
  return totals;
}

/** Counts the rows that were created, accepted by auto dispatch, or failed, including those of unsettled chunks. */
export function rowsOf(state: JournalState): number {
  const { made, failed } = totalsOf(state);
  let rows = made + failed;
  for (const chunk of state.open.values()) rows += chunk.accepted + chunk.failed.size;
  return rows;
}

/** True if an order is known to be created. */
export function hasMade({ settled, open }: JournalState): boolean {
  return (
    [...settled.values()].some(({ made }) => made > 0) ||
    [...open.values()].some(({ accepted }) => accepted > 0)
  );
}

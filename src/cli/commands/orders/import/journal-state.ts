import type { Entry, Header } from './journal-entries.ts';

/** Where an entry stands in its journal, in bytes. */
export interface Span {
  at: number;
  length: number;
}

/** What is known of a chunk. */
export interface ChunkState {
  /** When what is left of it was first sent; null where it was not. */
  sent_at: number | null;
  sha256: string | null;
  /** How often a part of it was refused, with auto dispatch. */
  attempt: number;
  batch_id: string | null;
  /** How many orders the batch has. */
  accepted: number;
  /** The orders made one by one, by their place in the chunk. */
  made: Map<number, string>;
  /** Why a row is not made, by its place in the chunk. */
  failed: Map<number, string>;
}

/** What is known of a chunk that needs nothing any more. */
export interface SettledChunk {
  span: Span;
  batch_id: string | null;
  made: number;
  failed: number;
}

/** Everything a journal says, in memory that grows with the chunks and not with the rows. */
export interface JournalState {
  header: Header;
  open: Map<number, ChunkState>;
  settled: Map<number, SettledChunk>;
  isFinished: boolean;
}

export function newState(header: Header): JournalState {
  return { header, open: new Map(), settled: new Map(), isFinished: false };
}

/** The state of a chunk that is not settled. */
export function openChunk({ open }: JournalState, number: number): ChunkState {
  const known = open.get(number);
  if (known !== undefined) return known;
  const fresh = {
    sent_at: null,
    sha256: null,
    attempt: 0,
    batch_id: null,
    accepted: 0,
    made: new Map(),
    failed: new Map(),
  };
  open.set(number, fresh);
  return fresh;
}

/** Adds an entry to what is known; writing and reading a journal come to the same. */
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
  if (!state.settled.has(entry.chunk)) change(openChunk(state, entry.chunk), entry, state.header);
}

type Change = Extract<Entry, { type: 'sending' | 'accepted' | 'made' | 'refused' }>;

function change(chunk: ChunkState, entry: Change, { settings }: Header): void {
  switch (entry.type) {
    case 'sending':
      // The life of a key begins with its first use.
      chunk.sent_at ??= entry.at;
      chunk.sha256 = entry.sha256;
      break;
    case 'accepted':
      chunk.batch_id = entry.batch_id;
      chunk.accepted = entry.rows;
      break;
    case 'made':
      chunk.made.set(entry.row, entry.order_id);
      break;
    case 'refused':
      for (const { row, error } of entry.failed) chunk.failed.set(row, error);
      if (settings === null) break;
      // The others of the chunk go again, in a request of their own.
      chunk.attempt += 1;
      chunk.sent_at = null;
  }
}

export interface Totals {
  made: number;
  failed: number;
}

/** The rows of all chunks that are settled. */
export function totalsOf({ settled }: JournalState): Totals {
  const totals = { made: 0, failed: 0 };
  for (const { made, failed } of settled.values()) {
    totals.made += made;
    totals.failed += failed;
  }
  return totals;
}

/** How many rows are made, taken by auto dispatch, or failed: those of chunks that are not settled too. */
export function rowsOf(state: JournalState): number {
  const { made, failed } = totalsOf(state);
  let rows = made + failed;
  for (const chunk of state.open.values()) rows += chunk.made.size + chunk.accepted + chunk.failed.size;
  return rows;
}

/** Whether an order is known to be made. */
export function hasMade({ settled, open }: JournalState): boolean {
  return (
    [...settled.values()].some(({ made }) => made > 0) ||
    [...open.values()].some((chunk) => chunk.made.size + chunk.accepted > 0)
  );
}

import { createHash } from 'node:crypto';
import type { OrderRequest } from '../../../../contract/orders.ts';

/** An order that is to be made, and where it came from. */
export interface ImportRow {
  line: number;
  order: OrderRequest;
  cells: readonly string[];
}

/** Rows that are journaled together; with auto dispatch they are one request. */
export interface Chunk {
  /** From 0. */
  number: number;
  rows: readonly ImportRow[];
  /** Of the orders as they are sent. */
  sha256: string;
}

/** The same file has the same chunks only while these stay the same: the journal holds them. */
export interface ChunkLimits {
  rows: number;
  /** Of the request. */
  bytes: number;
}

/** The interface takes 300 orders of auto dispatch at once; a body of more than 4 MiB takes long to send again. */
export const chunkLimits: ChunkLimits = { rows: 300, bytes: 4 * 1024 * 1024 };

/** What a request has beside its orders. */
const envelope_bytes = 16 * 1024;

/** Groups rows, in their order; no more than one chunk is held. */
export async function* chunksOf(rows: AsyncIterable<ImportRow>, limits: ChunkLimits): AsyncGenerator<Chunk> {
  let number = 0;
  let held: ImportRow[] = [];
  let bytes = envelope_bytes;
  let hash = createHash('sha256');
  for await (const row of rows) {
    const text = `${JSON.stringify(row.order)},`;
    const size = Buffer.byteLength(text);
    if (held.length === limits.rows || (held.length > 0 && bytes + size > limits.bytes)) {
      yield { number, rows: held, sha256: hash.digest('hex') };
      number += 1;
      [held, bytes, hash] = [[], envelope_bytes, createHash('sha256')];
    }
    held.push(row);
    bytes += size;
    hash.update(text);
  }
  if (held.length > 0) yield { number, rows: held, sha256: hash.digest('hex') };
}

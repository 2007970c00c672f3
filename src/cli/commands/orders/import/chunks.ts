import { createHash } from 'node:crypto';
import type { OrderRequest } from '../../../../contract/orders.ts';

/** An order to create, and its row. */
export interface ImportRow {
  line: number;
  order: OrderRequest;
  cells: readonly string[];
}

/** Rows that are sent in one request. */
export interface Chunk {
  /** Starts at 0. */
  number: number;
  rows: readonly ImportRow[];
  /** The fingerprint covers the orders as they are sent. */
  sha256: string;
}

/** The limits of a chunk. The journal stores them, as the same file must be split into the same chunks. */
export interface ChunkLimits {
  rows: number;
  /** The size of the request. */
  bytes: number;
}

/** A request takes up to 300 orders; repeating a body of more than 4 MiB takes long. */
export const chunkLimits: ChunkLimits = { rows: 300, bytes: 4 * 1024 * 1024 };

/** The size of a request without its orders. */
const envelope_bytes = 16 * 1024;

/** Groups rows in order; keeps at most one chunk in memory. */
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

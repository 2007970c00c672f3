import { createHash } from 'node:crypto';
import type { OrderRequest } from '../../../../contract/orders.ts';
import { UsageError } from '../../../kit/errors/failure.ts';
import { isOrder } from './check-order.ts';
import type { Header } from './journal-entries.ts';
import { openTable } from './reading/open-table.ts';
import type { Source, Table, Tally } from './source.ts';

/** Rows that are sent in one request. */
export interface Chunk {
  /** Starts at 0. */
  number: number;
  rows: readonly ImportRow[];
  /** The fingerprint covers the orders as they are sent. */
  sha256: string;
}

/** An order to create, and its row. */
export interface ImportRow {
  line: number;
  order: OrderRequest;
  cells: readonly string[];
}

/** The limits of a chunk. The journal stores them, as the same file must be split into the same chunks. */
type ChunkLimits = Header['limits'];

/** A request takes up to 300 orders; repeating a body of more than 4 MiB takes long. */
export const chunkLimits: ChunkLimits = { rows: 300, bytes: 4 * 1024 * 1024 };

/** The size of a request without its orders. */
const envelope_bytes = 16 * 1024;

/** Reads a checked file as chunks and adds up its contents in `tally`. */
export async function* chunksIn(source: Source, { limits }: Header, tally: Tally): AsyncGenerator<Chunk> {
  const table = await openTable(source, tally);
  yield* chunksOf(ordersIn(table), limits);
}

/** Reads the rows of a checked file as orders. */
async function* ordersIn(table: Table): AsyncGenerator<ImportRow> {
  for await (const { fields, line, cells, faults } of table.rows) {
    if (faults.length > 0 || !isOrder(fields)) throw changedFile(`line ${line} is another`);
    yield { line, order: fields, cells };
  }
}

/** The file has changed since it was checked. */
export function changedFile(what: string): UsageError {
  return new UsageError(`The file was changed while it was imported: ${what}.`, {
    hint: 'The orders sent so far are from the earlier version. Restore that file and resume.',
  });
}

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

import { ordersIn } from './checking.ts';
import { type Chunk, chunksOf } from './chunks.ts';
import type { Header } from './journal-entries.ts';
import type { Source, Tally } from './source.ts';
import { openTable } from './tables.ts';

/** The chunks of a file that was checked; what was read of it is added up in `tally`. */
export async function* chunksIn(source: Source, { limits }: Header, tally: Tally): AsyncGenerator<Chunk> {
  const table = await openTable(source, tally);
  yield* chunksOf(ordersIn(table), limits);
}

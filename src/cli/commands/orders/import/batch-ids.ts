import { eachChunk, type Sending, type Tools } from './chunk-pool.ts';
import type { Chunk } from './chunks.ts';
import { type ChunkState, openChunk } from './journal-state.ts';
import { checkRead, finish, idsByRow, leftOf } from './send-chunks.ts';

/** Gets the order IDs of every accepted batch and journals the outcome of its chunk. */
export async function collectIds(chunks: AsyncIterable<Chunk>, sending: Sending): Promise<void> {
  await eachChunk(chunks, sending, collect);
}

async function collect(chunk: Chunk, tools: Tools): Promise<void> {
  const { journal, settled } = tools;
  const state = openChunk(journal.state, chunk.number);
  checkRead(chunk, state);
  const { batch_id } = state;
  if (batch_id === null) return;
  const ids = await tools.request(() => idsOf(chunk, state, { ...tools, batch_id }));
  if (ids === null) return;
  finish(chunk, state, ids, journal);
  settled(chunk.rows.length);
}

async function idsOf(
  chunk: Chunk,
  state: ChunkState,
  { client, batch_id }: Tools & { batch_id: string },
): Promise<ReadonlyMap<number, string>> {
  const { data } = await client.batches.get({ params: { batch_id } });
  const order_ids = data.orders.map(({ order_id }) => order_id);
  return idsByRow(leftOf(chunk, state), order_ids);
}

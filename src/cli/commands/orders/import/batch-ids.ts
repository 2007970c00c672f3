import { eachChunk, type Sending, type Tools } from './chunk-pool.ts';
import type { Chunk } from './chunks.ts';
import { type ChunkState, openChunk } from './journal-state.ts';
import { checkRead, finish, leftOf } from './send-chunks.ts';

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

/** A batch lists its orders in the sequence of its request. */
async function idsOf(
  chunk: Chunk,
  state: ChunkState,
  { client, batch_id }: Tools & { batch_id: string },
): Promise<Map<number, string>> {
  const left = leftOf(chunk, state);
  const { data } = await client.batches.get({ params: { batch_id } });
  if (data.orders.length !== left.length)
    throw new Error(`the batch ${batch_id} has ${data.orders.length} orders, and ${left.length} were sent`);
  return new Map(left.map(([row], place) => [row, data.orders[place]?.order_id ?? '']));
}

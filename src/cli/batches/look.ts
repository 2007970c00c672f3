import type { Batch } from '../../contract/batches.ts';
import type { Context } from '../context.ts';

/** A batch as it is now. */
export async function lookAtBatch(context: Context, batch_id: string): Promise<Batch> {
  const client = await context.client();
  return (await client.batches.get({ params: { batch_id } })).data;
}

import type { Context } from '../context.ts';

/** A batch that there is not is told, exit 5, where a list of what belongs to it would be empty. */
export async function checkBatch(context: Pick<Context, 'client'>, batch_id: string): Promise<void> {
  const client = await context.client();
  await client.batches.get({ params: { batch_id } });
}

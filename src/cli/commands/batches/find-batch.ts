import type { Batch } from '../../../contract/batches.ts';
import type { Context } from '../../session/command.ts';

export async function getBatch(context: Pick<Context, 'client'>, batch_id: string): Promise<Batch> {
  const client = await context.client();
  return (await client.batches.get({ params: { batch_id } })).data;
}

import type { Batch } from '../../contract/batches.ts';
import type { Context } from '../context.ts';
import { invocation } from '../kit/output/invocation.ts';
import type { Text } from '../kit/output/message.ts';
import { phrase } from '../kit/output/message.ts';
import { type Following, looksOf } from '../kit/polling/waitable.ts';
import type { Told } from '../waiting/event-notifications.ts';
import { countsText } from './counts.ts';
import { lookAtBatch } from './look.ts';

/** What is told of batches. */
export const toldOfBatches: Told = {
  types: ['order.dispatched', 'order.unfulfilled', 'order.failed', 'order.canceled', 'batch.completed'],
  isAbout: ({ batch_id }) => typeof batch_id === 'string',
};

/** A batch as each look finds it, until it is complete or the time has run out. */
export async function* batchLooks(
  context: Context,
  first: Batch,
  following: Following,
): AsyncGenerator<Batch> {
  const { batch_id, test_mode } = first;
  const subject = {
    ...{ first, test_mode, look: () => lookAtBatch(context, batch_id) },
    told: { ...toldOfBatches, batch_id },
    standing: (batch: Batch) => standingText(context, batch_id, countsText(batch)),
    isSame: (before: Batch, after: Batch) => JSON.stringify(before) === JSON.stringify(after),
    idle: () => null,
  };
  for await (const batch of looksOf(context, subject, following)) {
    yield batch;
    if (batch.status === 'complete') return;
  }
}

/** What is true of a batch that nobody waits for any more. */
export function standingText({ settings }: Context, batch_id: string, counts: string | null): Text {
  const goesOn =
    settings.target.kind === 'embedded' ? 'goes on whenever a command runs' : 'goes on at the service';
  const stand = counts === null ? '' : ` ${counts}.`;
  const watch = invocation('batches get', [batch_id], { watch: true });
  return phrase`Auto dispatch of ${batch_id} ${goesOn}.${stand} Follow it with: ${watch}`;
}

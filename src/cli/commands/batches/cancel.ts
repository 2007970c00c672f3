import type { Batch } from '../../../contract/batches.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { drawingFormats, streamFormats } from '../../kit/output/formats.ts';
import { type Context, defineCommand, positional } from '../../session/command.ts';
import { checkWaiting, waitOptions, watchFlags } from '../../waiting/waiting-flags.ts';
import { batchDrawing } from './batch-text.ts';
import { batchEnd } from './batch-waiting-flags.ts';
import { canceledNotes, cancelQuestion } from './cancel-batch.ts';
import { getBatch } from './find-batch.ts';

export const cancel = defineCommand({
  name: 'cancel',
  aliases: ['close', 'stop'],
  summary: 'Cancel the pending orders of a batch',
  description: [
    'Orders that are already dispatched are not affected: cancel their deliveries one by one, at the fee of each',
    'courier. If a courier is being asked right now, that order is canceled only if the courier declines. --watch',
    'waits for those.',
  ].join('\n'),
  positionals: { batch: positional('batch', { summary: 'Batch ID' }) },
  flags: watchFlags(batchEnd),
  examples: [
    { command: 'waybill batches cancel BATCH', summary: 'Show the effect, then confirm' },
    { command: 'waybill batches cancel BATCH --yes --watch', summary: 'In a script, wait for every order' },
  ],
  effect: 'write',
  confirms: true,
  formats: drawingFormats,
  async run(context, { flags, positionals }) {
    const { watch } = flags;
    checkWaiting(context, { watch });
    // Nothing is changed if the result cannot be shown.
    if (watch && context.output.format === 'id')
      throw new UsageError('A stream cannot be printed as id.', { choices: streamFormats });
    const before = await getBatch(context, positionals.batch);
    const after = await cancelPending(context, before);
    const notes = canceledNotes(before, after);
    if (!watch) return batchDrawing(after, { notes });
    for (const note of context.output.json ? [] : notes) context.note(note);
    const { batchWaitable } = await import('./batch-waitable.ts');
    const { watchChanges } = await import('../../waiting/service-waiting.ts');
    const waitable = batchWaitable(context, after, { until: ['complete'], fail_on: [], isJudged: false });
    const options = waitOptions(context, ['batches get', after.batch_id, { watch }], flags);
    return watchChanges(context, waitable, options);
  },
});

/** Cancels the pending orders of the batch; sends nothing if there are none. */
async function cancelPending(context: Context, before: Batch): Promise<Batch> {
  const { batch_id, counts } = before;
  if (!context.globals.dryRun) {
    if (counts.pending === 0) return before;
    await context.confirm(cancelQuestion(before));
  }
  const client = await context.client();
  const { data } = await client.batches.cancel({
    params: { batch_id },
    idempotencyKey: context.idempotencyKey(),
  });
  return data;
}

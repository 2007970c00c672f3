import { batchAgain, batchGoalFlags, batchGoalOf, windowAndMore } from '../../batches/batch-waiting-flags.ts';
import { lookAtBatch } from '../../batches/look.ts';
import { defineCommand, positional } from '../../command.ts';
import { drawingFormats } from '../../line/globals.ts';
import { paceFlags } from '../../waiting/waiting-flags.ts';

export const wait = defineCommand({
  name: 'wait',
  aliases: ['await', 'wait-for'],
  summary: 'Wait until a batch is complete',
  description: [
    'Same as batches get --wait. The exit code is 0 if every order was dispatched, 9 if none was, 10 if some were',
    'not, and 8 after a timeout. With --fail-on it is 9 as soon as an order ends in that status; other orders',
    'continue.',
  ].join('\n'),
  positionals: { batch: positional('batch', { summary: 'Batch ID' }) },
  flags: { ...batchGoalFlags, ...paceFlags(windowAndMore) },
  examples: [
    { command: 'waybill batches wait BATCH', summary: 'Wait until every order has an outcome' },
    {
      command: 'waybill batches wait BATCH --fail-on unfulfilled,failed --timeout 40m --json',
      summary: 'In a script, stop at the first order that no courier takes',
    },
  ],
  effect: 'read',
  formats: drawingFormats,
  async run(context, { flags, positionals }) {
    const batch = await lookAtBatch(context, positionals.batch);
    const { awaitBatch } = await import('../../batches/awaiting.ts');
    const { timeout, interval } = flags;
    return awaitBatch(context, batch, {
      ...{ goal: batchGoalOf(flags), timeout_ms: timeout, interval_ms: interval },
      again: batchAgain(context, ['batches wait', {}], batch.batch_id, flags),
    });
  },
});

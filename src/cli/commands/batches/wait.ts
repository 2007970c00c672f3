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
    'The same as batches get --wait: 0 where all of its orders were dispatched, 9 where none was, 10 where some were',
    'not, 8 when time ran out. With --fail-on it is 9 at the first order that ended so; the others go on.',
  ].join('\n'),
  positionals: { batch: positional('batch', { summary: 'The batch' }) },
  flags: { ...batchGoalFlags, ...paceFlags(windowAndMore) },
  examples: [
    { command: 'waybill batches wait BATCH', summary: 'Until all of its orders are settled' },
    {
      command: 'waybill batches wait BATCH --fail-on unfulfilled,failed --timeout 40m --json',
      summary: 'In a script that stops at the first order nobody takes',
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

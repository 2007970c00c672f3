import {
  batchAgain,
  batchEnd,
  batchGoalFlags,
  batchGoalOf,
  batchWaitFlag,
  eitherPatience,
} from '../../batches/batch-waiting-flags.ts';
import { lookAtBatch } from '../../batches/look.ts';
import { defineCommand, positional } from '../../command.ts';
import { invocation } from '../../kit/output/invocation.ts';
import { phrase } from '../../kit/output/message.ts';
import { drawingFormats } from '../../line/globals.ts';
import { checkWaiting, idleNamesOfRecord, waitingOf, watchFlags } from '../../waiting/waiting-flags.ts';

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'What became of the orders of a batch so far',
  description: [
    'Each order with its status, its tries and why it is not dispatched. --wait ends with 0 where all were dispatched,',
    'with 9 where none was, with 10 where some were not, and with 8 when time ran out; so does --watch, with a line for',
    'each change. With --fail-on it is 9 at the first order that ended so. With --watch --json each line is the batch',
    'with a type: batch.current first, then batch.updated, batch.completed at last.',
  ].join('\n'),
  positionals: { batch: positional('batch', { summary: 'The batch' }) },
  flags: { wait: batchWaitFlag, ...watchFlags(batchEnd, eitherPatience), ...batchGoalFlags },
  examples: [
    { command: 'waybill batches get BATCH', summary: 'Where it stands' },
    { command: 'waybill batches get BATCH --watch', summary: 'As it goes on' },
    { command: 'waybill batches get BATCH --wait --timeout 40m --json', summary: 'In a script' },
  ],
  effect: 'read',
  formats: drawingFormats,
  async run(context, { flags, positionals }) {
    const { watch, wait } = flags;
    checkWaiting(context, { wait, watch }, idleNamesOfRecord);
    const batch = await lookAtBatch(context, positionals.batch);
    const goal = batchGoalOf(flags);
    if (watch) {
      const { watchBatch } = await import('../../batches/watching.ts');
      const again = batchAgain(context, ['batches get', { watch: true }], batch.batch_id, flags);
      return watchBatch(context, batch, { goal, waiting: waitingOf(flags), again, isJudged: true });
    }
    if (wait) {
      const { awaitBatch } = await import('../../batches/awaiting.ts');
      const again = batchAgain(context, ['batches get', { wait: true }], batch.batch_id, flags);
      return awaitBatch(context, batch, { goal, ...waitingOf(flags), again });
    }
    const { batchDrawing } = await import('../../batches/batch-text.ts');
    const follow = invocation('batches get', [batch.batch_id], { watch: true });
    return batchDrawing(
      batch,
      batch.status === 'processing' ? { notes: [phrase`Follow it: ${follow}`] } : {},
    );
  },
});

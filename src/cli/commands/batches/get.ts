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
  summary: 'Show the orders of a batch and their outcome',
  description: [
    'Shows each order with its status, its attempts, and why it was not dispatched. With --wait or --watch the exit',
    'code is 0 if every order was dispatched, 9 if none was, 10 if some were not, and 8 after a timeout. With',
    '--fail-on it is 9 as soon as an order ends in that status. --watch --json prints the batch per line with a type:',
    'batch.current first, then batch.updated, and finally batch.completed.',
  ].join('\n'),
  positionals: { batch: positional('batch', { summary: 'Batch ID' }) },
  flags: { wait: batchWaitFlag, ...watchFlags(batchEnd, eitherPatience), ...batchGoalFlags },
  examples: [
    { command: 'waybill batches get BATCH', summary: 'Show the current status' },
    { command: 'waybill batches get BATCH --watch', summary: 'Follow it live' },
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
      batch.status === 'processing' ? { notes: [phrase`Follow progress: ${follow}`] } : {},
    );
  },
});

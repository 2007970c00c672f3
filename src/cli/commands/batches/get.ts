import { drawingFormats } from '../../kit/output/formats.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { checkWaiting, recordWaitingNames, waitOptions, watchFlags } from '../../waiting/waiting-flags.ts';
import {
  batchEnd,
  batchTargetFlags,
  batchTargetOf,
  batchWaitFlag,
  eitherTimeout,
} from './batch-waiting-flags.ts';
import { getBatch } from './find-batch.ts';

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
  flags: { wait: batchWaitFlag, ...watchFlags(batchEnd, eitherTimeout), ...batchTargetFlags },
  examples: [
    { command: 'waybill batches get BATCH', summary: 'Show the current status' },
    { command: 'waybill batches get BATCH --watch', summary: 'Follow it live' },
    { command: 'waybill batches get BATCH --wait --timeout 40m --json', summary: 'In a script' },
  ],
  effect: 'read',
  formats: drawingFormats,
  async run(context, { flags, positionals }) {
    const { watch, wait } = flags;
    checkWaiting(context, { wait, watch }, recordWaitingNames);
    const batch = await getBatch(context, positionals.batch);
    if (watch || wait) {
      const { batchTimeout, batchWaitable } = await import('./batch-waitable.ts');
      const { waitForAnswer, watchChanges } = await import('../../waiting/service-waiting.ts');
      const waitable = batchWaitable(context, batch, batchTargetOf(flags));
      const command = ['batches get', batch.batch_id, watch ? { watch } : { wait }] as const;
      if (watch) return watchChanges(context, waitable, waitOptions(context, command, flags));
      const options = waitOptions(context, command, flags, batchTimeout(batch.settings));
      return waitForAnswer(context, waitable, options);
    }
    const { batchDrawing } = await import('./batch-text.ts');
    const follow = invocation('batches get', [batch.batch_id], { watch: true });
    return batchDrawing(
      batch,
      batch.status === 'processing' ? { notes: [phrase`Follow progress: ${follow}`] } : {},
    );
  },
});

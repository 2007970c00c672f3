import { drawingFormats } from '../../kit/output/formats.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { paceFlags, waitOptions } from '../../waiting/waiting-flags.ts';
import { batchTargetFlags, batchTargetOf, windowAndMore } from './batch-waiting-flags.ts';
import { getBatch } from './find-batch.ts';

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
  flags: { ...batchTargetFlags, ...paceFlags(windowAndMore) },
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
    const batch = await getBatch(context, positionals.batch);
    const { batchTimeout, batchWaitable } = await import('./batch-waitable.ts');
    const { waitForAnswer } = await import('../../waiting/service-waiting.ts');
    const timeout_ms = batchTimeout(batch.settings);
    const options = waitOptions(context, ['batches wait', batch.batch_id], flags, timeout_ms);
    return waitForAnswer(context, batchWaitable(context, batch, batchTargetOf(flags)), options);
  },
});

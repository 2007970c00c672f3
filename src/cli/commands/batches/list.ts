import { batchStatuses } from '../../../contract/vocabulary.ts';
import { choice } from '../../kit/args/flags.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { defineCommand } from '../../session/command.ts';
import { listing, pagingFlags } from '../../session/listing.ts';
import { checkWatchedList, waitingOf, watchedLimit, watchFlags } from '../../waiting/waiting-flags.ts';
import { batchColumns } from './batch-columns.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List batches, newest first',
  description: [
    '--watch prints a line for each change until no listed batch is processing. With --json each line is a batch with',
    'a type: batch.current first, then batch.updated, and finally batch.completed.',
  ].join('\n'),
  flags: {
    status: choice({ summary: 'Filter by status', choices: batchStatuses, placeholder: 'STATUS' }),
    ...watchFlags('all are complete'),
    ...pagingFlags,
  },
  examples: [
    { command: 'waybill batches list', summary: 'List the latest batches' },
    {
      command: 'waybill batches list --status processing --watch',
      summary: 'Follow the batches in progress',
    },
    { command: 'waybill batches list --all -o id', summary: 'Print every ID' },
  ],
  columns: batchColumns,
  effect: 'read',
  async run(context, { flags }) {
    const { status, watch, limit } = flags;
    checkWatchedList(context, flags);
    if (watch) {
      const { watchBatches } = await import('./batch-waitable.ts');
      return watchBatches(context, { status, limit: watchedLimit(limit) }, waitingOf(flags));
    }
    const client = await context.client();
    return listing({
      list: client.batches.list,
      query: { status },
      paging: flags,
      columns: batchColumns,
      command: invocation('batches list'),
      filters: { status },
      empty: 'No batches found.',
      start: phrase`No batches yet. Auto dispatch makes them: ${invocation('orders create', [], { auto: true })}`,
    });
  },
});

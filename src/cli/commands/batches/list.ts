import { batchStatuses } from '../../../contract/vocabulary.ts';
import { batchColumns } from '../../columns/batches.ts';
import { defineCommand } from '../../command.ts';
import { invocation } from '../../kit/output/invocation.ts';
import { choice } from '../../line/flags.ts';
import { listing, pagingFlags } from '../../line/listing.ts';
import { checkWatchedList, waitingOf, watchedLimit, watchFlags } from '../../waiting/waiting-flags.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List batches of auto dispatch, newest first',
  description: [
    '--watch follows those of the list: a line for each change, until none of them is processing any more. With --json',
    'each line is a batch with a type: batch.current first, then batch.updated, batch.completed at last.',
  ].join('\n'),
  flags: {
    status: choice({ summary: 'Only those in this status', choices: batchStatuses, placeholder: 'STATUS' }),
    ...watchFlags('all are complete'),
    ...pagingFlags,
  },
  examples: [
    { command: 'waybill batches list', summary: 'The latest' },
    { command: 'waybill batches list --status processing --watch', summary: 'What is under way' },
    { command: 'waybill batches list --all -o id', summary: 'All ids' },
  ],
  effect: 'read',
  async run(context, { flags }) {
    const { status, watch, limit } = flags;
    checkWatchedList(context, flags);
    if (watch) {
      const { watchBatches } = await import('../../batches/batch-list-waitable.ts');
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
    });
  },
});

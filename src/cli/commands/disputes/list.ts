import { disputeStatuses } from '../../../contract/vocabulary.ts';
import { choice } from '../../kit/args/flags.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { defineCommand } from '../../session/command.ts';
import { listing, pagingFlags } from '../../session/listing.ts';
import { disputeColumns } from './dispute-columns.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List disputes, newest delivery first',
  flags: {
    status: choice({ summary: 'Filter by status', choices: disputeStatuses, placeholder: 'STATUS' }),
    ...pagingFlags,
  },
  examples: [
    { command: 'waybill disputes list --status open', summary: 'List the disputes to resolve' },
    { command: 'waybill disputes list --all -o csv', summary: 'Export all disputes to a spreadsheet' },
  ],
  columns: disputeColumns,
  effect: 'read',
  async run(context, { flags }) {
    const { status } = flags;
    const client = await context.client();
    return listing({
      list: client.disputes.list,
      query: { status },
      paging: flags,
      columns: disputeColumns,
      command: invocation('disputes list'),
      filters: { status },
      empty: 'No disputes found.',
      start: phrase`No disputes yet. Open one for a delivery that went wrong: ${invocation('deliveries dispute', ['DELIVERY'])}`,
    });
  },
});

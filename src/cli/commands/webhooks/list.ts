import { endpointStatuses } from '../../../contract/vocabulary.ts';
import { choice } from '../../kit/args/flags.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { defineCommand } from '../../session/command.ts';
import { listing, pagingFlags } from '../../session/listing.ts';
import { webhookColumns } from './endpoint-columns.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List webhook endpoints, newest first',
  flags: {
    status: choice({
      summary: 'Filter by status',
      choices: endpointStatuses,
      placeholder: 'STATUS',
    }),
    ...pagingFlags,
  },
  examples: [
    { command: 'waybill webhooks list', summary: 'List endpoints with queued and exhausted events' },
    { command: 'waybill webhooks list --status disabled', summary: 'List disabled endpoints' },
  ],
  columns: webhookColumns,
  effect: 'read',
  async run(context, { flags }) {
    const { status } = flags;
    const client = await context.client();
    return listing({
      list: client.webhooks.list,
      query: { status },
      paging: flags,
      columns: webhookColumns,
      command: invocation('webhooks list'),
      filters: { status },
      empty: 'No webhook endpoints found.',
      start: phrase`No webhook endpoints yet. Create one: ${invocation('webhooks create', ['URL'])}`,
    });
  },
});

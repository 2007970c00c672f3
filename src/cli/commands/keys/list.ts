import { invocation, phrase } from '../../kit/result/message.ts';
import { defineCommand } from '../../session/command.ts';
import { listing, pagingFlags } from '../../session/listing.ts';
import { keyColumns } from './key-columns.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List API keys of the current mode',
  flags: pagingFlags,
  examples: [{ command: 'waybill keys list', summary: 'Show each key with its last four characters' }],
  columns: keyColumns,
  effect: 'read',
  async run(context, { flags }) {
    const client = await context.client();
    return listing({
      list: client.keys.list,
      query: {},
      paging: flags,
      columns: keyColumns,
      command: invocation('keys list'),
      filters: {},
      empty: 'No keys found.',
      start: phrase`No keys yet. Create one: ${invocation('keys create')}`,
    });
  },
});

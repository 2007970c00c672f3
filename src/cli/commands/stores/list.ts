import { invocation, phrase } from '../../kit/result/message.ts';
import { defineCommand } from '../../session/command.ts';
import { listing, pagingFlags } from '../../session/listing.ts';
import { storeColumns } from './store-columns.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List saved pickup locations, newest first',
  flags: pagingFlags,
  examples: [{ command: 'waybill stores list', summary: 'List pickup locations' }],
  columns: storeColumns,
  effect: 'read',
  async run(context, { flags }) {
    const client = await context.client();
    return listing({
      list: client.stores.list,
      query: {},
      paging: flags,
      columns: storeColumns,
      command: invocation('stores list'),
      filters: {},
      empty: 'No stores found.',
      start: phrase`No stores yet. Save a pickup location: ${invocation('stores create')}`,
    });
  },
});

import { invocation, phrase } from '../../kit/result/message.ts';
import { defineCommand } from '../../session/command.ts';
import { listing, pagingFlags } from '../../session/listing.ts';
import { driverColumns } from './driver-columns.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List your own drivers: on duty, stops left, and last position',
  flags: pagingFlags,
  examples: [{ command: 'waybill drivers list', summary: 'See who is on duty, and where' }],
  columns: driverColumns,
  effect: 'read',
  async run(context, { flags }) {
    const client = await context.client();
    return listing({
      list: client.drivers.list,
      query: {},
      paging: flags,
      columns: driverColumns,
      command: invocation('drivers list'),
      filters: {},
      empty: phrase`No drivers found. Add one: ${invocation('drivers add')}`,
    });
  },
});

import { routeStatuses } from '../../../contract/vocabulary.ts';
import { routeColumns } from '../../columns/routes.ts';
import { defineCommand } from '../../command.ts';
import { choice } from '../../line/flags.ts';
import { listing, pagingFlags } from '../../line/listing.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List routes, newest first',
  flags: {
    status: choice({ summary: 'Only those in this status', choices: routeStatuses, placeholder: 'STATUS' }),
    ...pagingFlags,
  },
  examples: [{ command: 'waybill routes list --status draft', summary: 'Those not dispatched yet' }],
  effect: 'read',
  async run(context, { flags }) {
    const { status } = flags;
    const client = await context.client();
    return listing({
      list: client.routes.list,
      query: { status },
      paging: flags,
      columns: routeColumns,
      command: ['routes', 'list'],
      filters: { status },
      empty: 'No routes found.',
    });
  },
});

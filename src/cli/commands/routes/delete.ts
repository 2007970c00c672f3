import { deletedFields } from '../../columns/deleted.ts';
import { defineCommand, positional } from '../../command.ts';
import { record } from '../../result.ts';

export const deleteRoute = defineCommand({
  name: 'delete',
  aliases: ['rm', 'remove'],
  summary: 'Delete a draft route; its orders are open again',
  positionals: { route: positional('route', { summary: 'The route' }) },
  examples: [{ command: 'waybill routes delete ROUTE', summary: 'Give its orders back' }],
  effect: 'write',
  async run(context, { positionals }) {
    const client = await context.client();
    const { data } = await client.routes.delete({ params: { route_id: positionals.route } });
    return record(data, deletedFields, {
      notes: ['Its orders are open again: they can join another route.'],
    });
  },
});

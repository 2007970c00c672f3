import { deletedFields } from '../../kit/output/rows.ts';
import { record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';

export const deleteRoute = defineCommand({
  name: 'delete',
  aliases: ['rm', 'remove'],
  summary: 'Delete a draft route and reopen its orders',
  positionals: { route: positional('route', { summary: 'ID of a draft route', onlyOpen: true }) },
  examples: [{ command: 'waybill routes delete ROUTE', summary: 'Delete a draft route' }],
  effect: 'write',
  async run(context, { positionals }) {
    const client = await context.client();
    const { data } = await client.routes.delete({ params: { route_id: positionals.route } });
    return record(data, deletedFields, {
      notes: ['Its orders are open again and can be added to another route.'],
    });
  },
});

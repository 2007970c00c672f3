import { defineCommand, positional } from '../../command.ts';
import { type Column, record } from '../../result.ts';

interface Deleted {
  id: string;
  deleted: boolean;
}

const fields: Column<Deleted>[] = [
  { field: 'id', header: 'ID', kind: 'id', value: ({ id }) => id },
  { field: 'deleted', header: 'Deleted', kind: 'text', value: ({ deleted }) => deleted },
];

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
    return record(data, fields, { notes: ['Its orders are open again: they can join another route.'] });
  },
});

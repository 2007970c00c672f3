import { routeFields } from '../../columns/routes.ts';
import { defineCommand, positional } from '../../command.ts';
import { record } from '../../result.ts';

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show a route, stop by stop',
  positionals: { route: positional('route', { summary: 'The route' }) },
  examples: [{ command: 'waybill routes get ROUTE', summary: 'Its orders, stops and distance' }],
  effect: 'read',
  async run(context, { positionals }) {
    const client = await context.client();
    const { data } = await client.routes.get({ params: { route_id: positionals.route } });
    return record(data, routeFields(data));
  },
});

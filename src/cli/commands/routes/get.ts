import { routeFields } from '../../columns/routes.ts';
import { defineCommand, positional } from '../../command.ts';
import { invocation } from '../../kit/output/invocation.ts';
import { record } from '../../result.ts';
import { routeGoalFlags, routeGoalOf } from '../../routes/route-waiting-flags.ts';
import {
  checkWaiting,
  idleNamesOfRecord,
  typedWaiting,
  waitingOf,
  watchFlags,
} from '../../waiting/waiting-flags.ts';

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show a route, stop by stop',
  description: [
    'With --watch the exit code is 0 once all of its deliveries have ended, or it reaches a status of --until or a',
    'later one, and 9 if it is canceled. With --json each line is the route with a type: route.current first, then',
    'route.updated.',
  ].join('\n'),
  positionals: { route: positional('route', { summary: 'Route ID' }) },
  flags: { ...watchFlags('all of its deliveries have ended'), ...routeGoalFlags },
  examples: [
    { command: 'waybill routes get ROUTE', summary: 'Show its orders, stops and distance' },
    { command: 'waybill routes get ROUTE --watch', summary: 'Follow it live' },
  ],
  effect: 'read',
  async run(context, { flags, positionals }) {
    const { watch } = flags;
    checkWaiting(context, { watch }, idleNamesOfRecord);
    const client = await context.client();
    const { data } = await client.routes.get({ params: { route_id: positionals.route } });
    if (watch) {
      const { movingRoutes } = await import('../../routes/route-waitable.ts');
      const { watchRecord } = await import('../../waiting/status-records.ts');
      const again = invocation('routes get', [data.id], { watch, ...typedWaiting(context, flags) });
      const wait = { goal: routeGoalOf(flags), waiting: waitingOf(flags), again };
      return watchRecord(context, movingRoutes, data, wait);
    }
    return record(data, routeFields(data));
  },
});

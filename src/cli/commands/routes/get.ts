import { routeStatuses } from '../../../contract/vocabulary.ts';
import { record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { targetFlags, targetOf } from '../../waiting/status-targets.ts';
import { checkWaiting, recordWaitingNames, waitOptions, watchFlags } from '../../waiting/waiting-flags.ts';
import { routeFields, routeRecordColumns } from './route-columns.ts';

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
  flags: {
    ...watchFlags('all of its deliveries have ended'),
    ...targetFlags({ statuses: routeStatuses }, 'completed'),
  },
  examples: [
    { command: 'waybill routes get ROUTE', summary: 'Show its orders, stops and distance' },
    { command: 'waybill routes get ROUTE --watch', summary: 'Follow it live' },
  ],
  columns: routeRecordColumns,
  effect: 'read',
  async run(context, { flags, positionals }) {
    const { watch } = flags;
    checkWaiting(context, { watch }, recordWaitingNames);
    const client = await context.client();
    const { data } = await client.routes.get({ params: { route_id: positionals.route } });
    if (watch) {
      const { routeWaitable } = await import('./route-waitable.ts');
      const { watchChanges } = await import('../../waiting/service-waiting.ts');
      const options = waitOptions(context, ['routes get', data.id, { watch }], flags);
      return watchChanges(context, routeWaitable(context, data, targetOf(flags)), options);
    }
    return record(data, routeFields(data));
  },
});

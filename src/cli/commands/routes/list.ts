import { routeStatuses } from '../../../contract/vocabulary.ts';
import { choice } from '../../kit/args/flags.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { defineCommand } from '../../session/command.ts';
import { listing, pagingFlags } from '../../session/listing.ts';
import { checkWatchedList, waitingOf, watchedLimit, watchFlags } from '../../waiting/waiting-flags.ts';
import { routeColumns } from './route-columns.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List routes, newest first',
  description: [
    '--watch prints a line for each change until every listed route has ended. With --json each line is a route with',
    'a type: route.current first, then route.updated.',
  ].join('\n'),
  flags: {
    status: choice({ summary: 'Filter by status', choices: routeStatuses, placeholder: 'STATUS' }),
    ...watchFlags('every route has ended'),
    ...pagingFlags,
  },
  examples: [
    { command: 'waybill routes list --status draft', summary: 'List routes that are not dispatched' },
    { command: 'waybill routes list --status dispatched --watch', summary: 'Follow dispatched routes' },
  ],
  columns: routeColumns,
  effect: 'read',
  async run(context, { flags }) {
    const { status } = flags;
    checkWatchedList(context, flags);
    if (flags.watch) {
      const { watchRoutes } = await import('./route-waitable.ts');
      return watchRoutes(context, { status, limit: watchedLimit(flags.limit) }, waitingOf(flags));
    }
    const client = await context.client();
    return listing({
      list: client.routes.list,
      query: { status },
      paging: flags,
      columns: routeColumns,
      command: invocation('routes list'),
      filters: { status },
      empty: 'No routes found.',
      start: phrase`No routes yet. Create one: ${invocation('routes create', ['ORDER'])}`,
    });
  },
});

import { defineCommand, positional } from '../../command.ts';
import { invocation } from '../../kit/output/invocation.ts';
import { routeGoalFlags, routeGoalOf } from '../../routes/route-waiting-flags.ts';
import { paceFlags, typedWaiting } from '../../waiting/waiting-flags.ts';

/** How long is waited where nobody says it: a driver's run. */
const patience_ms = 7_200_000;

export const wait = defineCommand({
  name: 'wait',
  aliases: ['await', 'wait-for'],
  summary: 'Wait until a route is dispatched, or all of its deliveries have ended',
  description: [
    'Exit 0 when it has that status or a later one: draft, dispatched, completed. A route is completed however its',
    'deliveries ended, and canceled where all of them were: that is exit 9, and so is a status of --fail-on. 8 when time',
    'ran out. Its quotes are waited for with quotes wait.',
  ].join('\n'),
  positionals: { route: positional('route', { summary: 'The route' }) },
  flags: { ...routeGoalFlags, ...paceFlags('2h') },
  examples: [
    { command: 'waybill routes wait ROUTE', summary: 'Until the driver is done' },
    {
      command: 'waybill routes wait ROUTE --until dispatched --timeout 10m',
      summary: 'Until somebody has dispatched it',
    },
  ],
  effect: 'read',
  async run(context, { flags, positionals: { route } }) {
    const { movingRoutes } = await import('../../routes/route-waitable.ts');
    const { awaitRecord } = await import('../../waiting/status-records.ts');
    const first = await movingRoutes.look(context, route);
    const again = invocation('routes wait', [route], typedWaiting(context, flags));
    const { timeout: timeout_ms = patience_ms, interval: interval_ms } = flags;
    const waiting = { timeout_ms, interval_ms, changesOnly: false };
    return awaitRecord(context, movingRoutes, first, { goal: routeGoalOf(flags), waiting, again });
  },
});

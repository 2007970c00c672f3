import { defineCommand, positional } from '../../command.ts';
import { invocation } from '../../kit/output/invocation.ts';
import { routeGoalFlags, routeGoalOf } from '../../routes/route-waiting-flags.ts';
import { paceFlags, typedWaiting } from '../../waiting/waiting-flags.ts';

/** How long is waited where nobody says it: a driver's run. */
const patience_ms = 7_200_000;

export const wait = defineCommand({
  name: 'wait',
  aliases: ['await', 'wait-for'],
  summary: 'Wait until a route is dispatched or completed',
  description: [
    'The exit code is 0 when the route reaches that status or a later one (draft, dispatched, completed), 9 if all of',
    'its deliveries were canceled or it reaches a status of --fail-on, and 8 after a timeout. A route is completed',
    'once all of its deliveries have ended, whatever their outcome. Use quotes wait to wait for its quotes.',
  ].join('\n'),
  positionals: { route: positional('route', { summary: 'Route ID' }) },
  flags: { ...routeGoalFlags, ...paceFlags('2h') },
  examples: [
    { command: 'waybill routes wait ROUTE', summary: 'Wait until it is completed' },
    {
      command: 'waybill routes wait ROUTE --until dispatched --timeout 10m',
      summary: 'Wait until it is dispatched',
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

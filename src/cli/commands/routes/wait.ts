import { routeStatuses } from '../../../contract/vocabulary.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { targetFlags, targetOf } from '../../waiting/status-targets.ts';
import { paceFlags, waitOptions } from '../../waiting/waiting-flags.ts';
import { getRoute } from './route-requests.ts';

/** The default timeout: the length of a driver's run. */
const default_timeout_ms = 7_200_000;

export const wait = defineCommand({
  name: 'wait',
  aliases: ['await', 'wait-for'],
  summary: 'Wait until a route is dispatched or completed',
  description: [
    'The exit code is 0 when the route reaches that status or a later one (draft, dispatched, completed), 9 if all of',
    'its deliveries were canceled or it reaches a status of --fail-on, and 8 after a timeout. A route is completed',
    'once all of its deliveries have ended, with any outcome. Use quotes wait to wait for its quotes.',
  ].join('\n'),
  positionals: { route: positional('route', { summary: 'Route ID' }) },
  flags: { ...targetFlags({ statuses: routeStatuses }, 'completed'), ...paceFlags('2h') },
  examples: [
    { command: 'waybill routes wait ROUTE', summary: 'Wait until it is completed' },
    {
      command: 'waybill routes wait ROUTE --until dispatched --timeout 10m',
      summary: 'Wait until it is dispatched',
    },
  ],
  effect: 'read',
  async run(context, { flags, positionals: { route } }) {
    const { routeWaitable } = await import('./route-waitable.ts');
    const { waitForAnswer } = await import('../../waiting/service-waiting.ts');
    const first = await getRoute(context, route);
    const options = waitOptions(context, ['routes wait', route], flags, default_timeout_ms);
    return waitForAnswer(context, routeWaitable(context, first, targetOf(flags)), options);
  },
});

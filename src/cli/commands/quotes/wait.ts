import { defineCommand, positional } from '../../command.ts';
import { waitForQuotes } from '../../quotes/quotes.ts';
import { paceFlags, waitingOf } from '../../waiting/waiting-flags.ts';

export const wait = defineCommand({
  name: 'wait',
  aliases: ['await', 'wait-for'],
  summary: 'Wait until the quotes of a route are there',
  description:
    'The same as quotes list --wait: exit 9 where no provider takes the route, 8 when time ran out.',
  positionals: { route: positional('route', { summary: 'The route' }) },
  flags: paceFlags('about two minutes'),
  examples: [
    { command: 'waybill quotes wait ROUTE', summary: 'Then see them, cheapest first' },
    { command: 'waybill quotes wait ROUTE --interval 1s --timeout 30s --json', summary: 'In a script' },
  ],
  effect: 'read',
  run: (context, { flags, positionals: { route } }) =>
    waitForQuotes(context, route, { ...waitingOf(flags), waitFirst: false }),
});

import { defineCommand, positional } from '../../session/command.ts';
import { paceFlags, waitingOf } from '../../waiting/waiting-flags.ts';

export const wait = defineCommand({
  name: 'wait',
  aliases: ['await', 'wait-for'],
  summary: 'Wait for the quotes of a route',
  description:
    'Same as quotes list --wait. The exit code is 9 if no provider offers a quote, and 8 after a timeout.',
  positionals: { route: positional('route', { summary: 'Route ID' }) },
  flags: paceFlags('about two minutes'),
  examples: [
    { command: 'waybill quotes wait ROUTE', summary: 'Wait, then list quotes, cheapest first' },
    { command: 'waybill quotes wait ROUTE --interval 1s --timeout 30s --json', summary: 'In a script' },
  ],
  effect: 'read',
  async run(context, { flags, positionals: { route } }) {
    const { waitForQuotes } = await import('./quotes-waitable.ts');
    return waitForQuotes(context, route, { ...waitingOf(flags), isRequested: false });
  },
});

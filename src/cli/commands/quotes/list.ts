import { defineCommand, positional } from '../../command.ts';
import { lookAtQuotes, quotesAnswer, waitForQuotes, watchQuotes } from '../../quotes/quotes.ts';
import { checkWaiting, waitFlag, waitingOf, watchFlags } from '../../waiting/waiting-flags.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the quotes of a route, cheapest first',
  description: [
    'One look: exit 8 while they are being collected, exit 9 where no provider takes the route.',
    'With --json the answer is the wrapper { object, status, data }; --watch --json gives a line for each change.',
  ].join('\n'),
  positionals: { route: positional('route', { summary: 'The route' }) },
  flags: {
    wait: waitFlag('The same; with --json, one document at the end'),
    ...watchFlags('they are there', 'about two minutes'),
  },
  examples: [
    { command: 'waybill quotes list ROUTE --watch', summary: 'Wait for them' },
    { command: 'waybill quotes list ROUTE --wait --timeout 1m --json', summary: 'In a script' },
  ],
  effect: 'read',
  async run(context, { flags, positionals: { route } }) {
    const { watch, wait } = flags;
    checkWaiting(context, { watch, wait });
    const patience = { ...waitingOf(flags), waitFirst: false };
    if (watch) return watchQuotes(context, route, patience);
    if (wait) return waitForQuotes(context, route, patience);
    return quotesAnswer(context, route, await lookAtQuotes(context, route));
  },
});

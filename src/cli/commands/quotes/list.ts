import { defineCommand, positional } from '../../session/command.ts';
import { checkWaiting, waitFlag, waitingOf, watchFlags } from '../../waiting/waiting-flags.ts';
import { quoteColumns } from './quote-columns.ts';
import { getQuotes, quotesAnswer } from './quotes.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the quotes of a route, cheapest first',
  description: [
    'Prints the current quotes. The exit code is 8 while quotes are pending, and 9 if no provider offers one. With',
    '--json the result is the wrapper { object, status, data }. In a terminal --watch shows the elapsed time and, once',
    'the quotes have arrived, a table in which the time left runs until you press q; otherwise it prints a line for each',
    'change.',
  ].join('\n'),
  positionals: { route: positional('route', { summary: 'Route ID' }) },
  flags: {
    wait: waitFlag('Same as --watch, but with --json print one document at the end'),
    ...watchFlags('all quotes have arrived', 'about two minutes'),
  },
  examples: [
    { command: 'waybill quotes list ROUTE --watch', summary: 'Wait for quotes' },
    { command: 'waybill quotes list ROUTE --wait --timeout 1m --json', summary: 'In a script' },
  ],
  columns: quoteColumns(0),
  effect: 'read',
  async run(context, { flags, positionals: { route } }) {
    const { watch, wait } = flags;
    checkWaiting(context, { watch, wait });
    if (watch || wait) {
      const { waitForQuotes, watchQuotes } = await import('./quotes-waitable.ts');
      const waiting = { ...waitingOf(flags), isRequested: false, isLive: true };
      return watch ? watchQuotes(context, route, waiting) : waitForQuotes(context, route, waiting);
    }
    return quotesAnswer(context, route, await getQuotes(context, route));
  },
});

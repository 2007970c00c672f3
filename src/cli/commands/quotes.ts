/** `quotes`: those of a route, and waiting until every provider has answered. */
import { getQuotes, quotesAnswer } from '../nouns/quote.ts';
import { quoteColumns } from '../nouns/quote-columns.ts';
import { waitForQuotes, watchQuotes } from '../nouns/quote-waiting.ts';
import { findRouteId, routeWord } from '../nouns/route.ts';
import { defineCommand, positional } from '../session/command.ts';
import { readListView, viewFlags } from '../session/list-view.ts';
import { checkWaiting, paceFlags, toWaiting, waitFlag, watchFlags } from '../waiting/waiting-flags.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the quotes of a route, cheapest first',
  description: [
    'Prints the current quotes. The exit code is 8 while quotes are pending, and 9 if no provider offers one. With',
    '--json the result is the wrapper { object, status, data }: each quote in data has its provider and fee, the whole',
    'price (cost_of_delivery and service_fee). In a terminal --watch shows the elapsed time and, once the quotes have',
    'arrived, a table in which the time left runs until you press q; otherwise it prints a line for each change.',
  ].join('\n'),
  positionals: { route: positional('route', { summary: routeWord }) },
  flags: {
    ...viewFlags,
    wait: waitFlag('Same as --watch, but with --json print one document at the end'),
    ...watchFlags(
      'all quotes have arrived; in a terminal, then the time left until you press q',
      'about two minutes',
    ),
  },
  examples: [
    { command: 'waybill quotes list ROUTE --watch', summary: 'Wait for quotes' },
    { command: 'waybill quotes list ROUTE --sort fastest', summary: 'Put the earliest arrival first' },
    { command: 'waybill quotes list ROUTE --wait --timeout 1m --json', summary: 'In a script' },
  ],
  columns: quoteColumns(0),
  effect: 'read',
  calls: ['quotes.list', 'routes.get', 'orders.list', 'orders.get', 'batches.get'],
  answers: ({ one }) => [one('quotes.list')],
  exits: { 8: 'quotes are still pending', 9: 'no provider offers a quote' },
  errors: ['quotes_not_ready', 'no_quotes'],
  related: ['dispatch', 'routes quote'],
  async run(context, { flags, positionals }) {
    const route = await findRouteId(context, positionals.route);
    const { watch, wait } = flags;
    checkWaiting(context, { watch, wait });
    const view = await readListView(context, flags, quoteColumns(0));
    if (watch || wait) {
      const waiting = { ...toWaiting(flags), isRequested: false, isLive: true, view };
      return watch ? watchQuotes(context, route, waiting) : waitForQuotes(context, route, waiting);
    }
    return quotesAnswer(context, route, await getQuotes(context, route), view);
  },
});

export const wait = defineCommand({
  name: 'wait',
  aliases: ['await', 'wait-for'],
  summary: 'Wait for the quotes of a route',
  description:
    'Same as quotes list --wait. The exit code is 9 if no provider offers a quote, and 8 after a timeout.',
  positionals: { route: positional('route', { summary: routeWord }) },
  flags: paceFlags('about two minutes'),
  examples: [
    { command: 'waybill quotes wait ROUTE', summary: 'Wait, then list quotes, cheapest first' },
    { command: 'waybill quotes wait ROUTE --interval 1s --timeout 30s --json', summary: 'In a script' },
  ],
  effect: 'read',
  calls: ['quotes.list', 'routes.get', 'orders.list', 'orders.get', 'batches.get'],
  answers: ({ one }) => [one('quotes.list')],
  exits: { 8: 'quotes did not arrive in time', 9: 'no provider offers a quote' },
  errors: ['quotes_not_ready', 'no_quotes'],
  related: ['quotes list', 'routes quote', 'dispatch'],
  async run(context, { flags, positionals }) {
    const route = await findRouteId(context, positionals.route);
    return waitForQuotes(context, route, { ...toWaiting(flags), isRequested: false });
  },
});

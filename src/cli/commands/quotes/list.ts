import { defineCommand, positional } from '../../command.ts';
import { flag } from '../../line/flags.ts';
import { lookAtQuotes, quotesAnswer, timeoutFlag, waitForQuotes, watchQuotes } from '../../quotes/quotes.ts';

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
    watch: flag({ summary: 'Go on looking until they are there', short: 'w' }),
    wait: flag({ summary: 'The same; with --json, one document at the end' }),
    timeout: timeoutFlag,
  },
  examples: [
    { command: 'waybill quotes list ROUTE --watch', summary: 'Wait for them' },
    { command: 'waybill quotes list ROUTE --wait --timeout 1m --json', summary: 'In a script' },
  ],
  effect: 'read',
  async run(context, { flags: { watch, wait, timeout }, positionals: { route } }) {
    const patience = { timeout_ms: timeout, waitFirst: false };
    if (watch) return watchQuotes(context, route, patience);
    if (wait) return waitForQuotes(context, route, patience);
    return quotesAnswer(context, route, await lookAtQuotes(context, route));
  },
});

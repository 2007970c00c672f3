import type { RouteQuote, RouteQuotes } from '../../contract/quotes.ts';
import { type Context, defineCommand, positional } from '../command.ts';
import { arrivalFlags } from '../deliveries/delivery-waiting-flags.ts';
import { confirmPrice } from '../dispatching/consent.ts';
import { dispatchText } from '../dispatching/dispatched.ts';
import { flag, money, text } from '../line/flags.ts';
import { checkPrice, chooseQuote, type Preference, preferenceOf } from '../quotes/quote-choice.ts';
import { lookAtQuotes } from '../quotes/quotes.ts';
import { checkWaiting, paceFlags } from '../waiting/waiting-flags.ts';

export const dispatch = defineCommand({
  name: 'dispatch',
  summary: 'Hand a route to the provider of a quote: one delivery for each order',
  description: [
    'In a terminal, without a flag that says which, it shows the quotes and asks. Expired quotes are never taken. Above --max-cost nothing is done and the exit code is 6; where no provider',
    'took the route, or a delivery failed at once, it is 9. In live mode the price is confirmed: at a prompt, or',
    'beforehand with --yes and --max-cost. With --wait it ends as deliveries wait does.',
  ].join('\n'),
  positionals: { route: positional('route', { summary: 'The route, a draft with quotes' }) },
  flags: {
    quote: text({ summary: 'Take this quote', placeholder: 'QUOTE', aliases: ['quote-id'] }),
    cheapest: flag({ summary: 'Take the one with the lowest cost and fee' }),
    fastest: flag({ summary: 'Take the one with the earliest dropoff' }),
    provider: text({ summary: 'Take the cheapest one of this courier', placeholder: 'PROVIDER' }),
    maxCost: money({ summary: 'The most that cost and fee may be, in dollars: 12.50' }),
    tip: money({ summary: 'For the driver, in dollars, on top: 3.00' }),
    ...{ ...arrivalFlags, ...paceFlags('30m') },
  },
  examples: [
    {
      command: 'waybill dispatch ROUTE --cheapest --max-cost 12.50',
      summary: 'The cheapest, at most $12.50',
    },
    {
      command: 'waybill dispatch ROUTE --quote QUOTE --tip 3.00',
      summary: 'A quote of your choice, with a tip',
    },
    {
      command: 'waybill dispatch ROUTE --cheapest --wait delivered --timeout 1h',
      summary: 'To the door',
    },
  ],
  effect: 'write',
  confirms: true,
  oneOf: ['quote', 'cheapest', 'fastest', 'provider'],
  async run(context, { flags, positionals: { route } }) {
    checkWaiting(context, { wait: flags.wait !== null });
    const preference = preferenceOf(flags, context);
    const quotes = await lookAtQuotes(context, route);
    const quote = await chosen(context, route, () => quoteOf(context, route, quotes, preference));
    checkPrice(quote, flags.maxCost);
    await confirmPrice(context, quote, flags);
    const client = await context.client();
    const { data } = await client.dispatches.create({
      params: { route_id: route },
      body: { quote_id: quote.id, ...(flags.tip === undefined ? {} : { tip: flags.tip }) },
      idempotencyKey: context.idempotencyKey(),
    });
    const { wait: until, failOn: fail_on, timeout: timeout_ms, interval: interval_ms } = flags;
    const made = { route: data, told: dispatchText(quote, data) };
    const { answerOf } = await import('../shipping/arrival.ts');
    return answerOf(context, made, { until, fail_on, timeout_ms, interval_ms, begun: context.now() });
  },
});

/** The quote that the flags name; without one, a person is shown the quotes and asked. */
async function quoteOf(
  context: Context,
  route: string,
  quotes: RouteQuotes,
  preference: Preference | null,
): Promise<RouteQuote> {
  if (preference !== null) return chooseQuote(route, quotes, preference, context.serviceNow());
  const { takenQuote } = await import('../shipping/quote-taking.ts');
  return takenQuote(context, route, quotes, null);
}

/** The quote; of a route of auto dispatch there is none to choose. */
async function chosen(
  context: Context,
  route: string,
  choose: () => Promise<RouteQuote>,
): Promise<RouteQuote> {
  try {
    return await choose();
  } catch (error) {
    const { heldOr } = await import('../orders/auto-hold.ts');
    throw await heldOr(error, context, route);
  }
}

import type { RouteQuote, RouteQuotes } from '../../contract/quotes.ts';
import { type Context, defineCommand, positional } from '../command.ts';
import { arrivalFlags } from '../deliveries/delivery-waiting-flags.ts';
import { confirmPrice } from '../flow/consent.ts';
import { dispatchText } from '../flow/outcome.ts';
import { flag, money, text } from '../line/flags.ts';
import { checkPrice, chooseQuote, type Preference, preferenceOf } from '../quotes/quote-choice.ts';
import { getQuotes } from '../quotes/quotes.ts';
import { checkWaiting, paceFlags } from '../waiting/waiting-flags.ts';

export const dispatch = defineCommand({
  name: 'dispatch',
  summary: "Dispatch a route with a provider's quote",
  description: [
    'Creates one delivery for each order. In a terminal, without a flag that selects a quote, it lists the quotes and',
    'prompts. Expired quotes are never used. The exit code is 6 if the total is above --max-cost (nothing is',
    'dispatched), and 9 if no provider took the route or a delivery failed at once. In live mode the price must be',
    'confirmed at a prompt, or with --yes and --max-cost. --wait works as in deliveries wait.',
  ].join('\n'),
  positionals: { route: positional('route', { summary: 'ID of a draft route with quotes' }) },
  flags: {
    quote: text({ summary: 'Use this quote', placeholder: 'QUOTE', aliases: ['quote-id'] }),
    cheapest: flag({ summary: 'Use the quote with the lowest total (cost + fee)' }),
    fastest: flag({ summary: 'Use the quote with the earliest dropoff' }),
    provider: text({ summary: 'Use the cheapest quote of this provider', placeholder: 'PROVIDER' }),
    maxCost: money({ summary: 'Maximum total in dollars (cost + fee), such as 12.50' }),
    tip: money({ summary: 'Additional driver tip in dollars, such as 3.00' }),
    ...{ ...arrivalFlags, ...paceFlags('30m') },
  },
  examples: [
    {
      command: 'waybill dispatch ROUTE --cheapest --max-cost 12.50',
      summary: 'Use the cheapest quote up to $12.50',
    },
    {
      command: 'waybill dispatch ROUTE --quote QUOTE --tip 3.00',
      summary: 'Use a specific quote with a tip',
    },
    {
      command: 'waybill dispatch ROUTE --cheapest --wait delivered --timeout 1h',
      summary: 'Dispatch and wait until it arrives',
    },
  ],
  effect: 'write',
  confirms: true,
  oneOf: ['quote', 'cheapest', 'fastest', 'provider'],
  async run(context, { flags, positionals: { route } }) {
    checkWaiting(context, { wait: flags.wait !== null });
    const preference = preferenceOf(flags, context);
    const quotes = await getQuotes(context, route);
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
  const { takenQuote } = await import('../flow/quote-picker.ts');
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

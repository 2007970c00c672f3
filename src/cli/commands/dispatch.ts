import type { DispatchedRoute } from '../../contract/dispatches.ts';
import type { RouteQuote } from '../../contract/quotes.ts';
import { dollars } from '../../domain/money.ts';
import { quotePrice } from '../../domain/quotes.ts';
import { deliveryColumns } from '../columns/deliveries.ts';
import { type Context, defineCommand, positional } from '../command.ts';
import { failedAtOnce } from '../deliveries/initiation.ts';
import { endingText } from '../deliveries/status-words.ts';
import { UsageError } from '../failures/failure.ts';
import { commandLine } from '../line/command-line.ts';
import { flag, money, text } from '../line/flags.ts';
import { checkPrice, chooseQuote, preferenceOf } from '../quotes/quote-choice.ts';
import { lookAtQuotes } from '../quotes/quotes.ts';
import { document, list, type Result } from '../result.ts';

export const dispatch = defineCommand({
  name: 'dispatch',
  summary: 'Hand a route to the provider of a quote: one delivery for each order',
  description: [
    'Expired quotes are never taken. Above --max-cost nothing is done and the exit code is 6; where no provider',
    'took the route, or a delivery failed at once, it is 9. In live mode the price is confirmed: at a prompt, or',
    'beforehand with --yes and --max-cost.',
  ].join('\n'),
  positionals: { route: positional('route', { summary: 'The route, a draft with quotes' }) },
  flags: {
    quote: text({ summary: 'Take this quote', placeholder: 'QUOTE' }),
    cheapest: flag({ summary: 'Take the one with the lowest cost and fee' }),
    fastest: flag({ summary: 'Take the one with the earliest dropoff' }),
    maxCost: money({ summary: 'The most that cost and fee may be, in dollars: 12.50' }),
    tip: money({ summary: 'For the driver, in dollars, on top: 3.00' }),
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
  ],
  effect: 'write',
  confirms: true,
  async run(context, { flags, positionals: { route } }) {
    const preference = preferenceOf(flags);
    const quotes = await lookAtQuotes(context, route);
    const quote = chooseQuote(route, quotes, preference, context.serviceNow());
    checkPrice(quote, flags.maxCost);
    await confirmPrice(context, quote, flags);
    const client = await context.client();
    const { data } = await client.dispatches.create({
      params: { route_id: route },
      body: { quote_id: quote.id, ...(flags.tip === undefined ? {} : { tip: flags.tip }) },
      idempotencyKey: context.idempotencyKey(),
    });
    return dispatched(context, data, quote);
  },
});

/**
 * In test mode no money moves, so nobody is asked. In live mode a yes given beforehand only counts together
 * with the most that may be paid.
 */
async function confirmPrice(
  context: Context,
  quote: RouteQuote,
  { maxCost, tip }: { maxCost: number | undefined; tip: number | undefined },
): Promise<void> {
  if (context.asked.dryRun || (await context.mode()) === 'test') return;
  const tipText = tip === undefined ? '' : ` and a tip of ${dollars(tip)}`;
  const question = `Dispatch to ${quote.provider} for ${dollars(quotePrice(quote))}${tipText}, for real money, with the profile ${context.settings.name}?`;
  if (maxCost === undefined && !context.interactive) {
    throw new UsageError(`Nobody can be asked: ${question}`, {
      code: 'confirmation_needed',
      missing: ['--yes', '--max-cost'],
      hint: 'In live mode --yes goes together with --max-cost.',
    });
  }
  await context.confirm(question, { despiteYes: maxCost === undefined });
}

function dispatched(context: Context, route: DispatchedRoute, quote: RouteQuote): Result {
  const failed = route.deliveries.filter(({ status }) => status === 'failed');
  const notes = notesOf(route, quote);
  if (failed.length > 0 && context.output.json) throw failedAtOnce(failed, document(route));
  if (context.output.json) return document(route, { notes });
  const ending = { notes, ...(failed.length === 0 ? {} : { exit: 9 }) };
  return list({ data: route.deliveries, columns: deliveryColumns, ...ending });
}

function notesOf({ deliveries }: DispatchedRoute, quote: RouteQuote): string[] {
  const failures = deliveries
    .filter(({ status }) => status === 'failed')
    .map((delivery) => `${delivery.id} ${endingText(delivery)} Nothing is charged for it.`);
  const [first] = deliveries.filter(({ status }) => status !== 'failed');
  if (first === undefined) return failures;
  const price = `${dollars(quotePrice(quote))} (${dollars(quote.cost_of_delivery)} and a fee of ${dollars(quote.service_fee)})`;
  return [
    `Dispatched to ${quote.provider} for ${price}.`,
    ...failures,
    `Next: ${commandLine(['deliveries', 'watch', first.id])}`,
  ];
}

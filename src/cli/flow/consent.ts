import type { RouteQuote } from '../../contract/quotes.ts';
import { dollars } from '../../domain/money.ts';
import { quotePrice } from '../../domain/quotes.ts';
import { UsageError } from '../kit/errors/failure.ts';
import type { Context } from '../session/context.ts';

/** The amounts that the user agreed to beforehand, in cents. */
export interface Terms {
  maxCost: number | undefined;
  tip: number | undefined;
}

/**
 * Asks the user to confirm the price. In test mode no money moves, so there is no question. In live mode --yes counts
 * only together with --max-cost.
 */
export async function confirmPrice(
  context: Context,
  quote: RouteQuote,
  { maxCost, tip }: Terms,
): Promise<void> {
  if (context.asked.dryRun || (await context.mode()) === 'test') return;
  if (context.asked.yes && maxCost !== undefined) return;
  const paid = context.interactive ? await tipOf(context, quote.route_id, tip) : (tip ?? 0);
  const question = `Dispatch to ${quote.provider} for ${priceText(quote, paid)}, for real money, with the profile ${context.settings.name}?`;
  if (maxCost === undefined && !context.interactive)
    throw confirmationRequired(question, ['--yes', '--max-cost']);
  await context.confirm(question, { despiteYes: maxCost === undefined });
}

/** Fails with exit 2, before anything is created, if the price could not be confirmed later. */
export async function checkConsent(context: Context, { maxCost }: Pick<Terms, 'maxCost'>): Promise<void> {
  if (context.interactive || context.asked.dryRun || (await context.mode()) === 'test') return;
  const missing = [...(context.asked.yes ? [] : ['--yes']), ...(maxCost === undefined ? ['--max-cost'] : [])];
  if (missing.length > 0) throw confirmationRequired('Dispatch for real money?', missing);
}

/** Exit 2: real money would be spent without a confirmation. */
export function confirmationRequired(question: string, missing: readonly string[]): UsageError {
  return new UsageError(`Confirmation required: ${question}`, {
    code: 'confirmation_needed',
    missing,
    hint: 'In live mode, pass --yes together with --max-cost.',
  });
}

/** The driver's tip of a dispatch in cents: the given one, or the tips of the orders of the route together. */
export async function tipOf(context: Context, route_id: string, given: number | undefined): Promise<number> {
  if (given !== undefined) return given;
  const client = await context.client();
  const { data: route } = await client.routes.get({ params: { route_id } });
  let tip = 0;
  for (const order_id of route.order_ids) tip += (await client.orders.get({ params: { order_id } })).data.tip;
  return tip;
}

/** The total with the tip: `$7.97 (includes $1.50 tip)`. */
export function priceText(quote: RouteQuote, tip: number): string {
  const price = dollars(quotePrice(quote) + tip);
  return tip === 0 ? price : `${price} (includes ${dollars(tip)} tip)`;
}

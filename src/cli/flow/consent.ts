import type { RouteQuote } from '../../contract/quotes.ts';
import { dollars } from '../../domain/money.ts';
import { quotePrice } from '../../domain/quotes.ts';
import { UsageError } from '../kit/errors/failure.ts';
import type { Context } from '../session/context.ts';
import { fetchOrder, fetchRoute } from './steps.ts';

/** The amounts that the user agreed to beforehand, in cents. */
export interface Terms {
  maxCost: number | undefined;
  tip: number | undefined;
}

/** Asks the user to confirm the price of a dispatch. */
export async function confirmPrice(
  context: Context,
  quote: RouteQuote,
  { maxCost, tip }: Terms,
): Promise<void> {
  await confirmSpending(context, maxCost, async () => {
    const paid = context.interactive ? await tipOf(context, quote.route_id, tip) : (tip ?? 0);
    return `Dispatch to ${quote.provider} for ${priceText(quote, paid)}`;
  });
}

/** Asks the user to confirm auto dispatch, which selects quotes without showing them. */
export async function confirmAutoDispatch(
  context: Context,
  order_count: number,
  max_cost: number | undefined,
): Promise<void> {
  const orders = order_count === 1 ? 'the order' : `${order_count} orders`;
  const each = order_count === 1 ? '' : ` each (${dollars((max_cost ?? 0) * order_count)} together)`;
  const price = max_cost === undefined ? 'at any price' : `for up to ${dollars(max_cost)}${each}`;
  await confirmSpending(context, max_cost, async () => `Auto-dispatch ${orders} ${price}`);
}

/**
 * Asks a question about real money. In test mode no money moves, so it is not asked. In live mode --yes counts only
 * together with a maximum.
 */
async function confirmSpending(
  context: Context,
  max_cost: number | undefined,
  question: () => Promise<string>,
): Promise<void> {
  if (context.asked.dryRun || (await context.mode()) === 'test') return;
  if (context.asked.yes && max_cost !== undefined) return;
  const whole = `${await question()}, for real money, with the profile ${context.settings.name}?`;
  if (max_cost === undefined && !context.interactive)
    throw confirmationRequired(whole, ['--yes', '--max-cost']);
  await context.confirm(whole, { despiteYes: max_cost === undefined });
}

/** Fails with exit 2, before anything is created, if the price could not be confirmed later. */
export async function checkConsent(context: Context, { maxCost }: Pick<Terms, 'maxCost'>): Promise<void> {
  if (context.interactive || context.asked.dryRun || (await context.mode()) === 'test') return;
  const missing = [...(context.asked.yes ? [] : ['--yes']), ...(maxCost === undefined ? ['--max-cost'] : [])];
  if (missing.length > 0) throw confirmationRequired('Dispatch for real money?', missing);
}

/** Exit 2: real money would be spent without a confirmation. */
function confirmationRequired(question: string, missing: readonly string[]): UsageError {
  return new UsageError(`Confirmation required: ${question}`, {
    code: 'confirmation_needed',
    missing,
    hint: 'In live mode, pass --yes together with --max-cost.',
  });
}

/** The driver's tip of a dispatch in cents: the given one, or the tips of the orders of the route together. */
export async function tipOf(context: Context, route_id: string, given: number | undefined): Promise<number> {
  if (given !== undefined) return given;
  const route = await fetchRoute(context, route_id);
  let tip = 0;
  for (const order_id of route?.order_ids ?? []) tip += (await fetchOrder(context, order_id))?.tip || 0;
  return tip;
}

/** The total with the tip: `$7.97 (includes $1.50 tip)`. */
export function priceText(quote: RouteQuote, tip: number): string {
  const price = dollars(quotePrice(quote) + tip);
  return tip === 0 ? price : `${price} (includes ${dollars(tip)} tip)`;
}

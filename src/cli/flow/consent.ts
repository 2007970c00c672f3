import type { Order } from '../../contract/orders.ts';
import type { RouteQuote } from '../../contract/quotes.ts';
import { dollars } from '../../domain/money.ts';
import { tipFault } from '../../domain/order-rules.ts';
import { quotePrice } from '../../domain/quotes.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { fetchOrder } from '../nouns/order.ts';
import { fetchRoute } from '../nouns/route.ts';
import type { Context } from '../session/command.ts';

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

/** Fails with exit 2, before anything is created, if the price could not be confirmed later. */
export async function checkConsent(context: Context, { maxCost }: Pick<Terms, 'maxCost'>): Promise<void> {
  if (context.interactive || context.globals.dryRun || (await context.mode()) === 'test') return;
  const missing = [
    ...(context.globals.yes ? [] : ['--yes']),
    ...(maxCost === undefined ? ['--max-cost'] : []),
  ];
  if (missing.length > 0) throw confirmationRequired('Dispatch for real money?', missing);
}

/** The driver's tip of a dispatch in cents: the given one, or the tips of the orders of the route together. */
export async function tipOf(context: Context, route_id: string, given: number | undefined): Promise<number> {
  if (given !== undefined) return given;
  return (await ordersOfRoute(context, route_id)).reduce((sum, { tip }) => sum + (tip || 0), 0);
}

export async function ordersOfRoute(context: Context, route_id: string): Promise<Order[]> {
  const orders: Order[] = [];
  for (const order_id of (await fetchRoute(context, route_id))?.order_ids ?? []) {
    const order = await fetchOrder(context, order_id);
    if (order !== null) orders.push(order);
  }
  return orders;
}

/** The total with the tip: `$7.97 (includes $1.50 tip)`. */
export function priceText(quote: RouteQuote, tip: number): string {
  const price = dollars(quotePrice(quote) + tip);
  return tip === 0 ? price : `${price} (includes ${dollars(tip)} tip)`;
}

/** Refuses a tip in cents above the limit of the account, before anything is created. */
export async function checkTip(
  context: Context,
  tip: number | undefined,
  orders: readonly { order_value?: number }[],
): Promise<void> {
  if (tip === undefined || context.globals.dryRun) return;
  const fault = (await tipCheckFor(context, orders))(tip);
  if (fault !== null) throw new UsageError(`--tip ${fault}.`, { code: 'bad_value', param: '--tip' });
}

/**
 * Returns a check of tips in cents for some orders together, whose faults follow the name of the tip. A service without
 * account settings has limits of its own.
 */
export async function tipCheckFor(
  context: Context,
  orders: readonly { order_value?: number }[],
): Promise<(tip: number) => string | null> {
  if (!context.has('account')) return () => null;
  const client = await context.client();
  const { tip_limit } = (await client.account.get()).data;
  return (tip) => tipFault(tip, orders, tip_limit);
}

/**
 * Asks a question about real money. In test mode no money moves, so it is not asked. In live mode --yes counts only
 * together with a maximum.
 */
export async function confirmSpending(
  context: Context,
  max_cost: number | undefined,
  question: () => Promise<string>,
): Promise<void> {
  if (context.globals.dryRun || (await context.mode()) === 'test') return;
  if (context.globals.yes && max_cost !== undefined) return;
  const whole = `${await question()}, for real money, with the profile ${context.settings.name}?`;
  if (max_cost === undefined && !context.interactive)
    throw confirmationRequired(whole, ['--yes', '--max-cost']);
  await context.confirm(whole, { despiteYes: max_cost === undefined });
}

/** Exit 2: real money would be spent without a confirmation. */
function confirmationRequired(question: string, missing: readonly string[]): UsageError {
  return new UsageError(`Confirmation required: ${question}`, {
    code: 'confirmation_needed',
    missing,
    hint: 'In live mode, pass --yes together with --max-cost.',
  });
}

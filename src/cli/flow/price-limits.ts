/**
 * What a dispatch may cost: its maximum, its tip, and the user's agreement to the price. Every command that spends takes the
 * same steps: what could not be agreed to later is refused before anything is created (`checkConsent`); a price above the
 * maximum is exit 6, also in a dry run; a dry run asks nothing; then the question (`confirmSpending`), which test mode
 * replaces by a warning, and which --yes answers in live mode only together with a maximum. With --json nothing but
 * warnings is said before it.
 */
import type { Order } from '../../contract/orders.ts';
import type { RouteQuote } from '../../contract/routes.ts';
import { dollars } from '../../domain/money.ts';
import { tipFault } from '../../domain/order-rules.ts';
import { isWithin, quotePrice } from '../../domain/quotes.ts';
import { type Flag, moneyFlag } from '../kit/args/flags.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { invocation, phrase } from '../kit/result/message.ts';
import { fetchOrder } from '../nouns/order.ts';
import { readRouteLimit } from '../nouns/order-limits.ts';
import { fetchRoute } from '../nouns/route.ts';
import { type Context, isOwnService } from '../session/command.ts';

/**
 * Fails with exit 6 if the quote costs more than the maximum, its tip included. A maximum far above the quote is
 * named on stderr: it may be an amount in cents. Returns what it leaves for the courier, for a service that keeps it.
 */
export async function checkPrice(
  context: Context,
  quote: RouteQuote,
  { maxCost, tip }: Terms,
): Promise<number | undefined> {
  if (maxCost === undefined) return undefined;
  const paid = await resolveTip(context, quote.route_id, tip);
  const price = quotePrice(quote) + paid;
  if (isWithin(price, maxCost)) {
    const ordersOf = async () => (await fetchRoute(context, quote.route_id))?.order_ids ?? [];
    await warnOfHighLimit(context, maxCost, price, ordersOf);
    return isOwnService(context) ? limitWithoutTip(maxCost, paid) : undefined;
  }
  const message = Number.isNaN(price)
    ? `The quote of ${quote.provider} has no known total, so that --max-cost ${dollars(maxCost)} cannot be checked.`
    : `The quote of ${quote.provider} is ${priceText(quote, paid)}, above --max-cost ${dollars(maxCost)}.`;
  throw new Failure(6, 'above_max_cost', message, { hint: 'Nothing was dispatched.' });
}

/**
 * Says on stderr that a maximum is more than five times the price that is taken; both in cents, with the tip. The limit with
 * which the orders were sent before is repeated by suggested commands.
 */
export async function warnOfHighLimit(
  context: Context,
  max_cost: number | undefined,
  price: number,
  ordersOf: () => Promise<readonly string[]> = async () => [],
): Promise<void> {
  if (max_cost === undefined || !(max_cost > 5 * price) || price === 0) return;
  if ((await readRouteLimit(await context.client(), await ordersOf())).max_cost === max_cost) return;
  const message = `--max-cost ${dollars(max_cost)} is more than five times the price of ${dollars(price)}; the flag takes dollars.`;
  context.warning('high_max_cost', message, { max_cost, lowest: price });
}

/** Says on stderr of a script what a dispatch without a maximum costs: a live key would refuse it. */
export async function warnOfNoLimit(
  context: Context,
  max_cost: number | undefined,
  question: () => Promise<string>,
): Promise<void> {
  if (max_cost !== undefined || context.interactive || context.output.quiet) return;
  const message = `${await question()}, without a limit: --max-cost DOLLARS sets one, and a live key needs it.`;
  context.warning('no_max_cost', message);
}

/** The flag for the most that may be charged in all. */
export function maxCostFlag(group?: string, scope = ''): Flag<number | undefined> {
  return moneyFlag({
    summary: `Maximum total${scope} in dollars (cost + fee + tip), such as 12.50; a return costs extra`,
    ...(group === undefined ? {} : { group }),
  });
}

/**
 * What a maximum leaves for the courier: the service's `max_cost` is without the tip. Fails with exit 6 if the tip alone
 * is above the maximum.
 */
export function limitWithoutTip(max_cost: number | undefined, tip: number): number | undefined {
  if (max_cost === undefined) return undefined;
  if (tip <= max_cost) return max_cost - tip;
  const message = `The tip of ${dollars(tip)} alone is above --max-cost ${dollars(max_cost)}.`;
  throw new Failure(6, 'above_max_cost', message, { hint: 'Nothing was dispatched.' });
}

/**
 * Refuses a maximum at a service that only has part of the interface: it is not known to keep it when it dispatches a
 * delivery that has no route yet.
 */
export function requireLimits(context: Pick<Context, 'has'>, max_cost: number | undefined): void {
  if (max_cost === undefined || isOwnService(context)) return;
  throw new Failure(6, 'not_supported', 'This service is not known to keep a maximum for a delivery.', {
    param: '--max-cost',
    hint: phrase`Nothing was dispatched. With a maximum use \`${invocation('ship')}\`, which compares the quotes itself.`,
  });
}

/** The amounts that the user agreed to beforehand, in cents. */
export interface Terms {
  /** The most that may be charged in all, the tip included. */
  maxCost: number | undefined;
  tip: number | undefined;
}

export async function confirmPrice(
  context: Context,
  quote: RouteQuote,
  { maxCost, tip }: Terms,
): Promise<void> {
  await confirmSpending(context, maxCost, async () => {
    const paid = context.interactive ? await resolveTip(context, quote.route_id, tip) : (tip ?? 0);
    const others = context.interactive || tip !== undefined ? '' : ' (plus the tips of its orders)';
    return `Dispatch to ${quote.provider} for ${priceText(quote, paid)}${others}`;
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
export async function resolveTip(
  context: Context,
  route_id: string,
  given: number | undefined,
): Promise<number> {
  if (given !== undefined) return given;
  return (await fetchOrdersOfRoute(context, route_id)).reduce((sum, { tip }) => sum + (tip || 0), 0);
}

export async function fetchOrdersOfRoute(context: Context, route_id: string): Promise<Order[]> {
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
  if (context.globals.dryRun) return;
  if ((await context.mode()) === 'test') return warnOfNoLimit(context, max_cost, question);
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

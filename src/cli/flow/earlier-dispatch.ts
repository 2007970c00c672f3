import type { DispatchedRoute } from '../../contract/dispatches.ts';
import type { Order } from '../../contract/orders.ts';
import { dollars } from '../../domain/money.ts';
import { isExpired } from '../../domain/quotes.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failures/failure.ts';
import { invocation } from '../kit/output/invocation.ts';
import { bestOf } from '../quotes/quote-choice.ts';
import { comparable, getQuotes } from '../quotes/quotes.ts';
import type { Plan, Shipped } from './deliver.ts';
import { takingText } from './quote-picker.ts';

/** A route that was dispatched before this line, its deliveries as they are by now, and its orders. */
export interface Earlier {
  route: DispatchedRoute;
  orders: readonly Order[];
}

type Wishes = Pick<Plan, 'taking' | 'terms'>;

/**
 * What a line answers whose route is dispatched already. Fails with exit 6 where it wants another tip than was given, or
 * to pay less than was paid; where it would have taken another quote, that is said. Of orders that were tried again
 * on other routes nothing is known of the first price.
 */
export async function earlierAnswer(
  context: Context,
  { route, orders }: Earlier,
  wishes: Wishes,
): Promise<Shipped> {
  const text = `${route.id} was dispatched before; nothing was made twice.`;
  const isWhole =
    route.deliveries.length === orders.length &&
    route.deliveries.every(({ route_id }) => route_id === route.id);
  if (!isWhole) return { route, told: text };
  checkTerms({ route, orders }, wishes);
  const choice = await choiceText(context, route, wishes.taking).catch(() => null);
  return { route, told: choice === null ? text : `${text} ${choice}` };
}

function checkTerms({ route, orders }: Earlier, { terms: { tip, maxCost } }: Wishes): void {
  const price = sum(route.deliveries.map(({ payment_amount }) => payment_amount));
  if (maxCost !== undefined && price > maxCost) {
    const message = `${route.id} was dispatched before, for ${dollars(price)}, above --max-cost ${dollars(maxCost)}.`;
    throw notApplied(route, 'above_max_cost', message);
  }
  const given = sum(route.deliveries.map((delivery) => delivery.tip ?? 0));
  const wanted = tip ?? sum(orders.map((order) => order.tip));
  if (given === wanted) return;
  const message = `${route.id} was dispatched before, with a tip of ${dollars(given)}; that of this line, ${dollars(wanted)}, was not applied.`;
  throw notApplied(route, 'idempotency_key_reuse', message);
}

function notApplied({ deliveries }: DispatchedRoute, code: string, message: string): Failure {
  return new Failure(6, code, message, {
    hint: 'Nothing was changed, and nothing was made twice. What is dispatched stays so; for another delivery take another --idempotency-key.',
    next: deliveries.map(({ id }) => ({
      ...invocation('deliveries explain', [id]),
      when: 'see how it is, and what can be done',
    })),
  });
}

/** That another quote was taken than the line asks for, of those that could be taken then; null where it was not. */
async function choiceText(
  context: Context,
  { id, deliveries: [delivery] }: DispatchedRoute,
  taking: Plan['taking'],
): Promise<string | null> {
  if (taking === null || delivery === undefined) return null;
  const { data } = await getQuotes(context, id);
  const then = Date.parse(delivery.created_at);
  const usable = (data ?? []).map(comparable).filter((each) => !isExpired(each, then));
  const best = bestOf(usable, taking);
  if (best === null || best.quote.id === delivery.quote_id) return null;
  return `The quote of ${delivery.service} was taken then: ${takingText(taking)} was not applied.`;
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

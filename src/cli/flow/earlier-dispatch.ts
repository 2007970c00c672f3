import type { DispatchedRoute } from '../../contract/routes.ts';
import { dollars } from '../../domain/money.ts';
import { Failure } from '../kit/errors/failure.ts';
import { invocation } from '../kit/result/message.ts';
import { getQuotes, usableQuotes } from '../nouns/quote.ts';
import type { Context } from '../session/command.ts';
import { type Preference, preferenceText, selectQuote } from './choose-quote.ts';
import type { Terms } from './consent.ts';
import type { Dispatched, Outcome } from './dispatch-route.ts';

/**
 * The outcome for a route that an earlier run has dispatched. Fails with exit 6 if that cost more than the maximum of
 * this run, or had another tip; says so if it used another quote. Orders that were dispatched again on other routes
 * are not compared, as their first price is unknown.
 */
export async function earlierOutcome(
  context: Context,
  { route, orders }: Dispatched,
  { preference, terms }: { preference: Preference | null; terms: Terms },
): Promise<Outcome> {
  const text = `Route ${route.id} was already dispatched; nothing was created twice.`;
  const isSameDispatch =
    route.deliveries.length === orders.length &&
    route.deliveries.every(({ route_id }) => route_id === route.id);
  if (!isSameDispatch) return { route, text };
  checkTerms({ route, orders }, terms);
  const quoteNote = await otherQuoteText(context, route, preference).catch(() => null);
  return { route, text: quoteNote === null ? text : `${text} ${quoteNote}` };
}

function checkTerms({ route, orders }: Dispatched, { tip, maxCost }: Terms): void {
  const before = `Route ${route.id} was already dispatched`;
  const price = sum(route.deliveries.map(({ payment_amount }) => payment_amount));
  if (maxCost !== undefined && price > maxCost) {
    const message = `${before} for ${dollars(price)}, above --max-cost ${dollars(maxCost)}.`;
    throw notApplied(route, 'above_max_cost', message);
  }
  const given = sum(route.deliveries.map((delivery) => delivery.tip ?? 0));
  const wanted = tip ?? sum(orders.map((order) => order.tip));
  if (given === wanted) return;
  const message = `${before} with a tip of ${dollars(given)}; the tip of ${dollars(wanted)} was not applied.`;
  throw notApplied(route, 'idempotency_key_reuse', message);
}

function notApplied({ deliveries }: DispatchedRoute, code: string, message: string): Failure {
  return new Failure(6, code, message, {
    hint: 'Nothing was changed. For another delivery, use another --idempotency-key.',
    next: deliveries.map(({ id }) => ({
      ...invocation('deliveries explain', [id]),
      when: 'see its history and next steps',
    })),
  });
}

/** Says that another quote was used than the preferred one of those that could be used then; else null. */
async function otherQuoteText(
  context: Context,
  { id, deliveries: [delivery] }: DispatchedRoute,
  preference: Preference | null,
): Promise<string | null> {
  if (preference === null || delivery === undefined) return null;
  const usable = usableQuotes(await getQuotes(context, id), Date.parse(delivery.created_at));
  const best = selectQuote(usable, preference);
  if (best === null || best.id === delivery.quote_id) return null;
  return `It used the quote of ${delivery.service}: ${preferenceText(preference)} was not applied.`;
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

/**
 * The quote that a delivery is created with: the cheapest one of a round within the call, or the one that the request
 * names. That must be for the same stops and time (`namedQuote`), and is renewed at its provider if it has expired, as the
 * caller chose the provider (`renewQuote`).
 */
import { Problem } from '../../contract/errors.ts';
import { isExpired } from '../../domain/quotes.ts';
import { scenarioScript } from '../../domain/scenarios.ts';
import { findPendingOrders } from '../../storage/batches.ts';
import type { Connection, QuoteRow, RouteRow } from '../../storage/database.ts';
import { findQuote, latestJob } from '../../storage/quotes.ts';
import { findRoute } from '../../storage/routes.ts';
import type { CallBase } from '../http/handler.ts';
import { type OrderRecord, orderRecord } from '../orders/order.ts';
import {
  bestQuote,
  estimate,
  isSamePlaces,
  mismatchReason,
  placesText,
  type Question,
  quoteRow,
} from '../quotes/estimate-quotes.ts';
import { quoteRecord, quoteUsed } from '../quotes/quote.ts';
import { directStops } from '../quotes/quote-request.ts';
import { ordersOfRoute, routeOrderIds } from '../routes/route.ts';

/** The quote to use; null if absent, and the new quotes to store. */
export interface Chosen {
  quote: QuoteRow | null;
  fresh: QuoteRow[];
}

/** The delivery that a quote is for. */
export interface Wanted {
  record: OrderRecord;
  order_id: string;
  external_order_ref: string;
}

/** The cheapest quote of a first round, requested within the call. */
export async function cheapestQuote(call: CallBase, { order_id, ...order }: Wanted): Promise<Chosen> {
  const stops = directStops(order.record, order_id);
  const question = { route_id: '', prefix: 'quo', ...order, stops, round: 1 } as const;
  const estimates = await estimate(call, { ...question, job_id: call.id('job', 'first') });
  return { quote: bestQuote(estimates), fresh: estimates.map(quoteRow) };
}

/**
 * A quote for the same stops and time, of version 1 or of a draft route, whose provider accepts the order. A quote is
 * only a price: the draft route and its order are not changed. Throws `quote_not_found`, `quote_used` and
 * `order_not_open`.
 */
export async function namedQuote(
  call: CallBase,
  { quote_id, ...wanted }: Wanted & { quote_id: string },
): Promise<QuoteRow> {
  const { service, caller } = call;
  const [quote, place] = await service.storage.read(async (db) => {
    const found = await findQuote(db, caller.scope.account_id, quote_id);
    return [found, found === undefined ? null : await quotedPlace(db, found)];
  });
  if (quote === undefined || place === null || place.isTest !== caller.test_mode) {
    throw new Problem('quote_not_found', `There is no delivery quote ${quote_id}.`);
  }
  if (quote.used_at !== null) throw quoteUsed(quote_id);
  if (place.unusable !== null) {
    const { code, reason } = place.unusable;
    throw new Problem(code, `Quote ${quote_id} ${reason}.`);
  }
  if (!isSamePlaces(place.text, placesText(wanted.record))) {
    throw new Problem('quote_not_found', `Quote ${quote_id} is for different stops or a different time.`);
  }
  const reason = await mismatchReason(call, repeatedQuestion(call, { ...wanted, quote }));
  // One of an earlier round, or for another order, is replaced like an expired one.
  if (reason === null)
    return place.isOutdated || isOfOrder(quote) ? { ...quote, expires_at: call.now } : quote;
  throw new Problem('quote_not_found', `Quote ${quote_id} cannot be used for this delivery: ${reason}.`);
}

/** The stops and time that a quote is for. */
interface QuotedPlace {
  isTest: boolean;
  text: string;
  /** Whether quotes of its route were requested again since. */
  isOutdated: boolean;
  /** Why no delivery can be created from the quote; null if one can. */
  unusable: Unusable | null;
}

interface Unusable {
  code: 'quote_not_found' | 'quote_used' | 'order_not_open';
  reason: string;
}

/** A quote of version 1 contains its stops; a route's quote uses those of the route. Null if the route was deleted. */
async function quotedPlace(db: Connection, quote: QuoteRow): Promise<QuotedPlace | null> {
  const { place } = quoteRecord(quote);
  if (place !== undefined) return { ...place, isOutdated: false, unusable: null };
  const route = await findRoute(db, quote.account_id, quote.route_id);
  if (route === undefined) return null;
  const [order] = await ordersOfRoute(db, route);
  const text = order === undefined ? '' : placesText(orderRecord(order));
  const job = await latestJob(db, route.id);
  const isOutdated = job !== undefined && job.id !== quote.job_id;
  return { isTest: route.test_mode === 1, text, isOutdated, unusable: await whyUnusable(db, route) };
}

/** Whether a quote is for one order as it was then, with its people, units or notes, and not only for its stops and time. */
export function isOfOrder(quote: QuoteRow): boolean {
  return quoteRecord(quote).is_of_order === true;
}

/** Why no delivery can be created from a quote of a route: its order would get a second one, or it is for several orders. */
async function whyUnusable(db: Connection, route: RouteRow): Promise<Unusable | null> {
  const order_ids = routeOrderIds(route);
  const of = `belongs to route ${route.id}, which`;
  if (route.status !== 'draft') return { code: 'quote_used', reason: `${of} is ${route.status}` };
  if (order_ids.length !== 1)
    return { code: 'quote_not_found', reason: `covers all ${order_ids.length} orders of route ${route.id}` };
  const [pending] = await findPendingOrders(db, order_ids);
  if (pending === undefined) return null;
  return {
    code: 'order_not_open',
    reason: `belongs to order ${pending.order_id}, which is in auto dispatch`,
  };
}

/**
 * Returns the quote if it is usable. An expired one, or one for a time that has passed, is replaced by a new one of the
 * same provider; null if that declines now.
 */
export async function renewQuote(call: CallBase, wanted: Wanted & { quote: QuoteRow }): Promise<Chosen> {
  const { record, quote } = wanted;
  const times = [record.pickup.at, record.dropoff.at];
  const isTooLate = times.some((at) => at !== null && at <= call.now);
  if (!isTooLate && !isExpired(quote, call.now) && !expiresBeforeUse(wanted)) return { quote, fresh: [] };
  const estimates = await estimate(call, repeatedQuestion(call, wanted));
  return { quote: bestQuote(estimates), fresh: estimates.map(quoteRow) };
}

/** Whether the scenario makes the first quote of a delivery expire, even one given before the scenario was chosen. */
function expiresBeforeUse({ record, quote }: Wanted & { quote: QuoteRow }): boolean {
  return scenarioScript(record.simulation.scenario).quotes === 'dead' && roundOf(quote) === 1;
}

/** Older quotes without a round are of the first one. */
function roundOf(quote: QuoteRow): number {
  return quoteRecord(quote).round ?? 1;
}

/** The request that asks the provider of a quote again. */
function repeatedQuestion(
  call: CallBase,
  { order_id, quote, ...order }: Wanted & { quote: QuoteRow },
): Question {
  return {
    job_id: call.id('job', 'again', quote.id),
    route_id: '',
    prefix: 'quo',
    ...order,
    stops: directStops(order.record, order_id),
    round: roundOf(quote) + 1,
    provider: quote.provider,
  };
}

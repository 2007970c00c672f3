import { refusedWith } from '../../client/errors.ts';
import type { Job, RouteQuote, RouteQuotes } from '../../contract/quotes.ts';
import type { Route } from '../../contract/routes.ts';
import { fleet_provider } from '../../contract/vocabulary.ts';
import { reportOf } from '../errors/error-report.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import type { Text } from '../kit/result/message.ts';
import { getQuotes, requestQuotes, usableQuotes } from '../nouns/quote.ts';
import { completeQuotes } from '../nouns/quote-waiting.ts';
import { createRoute, fetchRoute } from '../nouns/route.ts';
import type { Context } from '../session/command.ts';
import {
  type Dispatched,
  dispatchOutcome,
  dispatchRoute,
  fetchDispatched,
  type Outcome,
} from './dispatch-route.ts';

/**
 * The five steps of a delivery:
 *
 * 1. orders: each order is created with its idempotency key.
 * 2. route: the orders form a draft route.
 * 3. quotes: they are requested from the providers, then awaited. Usable ones of an earlier run are kept.
 * 4. choice: a preference or the user selects a quote that has not expired, and the user agrees to its price.
 * 5. dispatch: the provider of the quote takes the route, and each order becomes a delivery, which can be followed.
 *
 * The request of each step stands with its noun. `deliver` takes steps 2 to 5 in turn: `ship` and `start` are front
 * ends of it. In the wizard the user can also go back and change an earlier step, so it takes the steps one by one.
 *
 * A step can be repeated: with the same idempotency key it finds what the earlier run created. If the route is
 * dispatched by then, by an earlier run or by someone else, its deliveries are the result. If the quote has expired
 * when it is used, quotes are requested and chosen once more.
 */
export async function* deliver(
  context: Context,
  order_ids: readonly string[],
  frontEnd: FrontEnd,
): AsyncGenerator<Progress> {
  const { optimize, interruptionText } = frontEnd;
  context.setInterruptionText(interruptionText);
  const created = await createRoute(context, { order_ids, optimize }, context.idempotencyKey('route'));
  const { isNew } = created;
  const route = isNew ? created.route : await currentRoute(context, created.route.id);
  yield { step: 'route', route };
  if (route.status !== 'draft') {
    yield { step: 'earlier', earlier: await fetchDispatched(context, route) };
    return;
  }
  try {
    yield* dispatchDraft(context, route.id, frontEnd, isNew);
  } catch (error) {
    if (reportOf(error).code !== 'quote_expired') throw error;
    yield { step: 'expired' };
    yield* dispatchDraft(context, route.id, frontEnd, false);
  }
}

/** What a front end decides. It shows the progress that it is given, before the next step starts. */
export interface FrontEnd {
  /** Whether the service may change the sequence of the stops. */
  optimize: boolean;
  /** The driver's tip in cents; null for the tips of the orders. */
  tip: number | null;
  /** The driver of the own fleet who gets the route; absent: the provider chooses. */
  driver_id?: string | null;
  /** How long and how often to poll for the quotes; undefined as the interface recommends. */
  timeout_ms: number | undefined;
  interval_ms: number | undefined;
  /** Selects the quote, and makes sure that the user agrees to its price. Throws to end the flow. */
  choose(route_id: string, quotes: RouteQuotes): Promise<RouteQuote>;
  /** What is true and how to continue, if the process is interrupted now. */
  interruptionText(): Text;
}

/** The result of a step. `dispatch` and `earlier` are the last ones. */
export type Progress =
  | { step: 'route'; route: Route }
  | { step: 'request'; route_id: string; job: Job }
  | { step: 'quotes'; route_id: string; quotes: RouteQuotes }
  | { step: 'choice'; quote: RouteQuote }
  | { step: 'expired' }
  | { step: 'dispatch'; outcome: Outcome }
  | { step: 'earlier'; earlier: Dispatched };

/** Steps 3 to 5. A new route has no quotes yet. */
async function* dispatchDraft(
  context: Context,
  route_id: string,
  frontEnd: FrontEnd,
  isNew: boolean,
): AsyncGenerator<Progress> {
  const { interruptionText, tip, driver_id = null, timeout_ms, interval_ms } = frontEnd;
  let quotes = isNew ? null : await getQuotes(context, route_id);
  if (quotes === null || usableQuotes(quotes, context.serviceNow()).length === 0) {
    const job = await requestRound(context, route_id, quotes);
    yield { step: 'request', route_id, job };
    const wait = { timeout_ms, interval_ms, isRequested: true, interruptionText };
    quotes = await completeQuotes(context, route_id, wait);
    context.setInterruptionText(interruptionText);
  }
  yield { step: 'quotes', route_id, quotes };
  const quote = await frontEnd.choose(route_id, quotes);
  yield { step: 'choice', quote };
  try {
    // The key names the quote: a repeat with the same quote is the same dispatch, any other needs a draft route.
    const key = context.idempotencyKey(`dispatch-${quote.id.slice(-10)}`);
    const route = await dispatchRoute(context, { route_id, quote_id: quote.id, tip, driver_id }, key);
    yield { step: 'dispatch', outcome: dispatchOutcome(route, quote) };
  } catch (error) {
    if (!refusedWith(error, 'route_not_draft', 'idempotency_key_reuse')) throw error;
    const route = await currentRoute(context, route_id);
    if (route.status === 'draft') throw error;
    yield { step: 'earlier', earlier: await fetchDispatched(context, route) };
  }
}

/** Requests quotes again, or for the first time. */
function requestRound(context: Context, route_id: string, quotes: RouteQuotes | null): Promise<Job> {
  // With the key of a complete round the service would not start another one.
  const write = quotes?.status === 'COMPLETE' ? `quotes-${context.now().toString(36)}` : 'quotes';
  return requestQuotes(context, route_id, context.idempotencyKey(write));
}

/** Returns the quotes of a route. Requests new ones if none of the own drivers is usable. */
export async function quotesWithFleet(
  context: Context,
  route_id: string,
  pace: Pick<FrontEnd, 'timeout_ms' | 'interval_ms'>,
): Promise<RouteQuotes> {
  const quotes = await getQuotes(context, route_id);
  const usable = usableQuotes(quotes, context.serviceNow());
  if (usable.some(({ provider }) => provider === fleet_provider)) return quotes;
  await requestRound(context, route_id, quotes);
  return completeQuotes(context, route_id, { ...pace, isRequested: true });
}

async function currentRoute(context: Context, route_id: string): Promise<Route> {
  const route = await fetchRoute(context, route_id);
  if (route !== null) return route;
  const message = `Route ${route_id}, which an earlier run created, no longer exists.`;
  throw new Failure(5, 'record_not_found', message);
}

/** The maximum length of an idempotency key from which each step derives its own. */
const max_key_length = 155 - '/dispatch-0123456789'.length;

/** UsageError if the keys of the later steps would be too long, before anything is created. */
export function checkKeyLength({ globals: { idempotencyKey } }: Pick<Context, 'globals'>): void {
  if (idempotencyKey === undefined || idempotencyKey.length <= max_key_length) return;
  throw new UsageError(
    `--idempotency-key has ${idempotencyKey.length} characters; here it has at most ${max_key_length}, because each step derives its own key from it.`,
  );
}

/** The flow of a delivery, from its orders to its dispatch, for `ship`, `start` and assistants. */
import { isRefusal, refusedWith } from '../../client/errors.ts';
import type { DispatchedRoute, Job, Route, RouteQuote, RouteQuotes } from '../../contract/routes.ts';
import { fleet_provider } from '../../contract/vocabulary.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import { isReportedAs } from '../errors/error-report.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { invocation, type Text } from '../kit/result/message.ts';
import { fetchOrder } from '../nouns/order.ts';
import { getQuotes, requestQuotes } from '../nouns/quote.ts';
import { usableQuotes } from '../nouns/quote-columns.ts';
import { completeQuotes } from '../nouns/quote-waiting.ts';
import { createRoute, fetchRoute } from '../nouns/route.ts';
import { type Context, isOwnService } from '../session/command.ts';
import { type Dispatched, dispatchOutcome, fetchDispatched, type Outcome } from './dispatch-outcome.ts';

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
  context.setInterruptionText(frontEnd.interruptionText);
  const { route, isNew } = await routeOf(context, order_ids, frontEnd);
  yield { step: 'route', route };
  if (route.status !== 'draft') {
    yield { step: 'earlier', earlier: await fetchDispatched(context, route) };
    return;
  }
  try {
    yield* dispatchDraft(context, route.id, { ...frontEnd, order_ids }, isNew ? 'none' : 'usable');
  } catch (error) {
    if (!isReportedAs(error, 'quote_expired', 'quote_outdated')) throw error;
    yield { step: 'expired' };
    yield* dispatchDraft(context, route.id, { ...frontEnd, order_ids }, 'stale');
  }
}

/** The route of the orders: a new one, or that of an earlier run as it is now. */
async function routeOf(
  context: Context,
  order_ids: readonly string[],
  { optimize, draft_id = null }: FrontEnd,
): Promise<{ route: Route; isNew: boolean }> {
  const earlier = async (route_id: string) => ({
    route: await earlierRoute(context, route_id, order_ids),
    isNew: false,
  });
  if (draft_id !== null) return earlier(draft_id);
  const created = await createRoute(context, { order_ids, optimize }, context.idempotencyKey('route'));
  return created.isNew ? created : earlier(created.route.id);
}

/** The decisions of a front end. It shows each progress before the next step starts. */
export interface FrontEnd {
  /** Whether the service may change the sequence of the stops. */
  optimize: boolean;
  /** The draft route that the orders are in already; absent or null: a new one is created. */
  draft_id?: string | null;
  /** The driver's tip in cents; null for the tips of the orders. */
  tip: number | null;
  /** The driver of the own fleet who gets the route; absent: the provider chooses. */
  driver_id?: string | null;
  /** Whether it is refused if another order with the reference is sent. */
  refusesDuplicateRef?: boolean;
  /** How long and how often to poll for the quotes; undefined as the interface recommends. */
  timeout_ms: number | undefined;
  interval_ms: number | undefined;
  /**
   * Selects the quote, and makes sure that the user agrees to its price, of which `max_cost` is the most in cents without
   * the tip. Throws to end the flow.
   */
  choose(
    route_id: string,
    quotes: RouteQuotes,
  ): Promise<{ quote: RouteQuote; max_cost?: number | undefined }>;
  /** The state, and how to continue, if the process is interrupted now. */
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

/** Steps 3 to 5. Quotes that may be usable are looked at; a new route has none, and stale ones are requested again. */
async function* dispatchDraft(
  context: Context,
  route_id: string,
  frontEnd: FrontEnd & { order_ids: readonly string[] },
  state: 'none' | 'usable' | 'stale',
): AsyncGenerator<Progress> {
  const { order_ids, interruptionText, tip, driver_id = null, refusesDuplicateRef } = frontEnd;
  const { timeout_ms, interval_ms } = frontEnd;
  let quotes = state === 'none' ? null : await getQuotes(context, route_id);
  if (quotes === null || state === 'stale' || !hasUsable(context, quotes, driver_id)) {
    const job = await requestRound(context, route_id, quotes, driver_id);
    yield { step: 'request', route_id, job };
    const wait = { timeout_ms, interval_ms, isRequested: true, interruptionText };
    quotes = await completeQuotes(context, route_id, wait);
    context.setInterruptionText(interruptionText);
  }
  yield { step: 'quotes', route_id, quotes };
  const { quote, max_cost } = await frontEnd.choose(route_id, quotes);
  yield { step: 'choice', quote };
  try {
    // The key names the quote: a repeat with the same quote is the same dispatch, any other needs a draft route.
    const key = context.idempotencyKey(`dispatch-${quoteKeyPart(quote)}`);
    const choice = {
      route_id,
      quote_id: quote.id,
      tip,
      max_cost,
      driver_id,
      only_with_room: isOfFleet(quote),
      refusesDuplicateRef,
    };
    const route = await dispatchRoute(context, choice, key).catch(async (error: unknown) => {
      if (!isRefusal(error)) await rememberDispatch(context, order_ids);
      throw error;
    });
    await rememberDispatch(context, order_ids);
    yield { step: 'dispatch', outcome: dispatchOutcome(route, quote) };
  } catch (error) {
    if (!refusedWith(error, 'route_not_draft', 'idempotency_key_reuse')) throw error;
    const route = await fetchRoute(context, route_id);
    if (route === null || route.status === 'draft') throw error;
    yield { step: 'earlier', earlier: await fetchDispatched(context, route) };
  }
}

/** Requests quotes again, or for the first time. */
function requestRound(
  context: Context,
  route_id: string,
  quotes: RouteQuotes | null,
  driver_id: string | null,
): Promise<Job> {
  // With the key of a complete round the service would not start another one.
  const write = quotes?.status === 'COMPLETE' ? `quotes-${context.now().toString(36)}` : 'quotes';
  return requestQuotes(context, route_id, context.idempotencyKey(write), driver_id);
}

/** Whether a quote can be used: for a driver, one of the own fleet. */
function hasUsable(context: Context, quotes: RouteQuotes, driver_id: string | null): boolean {
  const usable = usableQuotes(quotes, context.serviceNow());
  return usable.some(({ provider }) => driver_id === null || provider === fleet_provider);
}

/** Keeps the orders of a dispatch: another service may show their deliveries only later, or the answer was lost. */
async function rememberDispatch(context: Context, order_ids: readonly string[]): Promise<void> {
  if (isOwnService(context)) return;
  const { dispatchOf, rememberSent } = await import('../nouns/sent-references.ts');
  for (const id of order_ids) await rememberSent(context, dispatchOf(id), { id });
}

/** Returns the quotes of a route. Requests one for a driver if none of the own fleet is usable. */
export async function quotesWithFleet(
  context: Context,
  route_id: string,
  driver_id: string,
  pace: Pick<FrontEnd, 'timeout_ms' | 'interval_ms'>,
): Promise<RouteQuotes> {
  const quotes = await getQuotes(context, route_id);
  if (hasUsable(context, quotes, driver_id)) return quotes;
  await requestRound(context, route_id, quotes, driver_id);
  return completeQuotes(context, route_id, { ...pace, isRequested: true });
}

/** The route that an earlier run created. If it was deleted, the idempotency key cannot create another one. */
export async function earlierRoute(
  context: Context,
  route_id: string,
  order_ids: readonly string[],
): Promise<Route> {
  const route = await fetchRoute(context, route_id);
  if (route !== null) return route;
  const orders = await Promise.all(order_ids.map((id) => fetchOrder(context, id)));
  const taken = orders.flatMap((order) => (order === null || order.status === 'open' ? [] : order));
  const states = taken.map(({ id, status }) => ` Order ${id} is ${status}.`).join('');
  const message = `Route ${route_id}, which an earlier run created, no longer exists.${states}`;
  const hint = 'The idempotency key is used up: use another --idempotency-key.';
  const code = taken.length === 0 ? 'record_not_found' : 'order_not_open';
  const next = taken.map(({ id }) => ({ ...invocation('orders get', [id]), when: 'see its status' }));
  throw new Failure(taken.length === 0 ? 5 : 6, code, message, { hint, next });
}

/** The maximum length of an idempotency key from which each step derives its own: the longest is the wizard's, with a tip. */
const max_key_length = 155 - '/send-0123456789-99999999'.length;

/** UsageError if the keys of the later steps would be too long, before anything is created. */
export function checkKeyLength({ globals: { idempotencyKey } }: Pick<Context, 'globals'>): void {
  if (idempotencyKey === undefined || idempotencyKey.length <= max_key_length) return;
  throw new UsageError(
    `--idempotency-key has ${idempotencyKey.length} characters; here it has at most ${max_key_length}, because each step derives its own key from it.`,
  );
}

/** A route with its quote. */
interface DispatchChoice {
  route_id: string;
  quote_id: string;
  tip: number | null;
  /** The most that it may cost without the tip, in cents. */
  max_cost?: number | undefined;
  /** The driver of the own fleet who gets it. */
  driver_id?: string | null;
  /** Whether nothing is dispatched if own drivers have no room for it anymore. */
  only_with_room?: boolean;
  /** Whether it is refused if another order with the reference is sent. */
  refusesDuplicateRef?: boolean | undefined;
}

/** Names a quote within an idempotency key, whose length is limited: IDs differ in their end. */
export function quoteKeyPart({ id }: Pick<RouteQuote, 'id'>): string {
  return id.slice(-10);
}

/** Whether a quote is one of own drivers, who may get other orders before it is used. */
export function isOfFleet({ provider }: RouteQuote): boolean {
  return provider === fleet_provider;
}

/** Dispatches a draft route. Without a tip the driver gets the tips of the orders. */
export async function dispatchRoute(
  service: Pick<Context, 'client'>,
  { route_id, quote_id, tip, max_cost, driver_id = null, ...checks }: DispatchChoice,
  idempotencyKey: string,
): Promise<DispatchedRoute> {
  const client = await service.client();
  const { only_with_room = false, refusesDuplicateRef = false } = checks;
  const forDriver = driver_id ? { driver_id } : only_with_room && { only_with_room };
  const body = {
    ...{ quote_id, ...(tip === null ? {} : { tip }), ...withoutAbsent({ max_cost }) },
    ...forDriver,
    ...(refusesDuplicateRef && { unique_ref: true }),
  };
  const { data, replayed } = await client.dispatches.create({ params: { route_id }, body, idempotencyKey });
  return replayed ? (await fetchDispatched(service, data)).route : data;
}

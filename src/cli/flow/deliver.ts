import { ifSupported, refusedWith } from '../../client/errors.ts';
import type { Delivery } from '../../contract/deliveries.ts';
import type { Order } from '../../contract/orders.ts';
import type { DispatchedRoute, Job, Route, RouteQuote, RouteQuotes } from '../../contract/routes.ts';
import { fleet_provider } from '../../contract/vocabulary.ts';
import { isCanceled, isEnded } from '../../domain/delivery-states.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import { dollars } from '../../domain/money.ts';
import { isWithin, quotePrice } from '../../domain/quotes.ts';
import { statusPhrase } from '../../domain/status-words.ts';
import { isReportedAs } from '../errors/error-report.ts';
import { Failure, StillPending, UsageError } from '../kit/errors/failure.ts';
import { invocation, phrase, type Text } from '../kit/result/message.ts';
import {
  type Answer,
  type AnswerBuilder,
  documentResult,
  listResult,
  type Result,
} from '../kit/result/result.ts';
import { deliveryColumns, trackingNotes } from '../nouns/delivery.ts';
import { failedAtOnce, failedDeliveryText } from '../nouns/delivery-creation.ts';
import { retryInvocation } from '../nouns/delivery-steps.ts';
import { awaitArrival, isAwaited, type Wait } from '../nouns/delivery-waiting.ts';
import { fetchOrder } from '../nouns/order.ts';
import { getQuotes, requestQuotes, usableQuotes } from '../nouns/quote.ts';
import { completeQuotes } from '../nouns/quote-waiting.ts';
import { createRoute, fetchRoute } from '../nouns/route.ts';
import { type Context, isOwnService } from '../session/command.ts';
import { type Preference, preferenceText, preferredQuote, type Terms } from './agreed-quote.ts';

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
    yield* dispatchDraft(context, route.id, frontEnd, isNew ? 'none' : 'usable');
  } catch (error) {
    if (!isReportedAs(error, 'quote_expired', 'quote_outdated')) throw error;
    yield { step: 'expired' };
    yield* dispatchDraft(context, route.id, frontEnd, 'stale');
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
  isUnique?: boolean;
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
  frontEnd: FrontEnd,
  state: 'none' | 'usable' | 'stale',
): AsyncGenerator<Progress> {
  const { interruptionText, tip, driver_id = null, isUnique, timeout_ms, interval_ms } = frontEnd;
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
    const key = context.idempotencyKey(`dispatch-${quote.id.slice(-10)}`);
    const choice = {
      route_id,
      quote_id: quote.id,
      tip,
      max_cost,
      driver_id,
      only_with_room: isOfFleet(quote),
      isUnique,
    };
    const route = await dispatchRoute(context, choice, key);
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
async function earlierRoute(
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

/** The maximum length of an idempotency key from which each step derives its own. */
const max_key_length = 155 - '/dispatch-0123456789'.length;

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
  isUnique?: boolean | undefined;
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
  const { only_with_room = false, isUnique = false } = checks;
  const forDriver = driver_id ? { driver_id } : only_with_room && { only_with_room };
  const body = {
    ...{ quote_id, ...(tip === null ? {} : { tip }), ...withoutAbsent({ max_cost }) },
    ...forDriver,
    ...(isUnique && { unique_ref: true }),
  };
  return (await client.dispatches.create({ params: { route_id }, body, idempotencyKey })).data;
}

/** A dispatched route, and a sentence on how it was dispatched. */
export interface Outcome {
  route: DispatchedRoute;
  text: string;
}

/**
 * The outcome of a dispatch with a quote: `Dispatched to poolride for $6.47 ($5.99 and a fee of $0.48).` Without a
 * service fee only the price is named.
 */
export function dispatchOutcome(route: DispatchedRoute, quote: RouteQuote): Outcome {
  const { cost_of_delivery, service_fee } = quote;
  const parts =
    service_fee === 0 ? '' : ` (${dollars(cost_of_delivery)} and a fee of ${dollars(service_fee)})`;
  const isKnown = !Number.isNaN(quotePrice(quote));
  const price = isKnown ? ` for ${dollars(quotePrice(quote))}${parts}` : '';
  const tips = sum(route.deliveries.map(({ tip }) => tip ?? 0));
  const inAll = isKnown ? `: ${dollars(quotePrice(quote) + tips)} in all` : '';
  const extra = tips === 0 ? '' : `, and a tip of ${dollars(tips)}${inAll}`;
  const name = quote.provider === fleet_provider ? (route.deliveries[0]?.courier_name ?? '') : '';
  const to = name === '' ? quote.provider || 'the provider' : `${name} of your own fleet`;
  return { route, text: `Dispatched to ${to}${price}${extra}.` };
}

/**
 * Waits until each delivery has the awaited status, and returns the deliveries. Does not wait without such a status,
 * or after a delivery has failed. Fails as `deliveries wait` does, with the deliveries in the answer.
 */
export async function awaitedAnswer(context: Context, outcome: Outcome, wait: Wait): Promise<Result> {
  const { route, text } = outcome;
  if (wait.until !== null && route.deliveries.length === 0) throw withoutDeliveries(text);
  if (!isAwaited(wait, route.deliveries)) return outcomeAnswer(context, outcome);
  if (!context.output.json) context.note(text);
  return awaitArrival(context, route.deliveries, wait, (last) =>
    deliveriesAnswer(context, { ...route, deliveries: [...last] }),
  );
}

/** A service may not return the created deliveries. */
function withoutDeliveries(text: string): StillPending {
  return new StillPending(`${text} The service does not say which deliveries it made.`, {
    next: [{ ...invocation('deliveries list'), when: 'find them' }],
  });
}

/** The deliveries of the route, with the sentence if any of them is under way; exit 9 if some failed at once. */
export function outcomeAnswer(context: Context, { route, text }: Outcome): Result {
  const failed = route.deliveries.filter(({ status }) => status === 'failed');
  if (failed.length > 0 && context.output.json) {
    throw failedAtOnce(context, failed, deliveriesAnswer(context, route));
  }
  const failures = failed.map((each) => failedDeliveryText(context, each));
  // Another service does not retry deliveries.
  const retries = (isOwnService(context) ? failed : []).map(
    (each) => phrase`Try it again, with fresh quotes: ${retryInvocation(each)}`,
  );
  const [first] = route.deliveries.filter(({ status }) => status !== 'failed');
  const find =
    failed.length === 0 ? phrase`Find its deliveries: ${invocation('deliveries list')}` : undefined;
  const next = first === undefined ? find : followText(first);
  const notes = next === undefined ? [...failures, ...retries] : [text, ...failures, ...retries, next];
  return deliveriesAnswer(context, route, {
    notes: [...notes, ...linkNotes(context, route)],
    ...(failed.length === 0 ? {} : { exit: 9 }),
  });
}

/** An earlier run's delivery may have been canceled meanwhile. */
function followText({ id, status }: DispatchedRoute['deliveries'][number]): Text {
  const look = invocation('deliveries explain', [id]);
  if (isCanceled(status)) return phrase`It was canceled since: ${look}`;
  return isEnded(status)
    ? phrase`It is ${statusPhrase(status)}: ${look}`
    : phrase`Next: ${invocation('deliveries watch', [id])}`;
}

/** The charges for the deliveries of a route, in cents; null if the service does not return them. */
function pricesOf(deliveries: readonly Delivery[]) {
  const charged = deliveries.filter(({ status }) => status !== 'failed');
  const cost = sum(charged.map(({ payment_amount }) => payment_amount));
  const tip = sum(charged.map((each) => each.tip ?? 0));
  return {
    service: deliveries[0]?.service ?? '',
    ...(Number.isNaN(cost) ? { cost: null, tip, total_cost: null } : { cost, tip, total_cost: cost + tip }),
  };
}

/** The answer in JSON: the document of the interface, with the courier and its price. */
export function dispatchedShape(of: AnswerBuilder): Answer {
  const integer = of.orNull('integer');
  const prices = { service: 'string', cost: integer, tip: 'integer', total_cost: integer } as const;
  return of.one(of.withFields(prices, of.answerOf('dispatches.create')));
}

/** The deliveries as a table; in JSON the document of the interface. */
function deliveriesAnswer(
  { output }: Pick<Context, 'output'>,
  route: DispatchedRoute,
  ending: { notes?: readonly Text[]; exit?: number } = {},
): Result {
  if (output.json) return documentResult({ ...route, ...pricesOf(route.deliveries) }, ending);
  const empty = `Route ${route.id} is dispatched.`;
  return listResult({ data: route.deliveries, columns: deliveryColumns, empty, ...ending });
}

/** The tracking links, which a table without all columns does not show, or how they can be opened. */
function linkNotes(context: Context, { deliveries }: DispatchedRoute): Text[] {
  const [first] = deliveries;
  const isRead = context.output.format === 'table' && context.host.stdout.isTerminal;
  if (first === undefined || !(isRead || context.output.format === 'wide')) return [];
  const notes = trackingNotes(context, first);
  if (notes.length > 0 || !isRead) return notes;
  return deliveries.map(({ id, tracking_url }) => `Tracking of ${id}: ${tracking_url}`);
}

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
  const price = sum(route.deliveries.map((delivery) => delivery.payment_amount + (delivery.tip ?? 0)));
  // Another service may not say what it charged.
  if (!Number.isNaN(price) && !isWithin(price, maxCost)) {
    const message = `${before} for ${dollars(price)}, above --max-cost ${dollars(maxCost ?? 0)}.`;
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
  const best = preferredQuote(usable, preference);
  if (best === null || best.id === delivery.quote_id) return null;
  return `It used the quote of ${delivery.service}: ${preferenceText(preference)} was not applied.`;
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

/** A route that is dispatched, with its orders and the deliveries that these have now. */
export interface Dispatched {
  route: DispatchedRoute;
  orders: readonly Order[];
}

/** Fetches the deliveries of a route that is no longer a draft. */
export async function fetchDispatched(service: Pick<Context, 'client'>, route: Route): Promise<Dispatched> {
  const client = await service.client();
  const orders: Order[] = [];
  for (const order_id of route.order_ids) {
    const call = client.orders.get({ params: { order_id }, query: { expand: 'delivery' } });
    const found = await ifSupported(call, null);
    if (found !== null) orders.push(found.data);
  }
  return { route: { ...route, deliveries: orders.flatMap(({ delivery }) => delivery ?? []) }, orders };
}

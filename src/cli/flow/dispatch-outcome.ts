/** The outcome of a dispatch, of this run or an earlier one, as the result of a command. */
import { ifSupported } from '../../client/errors.ts';
import type { Delivery } from '../../contract/deliveries.ts';
import type { Order } from '../../contract/orders.ts';
import type { DispatchedRoute, Route, RouteQuote } from '../../contract/routes.ts';
import { fleet_provider } from '../../contract/vocabulary.ts';
import { endOfRoute } from '../../domain/delivery-states.ts';
import { dollars } from '../../domain/money.ts';
import { isWithin, quotePrice } from '../../domain/quotes.ts';
import { Failure, StillPending } from '../kit/errors/failure.ts';
import { invocation, phrase, type Text } from '../kit/result/message.ts';
import { documentResult, listResult, type Result } from '../kit/result/result.ts';
import type { Answer, AnswerBuilder } from '../kit/result/shape.ts';
import { deliveryColumns, trackingNotes } from '../nouns/delivery.ts';
import { failedAtOnce, failedDeliveryText, followStep } from '../nouns/delivery-creation.ts';
import { awaitArrival, isAwaited, type Wait } from '../nouns/delivery-waiting.ts';
import { getQuotes } from '../nouns/quote.ts';
import { usableQuotes } from '../nouns/quote-columns.ts';
import { retryInvocation } from '../nouns/retry-steps.ts';
import { type Context, isOwnService } from '../session/command.ts';
import { type Preference, preferenceText, preferredQuote } from './agreed-quote.ts';
import type { Terms } from './price-limits.ts';

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
  return awaitArrival(context, route.deliveries, wait, (last) => {
    const status = endOfRoute(last.map((delivery) => delivery.status)) ?? route.status;
    return deliveriesAnswer(context, { ...route, status, deliveries: [...last] });
  });
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
    (each) => phrase`Try it again: ${retryInvocation(each)}`,
  );
  const [first] = route.deliveries.filter(({ status }) => status !== 'failed');
  const find =
    failed.length === 0 ? phrase`Find its deliveries: ${invocation('deliveries list')}` : undefined;
  const follow = first && followStep(first);
  const next = follow === undefined ? find : phrase`${follow.before}: ${follow.line}`;
  const notes = next === undefined ? [...failures, ...retries] : [text, ...failures, ...retries, next];
  return deliveriesAnswer(context, route, {
    notes: [...notes, ...linkNotes(context, route)],
    ...(failed.length === 0 ? {} : { exit: 9 }),
  });
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
  // Nor what the tips of its orders are.
  if (given === wanted || Number.isNaN(given + wanted)) return;
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

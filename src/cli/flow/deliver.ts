import type { DispatchedRoute } from '../../contract/dispatches.ts';
import type { RouteQuote } from '../../contract/quotes.ts';
import type { Route } from '../../contract/routes.ts';
import type { Context } from '../context.ts';
import { reportOf } from '../failures/error-report.ts';
import { Failure } from '../failures/failure.ts';
import { checkPrice } from '../quotes/quote-choice.ts';
import { dispatchedBefore } from '../shipping/dispatch-before.ts';
import { readyQuotes } from '../shipping/route-quotes.ts';
import { confirmPrice, type Terms } from './consent.ts';
import { type Earlier, earlierAnswer } from './earlier-dispatch.ts';
import { dispatchText } from './outcome.ts';
import { type Taking, takenQuote } from './quote-picker.ts';
import { type Shipment, standingText, stuckAt, unsureText } from './unfinished.ts';

/** How orders are shipped. */
export interface Plan {
  taking: Taking;
  terms: Terms;
  optimize: boolean;
  /** For the quotes. */
  timeout_ms: number | undefined;
  interval_ms: number | undefined;
}

/** A dispatched route, and a sentence on how it came to that. */
export interface Shipped {
  route: DispatchedRoute;
  told: string;
}

/**
 * Makes one route of orders and has it dispatched. Each step has an idempotency key derived from the one of the line,
 * so that a repeat goes on from where it was: a route that is there already is taken as it stands, and what of the
 * line it does not heed is told. An error of a step tells what is there.
 */
export async function shipped(context: Context, made: Shipment, plan: Plan): Promise<Shipped> {
  let shipment = made;
  let done: Shipped | Earlier;
  try {
    const { route, isKnown } = await routeOf(context, shipment, plan);
    shipment = { ...shipment, route_id: route.id };
    if (route.status === 'draft') {
      step(context, `Route ${route.id}: ${route.stops.length} stops, ${route.distance_miles} mi.`);
      done = await dispatched(context, { shipment, route, isKnown }, plan);
    } else {
      done = await dispatchedBefore(context, route);
    }
  } catch (error) {
    throw stuckAt(error, shipment);
  }
  return 'told' in done ? done : earlierAnswer(context, done, plan);
}

/** A line on how far it is, for whoever sits in front of it. */
export function step(context: Context, line: string): void {
  if (context.host.stderr.isTerminal && !context.output.json) context.note(line);
}

/** The route of the orders; one of a run before as it is by now. */
async function routeOf(
  context: Context,
  shipment: Shipment,
  { optimize }: Plan,
): Promise<{ route: Route; isKnown: boolean }> {
  const client = await context.client();
  const order_ids = [...shipment.order_ids];
  context.standing(unsureText(shipment, 'whether that is in a route yet'));
  const { data, replayed } = await client.routes.create({
    body: { order_ids, optimize },
    idempotencyKey: context.idempotencyKey('route'),
  });
  if (!replayed) return { route: data, isKnown: false };
  return { route: await lookAtRoute(context, data.id), isKnown: true };
}

async function lookAtRoute(context: Context, route_id: string): Promise<Route> {
  const client = await context.client();
  try {
    return (await client.routes.get({ params: { route_id } })).data;
  } catch (error) {
    if (reportOf(error).code !== 'record_not_found') throw error;
    const message = `The route ${route_id}, which this line made before, is gone.`;
    throw new Failure(5, 'record_not_found', message, { cause: error });
  }
}

interface Draft {
  shipment: Shipment;
  route: Route;
  isKnown: boolean;
}

/** Quotes that have died by the time they are taken are asked for once more. */
async function dispatched(context: Context, draft: Draft, plan: Plan): Promise<Shipped | Earlier> {
  try {
    return await dispatchedOnce(context, draft, plan);
  } catch (error) {
    if (reportOf(error).code !== 'quote_expired') throw error;
    step(context, 'The quotes have expired: asking again.');
    return dispatchedOnce(context, { ...draft, isKnown: true }, plan);
  }
}

async function dispatchedOnce(
  context: Context,
  { shipment, route, isKnown }: Draft,
  { taking, terms, timeout_ms, interval_ms }: Plan,
): Promise<Shipped | Earlier> {
  const standing = standingText(shipment, '; its quotes are being collected');
  const quotes = await readyQuotes(context, route.id, { isKnown, timeout_ms, interval_ms, standing });
  const quote = await takenQuote(context, route.id, quotes, taking);
  step(context, `${quotes.data?.length ?? 0} quotes; ${quote.provider} is taken.`);
  checkPrice(quote, terms.maxCost);
  context.standing(standingText(shipment));
  await confirmPrice(context, quote, terms);
  context.standing(unsureText(shipment, `whether ${quote.provider} has it yet`));
  return sent(context, route, quote, terms);
}

/** The key names the quote: taken again, it is the same dispatch; another one can only have a draft. */
async function sent(
  context: Context,
  route: Route,
  quote: RouteQuote,
  { tip }: Terms,
): Promise<Shipped | Earlier> {
  const client = await context.client();
  try {
    const { data } = await client.dispatches.create({
      params: { route_id: route.id },
      body: { quote_id: quote.id, ...(tip === undefined ? {} : { tip }) },
      idempotencyKey: context.idempotencyKey(`dispatch-${quote.id.slice(-10)}`),
    });
    return { route: data, told: dispatchText(quote, data) };
  } catch (error) {
    const { code } = reportOf(error);
    if (code !== 'route_not_draft' && code !== 'idempotency_key_reuse') throw error;
    // Another run of the same line was faster.
    const now = await lookAtRoute(context, route.id);
    if (now.status === 'draft') throw error;
    return dispatchedBefore(context, now);
  }
}

/** Dispatches a draft route with one of its quotes. */
import { Problem } from '../../contract/errors.ts';
import type { createDispatch, DispatchedRoute } from '../../contract/routes.ts';
import { fleet_provider } from '../../contract/vocabulary.ts';
import { tipFault } from '../../domain/order-rules.ts';
import { isExpired, isWithin, quotePrice } from '../../domain/quotes.ts';
import type { Connection, DeliveryRow, OrderRow, QuoteRow, RouteRow } from '../../storage/database.ts';
import { deliveriesOfRoute } from '../../storage/deliveries.ts';
import { lockOrders } from '../../storage/orders.ts';
import { findQuote, latestJob } from '../../storage/quotes.ts';
import { loadRoute, setRouteStatus } from '../../storage/routes.ts';
import { requireNotPending } from '../batches/order-outcomes.ts';
import type { TransitionContext } from '../deliveries/delivery-transitions.ts';
import { createViewpoint, deliveryView } from '../deliveries/delivery-view.ts';
import { driverFor } from '../fleet/driver-load.ts';
import { hasRoomNow, noDriverReason } from '../fleet/fleet-calls.ts';
import { invalidField } from '../http/answers.ts';
import type { Call, Handler } from '../http/handler.ts';
import { orderRecord } from '../orders/order.ts';
import { requireOpenStores } from '../orders/store-terms.ts';
import { requireSentOnce } from '../orders/unique-refs.ts';
import { quoteRecord, quoteUsed } from '../quotes/quote.ts';
import { lockRouteFor, notDraft, ordersOfRoute, routeOrderIds, routeView } from '../routes/route.ts';
import { commitAndExecute } from './commit-intent.ts';
import { costAboveLimit } from './create-delivery.ts';
import { useQuote, writeIntent } from './write-intent.ts';

type Request = Call<typeof createDispatch>;

/**
 * Dispatches a route to the provider of a quote. The intent is written before the provider is called, which happens
 * outside of any transaction; if the process ends in between, the task is retried.
 */
export const dispatchDraft: Handler<typeof createDispatch> = async (call) => {
  const { service, body, now, params } = call;
  const token = await service.secrets.base62(22);
  await commitAndExecute(call, async (context) => {
    const { db } = context;
    const route = await lockRouteFor(db, call.caller, params.route_id);
    if (route.status !== 'draft') throw notDraft(route);
    await requireNotPending(db, routeOrderIds(route));
    const quote = await usableQuote(db, call, route);
    if (!(await setRouteStatus(db, { id: route.id, from: 'draft', to: 'dispatched', now })))
      throw notDraft(route);
    await lockOrders(db, routeOrderIds(route));
    const orders = await ordersOfRoute(db, route);
    await requireOpenStores(db, orders, now);
    if (body.unique_ref === true) await requireSentOnce(db, call, orders);
    refuseLargeTip(call, orders);
    await requireDriver(db, call, quote);
    await requireRoom(context, call, { quote, orders });
    const { tip, driver_id, max_cost: limit } = body;
    const price = quotePrice(quote);
    if (!isWithin(price, limit)) throw costAboveLimit(`Route ${route.id}`, price, limit);
    await useQuote(context, quote);
    // The limit for several orders limits none of them alone.
    const max_cost = orders.length === 1 ? limit : undefined;
    const intent = { call, route, quote, orders, tip, max_cost, driver_id, token };
    const { deliveries, task } = await writeIntent(context, intent);
    return {
      result: dispatched(call, { ...route, status: 'dispatched', updated_at: now }, deliveries),
      task,
    };
  });
  const [route, rows] = await service.storage.read(async (db) => [
    await loadRoute(db, params.route_id),
    await deliveriesOfRoute(db, params.route_id),
  ]);
  if (route === undefined) throw new Problem('record_not_found', `There is no route ${params.route_id}.`);
  return dispatched(call, route, rows);
};

/** A tip for a route may be as large as those of its orders together. */
function refuseLargeTip({ body, caller }: Request, orders: readonly OrderRow[]): void {
  const message = tipFault(body.tip ?? 0, orders.map(orderRecord), caller.settings.tip_limit);
  if (message !== null) throw invalidField('tip', message, 'The tip is too large.');
}

/** A driver can be named with a quote of the own fleet. Throws `invalid_request` and `record_not_found`. */
async function requireDriver(db: Connection, { body, caller }: Request, quote: QuoteRow): Promise<void> {
  const { driver_id } = body;
  if (driver_id === undefined) return;
  if (quote.provider !== fleet_provider) {
    const message = `needs a quote of ${fleet_provider}, not of ${quote.provider}`;
    throw invalidField('driver_id', message, 'The driver cannot take this quote.');
  }
  await driverFor(db, caller, driver_id);
}

/** Refuses a quote of own drivers who have got other orders since, if the request wants that. Throws `quote_expired`. */
async function requireRoom(
  context: TransitionContext,
  { body, caller }: Request,
  { quote, orders }: { quote: QuoteRow; orders: readonly OrderRow[] },
): Promise<void> {
  const { only_with_room = false, driver_id } = body;
  if (!only_with_room || driver_id !== undefined || quote.provider !== fleet_provider) return;
  const { pickup_eta } = quoteRecord(quote);
  if (await hasRoomNow(context, caller.scope, { orders, pickup_eta })) return;
  const message = `Quote ${quote.id} of ${fleet_provider} can no longer be used: ${noDriverReason}.`;
  throw new Problem('quote_expired', message);
}

/** The chosen quote. Throws `quote_used`, `quotes_not_ready`, `quote_not_found`, `quote_outdated` and `quote_expired`. */
async function usableQuote(
  db: Connection,
  { caller, body, now }: Request,
  route: RouteRow,
): Promise<QuoteRow> {
  const quote = await findQuote(db, caller.scope.account_id, body.quote_id);
  if (quote?.route_id === route.id && quote.used_at !== null) throw quoteUsed(quote.id);
  const job = await latestJob(db, route.id);
  if (job === undefined)
    throw new Problem('quotes_not_ready', `Route ${route.id} has no quotes. Request quotes first.`);
  if (job.status === 'PENDING') {
    throw new Problem(
      'quotes_not_ready',
      `The quotes of route ${route.id} are still pending. Retry in a few seconds.`,
    );
  }
  if (quote?.route_id !== route.id) {
    throw new Problem('quote_not_found', `Route ${route.id} has no quote ${body.quote_id}.`);
  }
  if (quote.job_id !== job.id) {
    const message = `Quote ${quote.id} is of an earlier round: quotes of route ${route.id} were requested again since. List its quotes.`;
    throw new Problem('quote_outdated', message);
  }
  if (isExpired(quote, now))
    throw new Problem('quote_expired', `Quote ${quote.id} has expired. Request new quotes.`);
  return quote;
}

function dispatched(call: Request, route: RouteRow, rows: readonly DeliveryRow[]): DispatchedRoute {
  const order_ids = routeOrderIds(route);
  const deliveries = [...rows].sort(
    (left, right) => order_ids.indexOf(left.order_id) - order_ids.indexOf(right.order_id),
  );
  return {
    ...routeView(route),
    deliveries: deliveries.map((row) => deliveryView(row, createViewpoint(call))),
  };
}

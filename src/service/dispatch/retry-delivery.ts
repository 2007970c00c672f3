import type { retryDelivery } from '../../contract/delivery-creation.ts';
import { Problem } from '../../contract/errors.ts';
import { isCanceled } from '../../domain/delivery-states.ts';
import { failureOf } from '../../domain/failures.ts';
import { isExpired } from '../../domain/quotes.ts';
import type { Connection, DeliveryRow, OrderRow, QuoteRow, RouteRow } from '../../storage/database.ts';
import { insertJob } from '../../storage/jobs.ts';
import { loadOrder, setOrderStatus } from '../../storage/orders.ts';
import { insertQuotes } from '../../storage/quotes.ts';
import { insertRoute } from '../../storage/routes.ts';
import { pendingOrder } from '../batches/order-outcomes.ts';
import { deliveryFor } from '../deliveries/delivery-handlers.ts';
import { applyTransition, type TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryView, viewpointOf } from '../deliveries/delivery-view.ts';
import { insertNewDelivery, storedShare } from '../deliveries/write-delivery.ts';
import type { Call, Handler } from '../http/handler.ts';
import { orderRecord } from '../orders/order-view.ts';
import { bestQuote, estimate, quoteRow } from '../quotes/estimates.ts';
import { routeStops } from '../routes/route-view.ts';
import { ownRoute } from './initiate-delivery.ts';
import { executeAndView, writeIntent } from './intent.ts';

type Request = Call<typeof retryDelivery>;

/** A retry: the order on its own route, and quotes requested within the call. */
interface Retry {
  order: OrderRow;
  route: RouteRow;
  job_id: string;
  quotes: QuoteRow[];
  quote: QuoteRow | null;
  token: string;
}

/** Dispatches the order of a failed or canceled delivery again, as a new delivery. Throws `delivery_not_initiable`. */
export const retryDeliveryHandler: Handler<typeof retryDelivery> = async (call) => {
  const { service, now, params } = call;
  const { storage } = service;
  const order = await storage.run((db) => requireRetryable(db, call, params.deliveryid));
  const retry = await requote(call, order);
  const chance = await service.chance();
  const made = await call.commit(async (db) => {
    await requireRetryable(db, call, params.deliveryid);
    const context = { db, chance, now, providers: service.providers };
    return deliveryView(await startRetry(context, call, retry), viewpointOf(call));
  });
  return executeAndView(call, made);
};

/** The order of a delivery that can be retried. */
async function requireRetryable(db: Connection, call: Request, delivery_id: string): Promise<OrderRow> {
  const { id, status, order_id } = await deliveryFor(db, call, delivery_id);
  const refused = (why: string) => new Problem('delivery_not_initiable', `Delivery ${id} ${why}.`);
  if (status !== 'failed' && !isCanceled(status)) {
    throw refused(`is ${status}: only a failed or canceled delivery can be retried`);
  }
  const order = await loadOrder(db, order_id);
  const pending = order === undefined || order.batch_id === null ? null : await pendingOrder(db, order_id);
  if (pending !== null)
    throw refused(`belongs to batch ${pending.batch.id}, which retries its order automatically`);
  if (order?.delivery_id === id && (order.status === 'failed' || order.status === 'canceled')) return order;
  throw refused(`is not the latest delivery of order ${order_id}`);
}

async function requote(call: Request, order: OrderRow): Promise<Retry> {
  const record = orderRecord(order);
  const route = ownRoute(call, order);
  const job_id = call.id('job');
  const question = { job_id, route_id: route.id, prefix: 'rq', record, stops: routeStops(route) } as const;
  const first = await estimate(call, { ...question, round: 1 });
  const isDead = first.length > 0 && first.every((quote) => isExpired(quote, call.now));
  const estimates = isDead ? await estimate(call, { ...question, round: 2 }) : first;
  const quote = bestQuote(estimates, call.body.quote_preference);
  const token = await call.service.secrets.base62(22);
  return { order, route, job_id, quotes: estimates.map(quoteRow), quote, token };
}

async function startRetry(context: TransitionContext, call: Request, retry: Retry): Promise<DeliveryRow> {
  const { order, route, quotes, quote, token } = retry;
  const { db, now } = context;
  const from = ['failed', 'canceled'] as const;
  const change = { route_id: route.id };
  const moved = { ...order, status: 'routed', route_id: route.id } as const;
  if (!(await setOrderStatus(db, { id: order.id, from, to: 'routed', now, change }))) {
    throw new Problem('delivery_not_initiable', `Another request has just taken order ${order.id}.`);
  }
  await insertRoute(db, quote === null ? { ...route, status: 'completed' } : route);
  await insertJob(db, jobOf(call, retry));
  await insertQuotes(db, quotes);
  if (quote === null) return failWithoutProvider(context, call, { ...retry, order: moved });
  const [started] = await writeIntent(context, { call, route, quote, orders: [moved], token });
  if (started === undefined) throw new Error('a route of one order has no delivery');
  return started;
}

async function failWithoutProvider(
  context: TransitionContext,
  call: Request,
  retry: Retry,
): Promise<DeliveryRow> {
  const { order, route, token } = retry;
  const share = storedShare(null, order, context.now);
  const { settings } = call.caller;
  const made = { order, share, status: 'request', route_id: route.id, token, settings } as const;
  const row = await insertNewDelivery(context, call.id, made);
  return applyTransition(context, row, 'failed', { record: failureOf('no_provider_available') });
}

function jobOf({ now }: Request, { job_id, route, quotes }: Retry) {
  return {
    id: job_id,
    account_id: route.account_id,
    route_id: route.id,
    round: 1,
    status: 'COMPLETE',
    asked: quotes.length,
    requested_at: now,
    completed_at: now,
  } as const;
}

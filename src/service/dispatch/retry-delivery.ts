/**
 * Sends the order of a delivery that failed or was canceled again, and says beforehand what that costs. Both request
 * quotes within the call (`requote`), without the providers that ended an earlier delivery of the order badly.
 */
import type { getRetryTerms, retryDelivery } from '../../contract/delivery-changes.ts';
import { Problem } from '../../contract/errors.ts';
import { fleet_provider } from '../../contract/vocabulary.ts';
import { sumAmounts } from '../../domain/charges.ts';
import { deliveryFailure, isCanceled, isFailureOfCourier } from '../../domain/delivery-states.ts';
import { hasErasedEnd } from '../../domain/erasure.ts';
import { isExpired, isWithin, quotePrice } from '../../domain/quotes.ts';
import { statusPhrase } from '../../domain/status-words.ts';
import type { Connection, DeliveryRow, OrderRow, QuoteRow, RouteRow } from '../../storage/database.ts';
import { chargesOfDelivery, deliveriesOfOrder } from '../../storage/deliveries.ts';
import { loadOrder, lockOrder, setOrderStatus } from '../../storage/orders.ts';
import { insertJob, insertQuotes } from '../../storage/quotes.ts';
import { insertRoute } from '../../storage/routes.ts';
import { pendingOrder } from '../batches/order-outcomes.ts';
import { requireAsSeen } from '../deliveries/as-seen.ts';
import { deliveryFor, lockDeliveryFor } from '../deliveries/delivery.ts';
import { applyTransition, type TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { insertNewDelivery, storedShare } from '../deliveries/write-delivery.ts';
import { driverFor } from '../fleet/driver-load.ts';
import type { Call, CallBase, Handler } from '../http/handler.ts';
import { orderRecord } from '../orders/order.ts';
import { requireOpenStores } from '../orders/store-terms.ts';
import { requireUniqueRefs } from '../orders/unique-refs.ts';
import { bestQuote, type Estimate, estimate, type Question, quoteRow } from '../quotes/estimate-quotes.ts';
import { completeRound } from '../quotes/quote.ts';
import { routeStops } from '../routes/route.ts';
import { executeAndView, type WrittenDelivery } from './commit-intent.ts';
import { costAboveLimit, ownRoute, requireAsQuoted } from './create-delivery.ts';
import { writeIntent } from './write-intent.ts';

type Request = Call<typeof retryDelivery>;

/** How the quote of a retry is selected. */
type Choice = Request['body'];

/** A retry: the order on its own route, and quotes requested within the call. */
interface Retry {
  order: OrderRow;
  route: RouteRow;
  job_id: string;
  quotes: QuoteRow[];
  /** The providers that are not used, as they ended an earlier delivery badly and others offer a quote. */
  left_out: ReadonlySet<string>;
  quote: QuoteRow | null;
  token: string;
}

/**
 * Dispatches the order of a failed or canceled delivery again, with its tip, as a new delivery. Throws
 * `delivery_not_initiable`, and `order_not_open` if the order was closed.
 */
export const retryDeliveryHandler: Handler<typeof retryDelivery> = async (call) => {
  const { service, params, body } = call;
  const order = await service.storage.run(async (db) => {
    if (body.driver_id !== undefined) await driverFor(db, call.caller, body.driver_id);
    const row = await deliveryFor(db, call, params.deliveryid);
    await requireAsSeen(db, row, body);
    return requireRetryable(db, row, call.now);
  });
  const retry = await requote(call, order, call.body);
  if (retry.quote === null && retry.quotes.length > 0) {
    const allowed = retry.quotes.filter(({ provider }) => !retry.left_out.has(provider));
    const lowest = Math.min(...allowed.map(quotePrice));
    throw costAboveLimit(`A retry of ${params.deliveryid}`, lowest, body.max_cost);
  }
  return executeAndView(call, async (context) => {
    const row = await lockDeliveryFor(context.db, call, params.deliveryid);
    await lockOrder(context.db, row.order_id);
    await requireAsSeen(context.db, row, body);
    const current = await requireRetryableRef(context.db, call, row, body);
    requireAsQuoted(row, order, current);
    return startRetry(context, call, { ...retry, order: current, tip: deliveryRecord(row).tip });
  });
};

/** Returns what a retry costs now, without storing anything. */
export const readRetryTerms: Handler<typeof getRetryTerms> = async (call) => {
  const { service, params, query } = call;
  const delivery_id = params.deliveryid;
  const { paid, tip, order } = await service.storage.run(async (db) => {
    const row = await deliveryFor(db, call, delivery_id);
    return {
      paid: sumAmounts(await chargesOfDelivery(db, row.id)),
      tip: deliveryRecord(row).tip ?? 0,
      order: await requireRetryableRef(db, call, row, query).catch(problemOfRefusal),
    };
  });
  const object = 'retry_terms' as const;
  const terms = { object, delivery_id, paid, service: '', cost: null, tip: 0, quotes: [] };
  if (order instanceof Problem)
    return { ...terms, retryable: false, reason: order.message, code: order.code };
  const { quote, quotes, left_out } = await requote(call, order, query);
  const price = quote === null ? {} : { service: quote.provider, cost: quotePrice(quote) };
  const { data } = completeRound(quotes, []);
  const compared = (data ?? []).map((each) => ({
    service: each.provider,
    cost: quotePrice(each),
    dropoff_eta: each.dropoff_eta,
    left_out: left_out.has(each.provider),
  }));
  return { ...terms, retryable: true, reason: '', code: '', tip, ...price, quotes: compared };
};

/** The order of a delivery that can be retried; with `unique_ref` only if no later order has its reference. */
async function requireRetryableRef(db: Connection, call: CallBase, row: DeliveryRow, { unique_ref }: Choice) {
  const order = await requireRetryable(db, row, call.now);
  if (unique_ref === true) await requireUniqueRefs(db, call, [order], () => '');
  return order;
}

function problemOfRefusal(error: unknown): Problem {
  if (error instanceof Problem && error.code !== 'record_not_found') return error;
  throw error;
}

/**
 * The order of a delivery that can be retried. An order that was canceled after its delivery had failed, or with its
 * batch, stays closed; one that was canceled with its delivery is open to a retry of that delivery.
 */
async function requireRetryable(db: Connection, row: DeliveryRow, now: number): Promise<OrderRow> {
  const { id, status, order_id } = row;
  const refused = (why: string) => new Problem('delivery_not_initiable', `Delivery ${id} ${why}.`);
  if (status !== 'failed' && !isCanceled(status)) {
    throw refused(`is ${statusPhrase(status)}: only a failed or canceled delivery can be retried`);
  }
  const order = await loadOrder(db, order_id);
  const pending = order === undefined || order.batch_id === null ? null : await pendingOrder(db, order_id);
  if (pending !== null)
    throw refused(`belongs to batch ${pending.batch.id}, which retries its order automatically`);
  if (order !== undefined && hasErasedEnd(orderRecord(order)))
    throw refused('has no address anymore: its personal data was erased');
  if (order?.delivery_id === id && isClosedFor(row, order)) {
    const message = `Order ${order_id} was canceled for good: its delivery ${id} is not retried.`;
    throw new Problem('order_not_open', message, [], { related_ids: [order_id, id] });
  }
  if (order?.delivery_id === id && (order.status === 'failed' || order.status === 'canceled')) {
    await requireOpenStores(db, [order], now);
    return order;
  }
  const latest = order?.delivery_id ? `: that is ${order.delivery_id}` : '';
  throw refused(`is not the latest delivery of order ${order_id}${latest}`);
}

/** Whether the order of its latest delivery was canceled for good, and not only with that delivery. */
export function isClosedFor(row: DeliveryRow, order: OrderRow): boolean {
  if (order.status !== 'canceled') return false;
  return !isCanceled(row.status) || deliveryRecord(row).closes_order === true;
}

/** Requests quotes for another delivery of an order, and selects one of them. */
async function requote(
  call: CallBase,
  order: OrderRow,
  { quote_preference, max_cost, exclude_provider, driver_id, ...choice }: Choice,
): Promise<Retry> {
  const provider = driver_id === undefined ? choice.provider : fleet_provider;
  const record = orderRecord(order);
  const route = ownRoute(call, order);
  const job_id = call.id('job');
  const excluded = exclude_provider?.split(',').map((name) => name.trim()) ?? [];
  const answered = await estimateAlive(call, {
    ...({ job_id, route_id: route.id, prefix: 'rq', record, stops: routeStops(route) } as const),
    external_order_ref: order.external_order_ref,
    provider,
    driver_id,
  });
  const estimates = answered.filter((each) => !excluded.includes(each.provider));
  const failing = await failingProviders(call, order);
  const left_out = estimates.every((each) => failing.has(each.provider)) ? new Set<string>() : failing;
  const affordable = estimates.filter(
    (each) => !left_out.has(each.provider) && isWithin(quotePrice(each), max_cost),
  );
  const quote = bestQuote(affordable, quote_preference);
  const token = await call.service.secrets.base62(22);
  return { order, route, job_id, quotes: estimates.map(quoteRow), left_out, quote, token };
}

/** Quotes of a first round; of a second one if all of the first have expired already, as in some scenarios. */
async function estimateAlive(call: CallBase, question: Omit<Question, 'round'>): Promise<Estimate[]> {
  const first = await estimate(call, { ...question, round: 1 });
  const isDead = first.length > 0 && first.every((quote) => isExpired(quote, call.now));
  return isDead ? estimate(call, { ...question, round: 2 }) : first;
}

/** The providers that ended an earlier delivery of the order badly: they are used again only if no other quotes. */
async function failingProviders({ service }: CallBase, { id }: OrderRow): Promise<Set<string>> {
  const earlier = await service.storage.read((db) => deliveriesOfOrder(db, id));
  const isBad = (row: DeliveryRow) =>
    isFailureOfCourier({ status: row.status, failure_reason: deliveryRecord(row).failure_reason });
  return new Set(earlier.filter(isBad).map((row) => row.service));
}

async function startRetry(
  context: TransitionContext,
  call: Request,
  retry: Retry & { tip: number | null },
): Promise<WrittenDelivery> {
  const { order, route, quotes, quote, token, tip } = retry;
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
  if (quote === null) {
    return { result: await failWithoutProvider(context, call, { ...retry, order: moved }), task: null };
  }
  const { deliveries, task } = await writeIntent(context, {
    call,
    route,
    quote,
    orders: [moved],
    token,
    tip: tip ?? undefined,
    max_cost: call.body.max_cost,
    driver_id: call.body.driver_id,
  });
  const [result] = deliveries;
  if (result === undefined) throw new Error('a route of one order has no delivery');
  return { result, task };
}

async function failWithoutProvider(
  context: TransitionContext,
  call: Request,
  retry: Retry & { tip: number | null },
): Promise<DeliveryRow> {
  const { order, route, token, tip } = retry;
  const share = { ...storedShare(null, order, context.now), tip };
  const { settings } = call.caller;
  const { max_cost } = call.body;
  const written = { order, share, status: 'request', route_id: route.id, max_cost, token, settings } as const;
  const row = await insertNewDelivery(context, call.id, written);
  return applyTransition(context, row, 'failed', { record: deliveryFailure('no_provider_available') });
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

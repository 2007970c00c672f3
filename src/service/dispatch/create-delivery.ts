/**
 * Creates deliveries (`addDelivery`), and initiates those that are only stored (`startDelivery`). A stored delivery has a
 * price and ETAs by a quote, costs nothing and has no route. Initiating it, at once or later, dispatches it with a valid
 * quote on a route of its own (`initiate`), which may fail it at once.
 */
import type { Delivery } from '../../contract/deliveries.ts';
import type { createDelivery, initiateDelivery } from '../../contract/delivery-changes.ts';
import { Problem } from '../../contract/errors.ts';
import { deliveryFailure } from '../../domain/delivery-states.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import { dollars } from '../../domain/money.ts';
import { isWithin, quotePrice } from '../../domain/quotes.ts';
import { statusPhrase } from '../../domain/status-words.ts';
import { totalTenths } from '../../domain/stops.ts';
import type { DeliveryRow, OrderRow, QuoteRow, RouteRow } from '../../storage/database.ts';
import { loadOrder, lockOrder } from '../../storage/orders.ts';
import { findQuote, insertQuotes } from '../../storage/quotes.ts';
import { insertRoute } from '../../storage/routes.ts';
import { deliveryFor, lockDeliveryFor, noDelivery } from '../deliveries/delivery.ts';
import {
  type Chosen,
  cheapestQuote,
  isOfOrder,
  namedQuote,
  renewQuote,
  type Wanted,
} from '../deliveries/delivery-quote.ts';
import { applyTransition, type TransitionContext } from '../deliveries/delivery-transitions.ts';
import { createViewpoint, deliveryRecord, deliveryView } from '../deliveries/delivery-view.ts';
import { insertNewDelivery, storedShare } from '../deliveries/write-delivery.ts';
import type { Call, CallBase, Handler } from '../http/handler.ts';
import { newOrder, orderRecord } from '../orders/order.ts';
import { readOrder } from '../orders/order-request.ts';
import { type OwnOrder, withOwnOrder } from '../orders/platform-forms.ts';
import { insertSearchableOrders } from '../orders/search.ts';
import { requireOpenStores } from '../orders/store-terms.ts';
import { requireSentOnce, requireUniqueRefs } from '../orders/unique-refs.ts';
import { quoteRecord, quoteUsed } from '../quotes/quote.ts';
import { directStops } from '../quotes/quote-request.ts';
import { executeAndView, type WrittenDelivery } from './commit-intent.ts';
import { useQuote, writeIntent } from './write-intent.ts';

type CreateCall = Call<typeof createDelivery>;

/** Stores a delivery with its order, or initiates it if the body sets `initiate`. */
export const addDelivery: Handler<typeof createDelivery> = async (call) => {
  const { initiate, quote_id, max_cost, late_ok, unique_ref, ...given } = call.body;
  return withOwnOrder(call, given, (own) => createFrom(call, own));
};

async function createFrom(call: CreateCall, { request, photo_wanted }: OwnOrder): Promise<Delivery> {
  const { id, now, service } = call;
  const { initiate: isInitiated = false, quote_id, unique_ref, max_cost } = call.body;
  const read = await readOrder(call, request, '');
  const record = { ...read, ...(photo_wanted && { photo_wanted }) };
  const ref = request.external_order_ref ?? '';
  const order = { ...newOrder(call, { id: id('ord', '0'), ref, record }), status: 'routed' } as const;
  const wanted = { record, order_id: order.id, external_order_ref: ref };
  const chosen = await chooseQuote(call, { ...wanted, quote_id });
  const used = isInitiated ? await renewChosen(call, chosen, wanted) : chosen;
  const token = await service.secrets.base62(22);
  const saveOrder = async (context: TransitionContext) => {
    if (unique_ref === true) await requireUniqueRefs(context.db, call, [order], () => '');
    await insertSearchableOrders(context.db, [{ ...order, delivery_id: id('dlv', order.id) }]);
    await (isInitiated ? insertUsedQuotes(context, used) : insertQuotes(context.db, used.fresh));
  };
  const storeDelivery = (context: TransitionContext) => {
    const share = storedShare(used.quote, order, now);
    const { settings } = call.caller;
    const stored = { order, share, status: 'request', route_id: '', max_cost, token, settings } as const;
    return insertNewDelivery(context, id, stored);
  };
  if (isInitiated) {
    return executeAndView(call, async (context) => {
      await saveOrder(context);
      // Only what no provider accepts is stored before it fails: the dispatch makes the delivery.
      const row = used.quote === null ? await storeDelivery(context) : null;
      return initiate(context, call, { row, order, quote: used.quote, terms: call.body, token });
    });
  }
  const chance = await service.chance();
  return call.commit(async (db) => {
    const context = { db, chance, now, providers: service.providers };
    await saveOrder(context);
    return deliveryView(await storeDelivery(context), createViewpoint(call));
  }, 'read committed');
}

/** The given quote, or its replacement; without one the cheapest. */
async function chooseQuote(
  call: CreateCall,
  { quote_id, ...wanted }: Wanted & { quote_id: string | undefined },
): Promise<Chosen> {
  if (quote_id === undefined) return cheapestQuote(call, wanted);
  const quote = await namedQuote(call, { ...wanted, quote_id });
  return renewQuote(call, { ...wanted, quote });
}

/** Replaces a chosen quote that has expired since. */
async function renewChosen(call: CreateCall, { quote, fresh }: Chosen, wanted: Wanted): Promise<Chosen> {
  if (quote === null) return { quote, fresh };
  const renewed = await renewQuote(call, { ...wanted, quote });
  return { quote: renewed.quote, fresh: [...fresh, ...renewed.fresh] };
}

type InitiateCall = Call<typeof initiateDelivery>;

/** Dispatches a stored delivery. Throws `delivery_not_initiable` unless its status is `request`. */
export const startDelivery: Handler<typeof initiateDelivery> = async (call) => {
  const { service } = call;
  const stored = await service.storage.read((db) => deliveryFor(db, call, call.params.deliveryid));
  requireStored(stored);
  const order = await service.storage.read((db) => loadOrder(db, stored.order_id));
  if (order === undefined) throw noDelivery(stored.id);
  const { quote, fresh } = await quoteToInitiate(call, stored, order);
  const token = await service.secrets.base62(22);
  return executeAndView(call, async (context) => {
    const row = await lockDeliveryFor(context.db, call, stored.id);
    requireStored(row);
    await insertUsedQuotes(context, { quote, fresh });
    const current = (await lockOrder(context.db, row.order_id)) ?? order;
    requireAsQuoted(row, order, current);
    if (call.body.unique_ref === true) await requireSentOnce(context.db, call, [current]);
    const { max_cost } = deliveryRecord(row);
    const terms = { ...withoutAbsent({ max_cost }), ...call.body };
    return initiate(context, call, { row, order: current, quote, terms, token });
  });
};

/** The given quote, or the delivery's own one, or its replacement; without one the cheapest of today. */
async function quoteToInitiate(call: InitiateCall, stored: DeliveryRow, order: OrderRow): Promise<Chosen> {
  const { service, caller, body } = call;
  const record = orderRecord(order);
  const wanted = { record, order_id: order.id, external_order_ref: order.external_order_ref };
  const { quote_id } = deliveryRecord(stored);
  const quote =
    body.quote_id === undefined
      ? await service.storage.read((db) => findQuote(db, caller.scope.account_id, quote_id))
      : await namedQuote(call, { ...wanted, quote_id: body.quote_id });
  // Another delivery may have been initiated with it.
  if (quote !== undefined && quote.used_at !== null) throw quoteUsed(quote.id);
  if (quote === undefined) return cheapestQuote(call, wanted);
  const isOld = isOfOrder(quote) && order.updated_at > order.created_at;
  return renewQuote(call, { ...wanted, quote: isOld ? { ...quote, expires_at: call.now } : quote });
}

/** What the quote is to keep. */
interface QuoteTerms {
  /** Named by the caller. */
  quote_id?: string;
  /** The most that it may cost, in cents. */
  max_cost?: number;
  /** Whether it may miss the agreed time; one that is named may. */
  late_ok?: boolean;
}

interface Initiation {
  /** The stored delivery; null if the dispatch makes it. */
  row: DeliveryRow | null;
  order: OrderRow;
  /** Null if no provider accepts the delivery: it fails. */
  quote: QuoteRow | null;
  terms: QuoteTerms;
  token: string;
}

/** Stores new quotes, and marks the one that initiates a delivery as used. Throws `quote_used`. */
async function insertUsedQuotes(context: TransitionContext, { quote, fresh }: Chosen): Promise<void> {
  const { db, now } = context;
  const isUsed = ({ id }: QuoteRow) => id === quote?.id;
  const rows = fresh.map((each) => (isUsed(each) ? { ...each, used_at: now } : each));
  await insertQuotes(db, rows);
  if (quote !== null && !fresh.some(isUsed)) await useQuote(context, quote);
}

/** Dispatches a delivery with a valid quote, on a route of its own. */
async function initiate(
  context: TransitionContext,
  call: CallBase,
  initiation: Initiation,
): Promise<WrittenDelivery> {
  const { row, order, quote, terms, token } = initiation;
  await requireOpenStores(context.db, [order], context.now);
  if (quote === null) {
    if (row === null) throw new Error('a delivery without a quote is stored');
    const failure = deliveryFailure('no_provider_available');
    return { result: await applyTransition(context, row, 'failed', { record: failure }), task: null };
  }
  const price = quotePrice(quote);
  if (!isWithin(price, terms.max_cost)) throw costAboveLimit('The delivery', price, terms.max_cost);
  requirePunctual(quote, terms);
  const route = ownRoute(call, order);
  await insertRoute(context.db, route);
  const stored = row === null ? [] : [row];
  const intent = { call, route, quote, orders: [order], max_cost: terms.max_cost, token, stored };
  const { deliveries, task } = await writeIntent(context, intent);
  const [result] = deliveries;
  if (result === undefined) throw new Error('the dispatch made no delivery');
  return { result, task };
}

/** Throws `delivery_not_initiable` if another request has changed an order while couriers were asked for their quotes. */
export function requireAsQuoted({ id }: DeliveryRow, quoted: OrderRow, current: OrderRow): void {
  if (current.record === quoted.record) return;
  const message = `The order of delivery ${id} was changed while couriers were asked for quotes. Try again.`;
  throw new Problem('delivery_not_initiable', message);
}

/** The refusal of a dispatch whose lowest price is above the maximum; both in cents. */
export function costAboveLimit(subject: string, lowest: number, max_cost = 0): Problem {
  const message = `${subject} costs at least ${dollars(lowest)}, more than ${dollars(max_cost)}.`;
  return new Problem('cost_above_limit', message);
}

/** Throws `too_late` if the quote, which is the best one unless it was named, cannot keep the agreed time and has to. */
function requirePunctual(quote: QuoteRow, { quote_id, late_ok = true }: QuoteTerms): void {
  if (late_ok || quote_id !== undefined || quoteRecord(quote).too_late !== true) return;
  const message = `No quote keeps the agreed time: ${quote.provider}, the first, arrives later.`;
  throw new Problem('too_late', message);
}

/** A route with a single order. */
export function ownRoute(call: CallBase, order: OrderRow): RouteRow {
  const stops = directStops(orderRecord(order), order.id);
  return {
    id: call.id('rte'),
    account_id: order.account_id,
    test_mode: order.test_mode,
    status: 'dispatched',
    order_ids: JSON.stringify([order.id]),
    stops: JSON.stringify(stops),
    distance_tenths: totalTenths(stops),
    created_at: call.now,
    updated_at: call.now,
  };
}

function requireStored({ id, status }: DeliveryRow): void {
  if (status === 'request') return;
  const message = `Delivery ${id} is ${statusPhrase(status)}: only a delivery in status request can be initiated.`;
  throw new Problem('delivery_not_initiable', message);
}

/** Writes a new delivery with its share of a quote: its price, its times, and what they promise. */
import { shownFee } from '../../domain/charges.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import { promiseOf } from '../../domain/lateness.ts';
import { shareCents } from '../../domain/money.ts';
import { quotePrice } from '../../domain/quotes.ts';
import type { Stop } from '../../domain/stops.ts';
import { planTimes } from '../../domain/timetable.ts';
import type { Connection, DeliveryRow, OrderRow, QuoteRow } from '../../storage/database.ts';
import { insertDeliveries, loadDelivery } from '../../storage/deliveries.ts';
import { hashKey } from '../http/authentication.ts';
import type { CallBase } from '../http/handler.ts';
import { type OrderRecord, orderRecord } from '../orders/order.ts';
import { type QuoteRecord, quoteRecord } from '../quotes/quote.ts';
import { agreedTime, directStops } from '../quotes/quote-request.ts';
import type { AccountSettings } from '../runtime/account-settings.ts';
import { columnsOf, publishDelivery, type TransitionContext, updateOrder } from './delivery-transitions.ts';
import { type DeliveryRecord, deliveryRecord } from './delivery-view.ts';
import { scheduleNotice } from './schedule-notice.ts';

/** The assumed speed and timing of a delivery without a provider. */
const default_pace = { speed_mph: 18, assigned_after_minutes: 5, assigned_ahead_minutes: 30 };

/** One delivery's share of a quote: prices in cents, ETAs in milliseconds. */
export interface Share {
  quote_id: string;
  service: string;
  cost_of_delivery: number;
  payment_amount: number;
  tip: number | null;
  pickup_eta: number;
  dropoff_eta: number;
  /** The promise of this dispatch; null without a dispatch. */
  promised_at: number | null;
}

/** Splits a quote among the orders of its route, in their order; a tip for the route is split like its price. */
export function sharesOf(
  quote: QuoteRow,
  given: {
    orders: readonly OrderRow[];
    stops: readonly Stop[];
    tip: number | undefined;
    /** The time since the quote, in milliseconds. */
    passed_ms: number;
    /** The delay of the provider besides, in milliseconds. */
    delay_ms: number;
    now: number;
  },
): Share[] {
  const { order_costs } = quoteRecord(quote);
  const payments = shareCents(quotePrice(quote), order_costs);
  const costs = shareCents(quote.cost_of_delivery, order_costs);
  const tips = given.tip === undefined ? null : shareCents(given.tip, order_costs);
  return given.orders.map((order, index) => ({
    quote_id: quote.id,
    service: quote.provider,
    cost_of_delivery: costs[index] ?? 0,
    payment_amount: payments[index] ?? 0,
    tip: tips === null ? orderRecord(order).tip : (tips[index] ?? null),
    ...timesIn(quote, order, given),
  }));
}

/** When the courier reaches this order's stops, shifted by the time since the quote, and what that promises. */
function timesIn(
  quote: QuoteRow,
  order: OrderRow,
  {
    stops,
    passed_ms,
    delay_ms,
    now,
  }: { stops: readonly Stop[]; passed_ms: number; delay_ms: number; now: number },
): Pick<Share, 'pickup_eta' | 'dropoff_eta' | 'promised_at'> {
  const { stop_etas, pickup_eta, dropoff_eta }: QuoteRecord = quoteRecord(quote);
  const at = (kind: Stop['kind'], otherwise: number) => {
    const index = stops.findIndex((stop) => stop.kind === kind && stop.order_ids.includes(order.id));
    return stop_etas[index] ?? otherwise;
  };
  const moved_ms = passed_ms + delay_ms;
  const quoted_eta = at('dropoff', dropoff_eta);
  return {
    pickup_eta: at('pickup', pickup_eta) + moved_ms,
    dropoff_eta: quoted_eta + moved_ms,
    promised_at: promiseOf({ dropoff_at: orderRecord(order).dropoff.at, quoted_eta, passed_ms, now }),
  };
}

/**
 * The share of a stored delivery in its quote; without a quote it has no price, and the ETAs are those of an average
 * car.
 */
export function storedShare(quote: QuoteRow | null, order: OrderRow, now: number): Share {
  const record = orderRecord(order);
  const stops = directStops(record, order.id);
  if (quote === null) {
    const wish = { now, ...agreedTime([record], now) };
    const { pickup_eta, dropoff_eta } = planTimes(default_pace, stops, wish);
    const nothing = { quote_id: '', service: '', cost_of_delivery: 0, payment_amount: 0, tip: record.tip };
    return { ...nothing, pickup_eta, dropoff_eta, promised_at: null };
  }
  const [share] = sharesOf(quote, { orders: [order], stops, tip: undefined, passed_ms: 0, delay_ms: 0, now });
  if (share === undefined) throw new Error('the quote has no share for this order');
  return share;
}

/** The record fields that are determined by a quote. */
export function pricingOf(share: Share, order: OrderRecord, settings: AccountSettings) {
  const { quote_id, cost_of_delivery, payment_amount, tip, pickup_eta, dropoff_eta } = share;
  return {
    quote_id,
    cost_of_delivery,
    payment_amount,
    tip,
    ...shownFee(payment_amount, settings),
    pickup: { ...order.pickup, eta: pickup_eta },
    dropoff: { ...order.dropoff, eta: dropoff_eta },
  } satisfies Partial<DeliveryRecord>;
}

export interface NewDelivery {
  order: OrderRow;
  share: Share;
  status: Extract<DeliveryRow['status'], 'request' | 'delivery_created' | 'scheduled'>;
  /** Empty while the delivery is only stored. */
  route_id: string;
  /** The limit of its own request, in cents. */
  max_cost?: number | undefined;
  /** Unguessable and not stored; the tracking link of each delivery is derived from it. */
  token: string;
  settings: AccountSettings;
}

export async function insertNewDelivery(
  context: TransitionContext,
  id: CallBase['id'],
  made: NewDelivery,
): Promise<DeliveryRow> {
  const { now, db } = context;
  const { order, share, status, route_id } = made;
  const record = recordOf(made, now);
  const { service } = share;
  const promised_at = await promisedAt(db, order, status === 'request' ? null : share.promised_at);
  const row: DeliveryRow = {
    id: id('dlv', order.id),
    account_id: order.account_id,
    test_mode: order.test_mode,
    order_id: order.id,
    route_id,
    status,
    service,
    external_order_ref: order.external_order_ref,
    tracking_token: trackingToken(made.token, order.id),
    ...columnsOf({ service, status, promised_at }, record),
    promised_at,
    ended_at: null,
    record: JSON.stringify(record),
    erased_at: null,
    created_at: now,
    updated_at: now,
  };
  await insertDeliveries(db, [row]);
  await publishDelivery(context, row);
  await updateOrder(context, row, true);
  await scheduleNotice(context, row);
  return row;
}

/** The promised time of an order's first dispatch for its agreed time; `first` if this is the first one. */
async function promisedAt(db: Connection, order: OrderRow, first: number | null): Promise<number | null> {
  const earlier = order.delivery_id === null ? undefined : await loadDelivery(db, order.delivery_id);
  if (earlier === undefined || !isAgreedAlike(deliveryRecord(earlier), orderRecord(order))) return first;
  return earlier.promised_at ?? first;
}

type Agreed = Pick<OrderRecord, 'pickup' | 'dropoff'>;

/** The time of an order may have been changed since its last delivery. */
function isAgreedAlike(one: Agreed, other: Agreed): boolean {
  return one.pickup.at === other.pickup.at && one.dropoff.at === other.dropoff.at;
}

function recordOf({ order, share, status, settings, max_cost }: NewDelivery, now: number): DeliveryRecord {
  const content = orderRecord(order);
  const { items, items_description, order_value, store_id } = content;
  const isScheduled = Math.max(content.pickup.at ?? 0, content.dropoff.at ?? 0) > now;
  return {
    ...pricingOf(share, content, settings),
    delivery_type: status === 'scheduled' || (status === 'request' && isScheduled) ? 'scheduled' : 'asap',
    items,
    items_description,
    order_value,
    store_id: store_id ?? null,
    ...withoutAbsent({ max_cost }),
    refunded_amount: 0,
    cancellation_reason: null,
    failure_reason: null,
    failure_message: '',
    dispute_reason: null,
    driver: null,
    way: [],
    proof: [],
    signature: null,
    reported_at: 0,
    event_count: 1,
    status_history: status === 'request' ? [] : [{ status, at: now }],
  };
}

/** Derives a tracking token that does not reveal the tokens of the route's other deliveries. */
function trackingToken(secret: string, order_id: string): string {
  return hashKey(`${secret} ${order_id}`).slice(0, 32);
}

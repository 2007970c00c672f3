import type { createDispatch } from '../contract/dispatches.ts';
import { shareCents } from '../domain/money.ts';
import { quotePrice } from '../domain/quotes.ts';
import type { Stop } from '../domain/stops.ts';
import { insertCharges } from '../storage/charges.ts';
import type {
  ChargeRow,
  Connection,
  DeliveryRow,
  OrderRow,
  QuoteRow,
  RouteRow,
} from '../storage/database.ts';
import { insertDeliveries } from '../storage/deliveries.ts';
import { findOrders, moveOrder } from '../storage/orders.ts';
import { hashOf } from './authentication.ts';
import type { DeliveryRecord } from './delivery-view.ts';
import type { Call } from './endpoint.ts';
import type { OrderRecord } from './order-request.ts';
import { orderRecord } from './order-view.ts';
import { notOpen } from './orders.ts';
import { type QuoteRecord, quoteRecord } from './quotes.ts';
import { routeOrderIds, routeStops } from './route-view.ts';

export interface Writing {
  call: Call<typeof createDispatch>;
  route: RouteRow;
  quote: QuoteRow;
  /** Unguessable and kept nowhere; each delivery's tracking link is made from it. */
  token: string;
}

/** Writes one delivery for each order of a route, with what is paid for it. */
export async function writeDeliveries(db: Connection, writing: Writing): Promise<void> {
  const { call, route, quote } = writing;
  const order_ids = routeOrderIds(route);
  const found = await findOrders(db, route, order_ids);
  const orders = order_ids.flatMap((id) => found.find((order) => order.id === id) ?? []);
  const { order_costs } = quoteRecord(quote);
  const payments = shareCents(quotePrice(quote), order_costs);
  const tips = tipsOf(orders, call.body.tip, order_costs);
  const scheduled = orders.map(orderRecord).some(({ pickup, dropoff }) => {
    return Math.max(pickup.at ?? 0, dropoff.at ?? 0) > call.now;
  });
  const deliveries = orders.map((order, index) =>
    deliveryOf(writing, order, { scheduled, payment: payments[index] ?? 0, tip: tips[index] ?? null }),
  );
  await insertDeliveries(db, deliveries);
  for (const delivery of deliveries) {
    const change = { delivery_id: delivery.id };
    const move = { id: delivery.order_id, from: 'routed', to: 'dispatched', now: call.now, change } as const;
    const order = orders.find(({ id }) => id === delivery.order_id);
    if (!(await moveOrder(db, move)) && order !== undefined) throw notOpen(order);
  }
  await insertCharges(
    db,
    deliveries.flatMap((delivery, index) =>
      chargesOf(writing, delivery, payments[index] ?? 0, tips[index] ?? null),
    ),
  );
}

/** A tip for the whole route is shared like its price; else each order keeps its own. */
function tipsOf(orders: readonly OrderRow[], tip: number | undefined, weights: readonly number[]) {
  if (tip === undefined) return orders.map((order) => orderRecord(order).tip);
  return shareCents(tip, weights);
}

interface Share {
  /** Whether a time was agreed on for the route: one driver carries all of it. */
  scheduled: boolean;
  payment: number;
  tip: number | null;
}

function deliveryOf({ call, route, quote, token }: Writing, order: OrderRow, share: Share): DeliveryRow {
  const { now } = call;
  const { scheduled } = share;
  const record = orderRecord(order);
  const status = scheduled ? 'scheduled' : 'delivery_created';
  const eta = etas(routeStops(route), quote, order.id, scheduled ? 0 : now - quote.created_at);
  const content: DeliveryRecord = {
    ...contentOf(record, eta),
    delivery_type: scheduled ? 'scheduled' : 'asap',
    quote_id: quote.id,
    payment_amount: share.payment,
    tip: share.tip,
    tracking_token: trackingToken(token, order.id),
    status_history: [{ status, at: now }],
  };
  return {
    id: call.id('dlv', order.id),
    ...call.caller.scope,
    order_id: order.id,
    route_id: route.id,
    status,
    service: quote.provider,
    external_order_ref: order.external_order_ref,
    pickup_phone: record.pickup.phone,
    dropoff_phone: record.dropoff.phone,
    record: JSON.stringify(content),
    created_at: now,
    updated_at: now,
  };
}

/** Who knows the link of one delivery of a route can tell nothing of the others'. */
function trackingToken(secret: string, order_id: string): string {
  return hashOf(`${secret} ${order_id}`).slice(0, 32);
}

function contentOf(record: OrderRecord, eta: { pickup: number; dropoff: number }) {
  const { pickup, dropoff, items, items_description, order_value } = record;
  return {
    pickup: { ...pickup, eta: eta.pickup },
    dropoff: { ...dropoff, eta: eta.dropoff },
    items,
    items_description,
    order_value,
    refunded_amount: 0,
    cancellation_reason: null,
    failure_reason: null,
  };
}

/** When the courier reaches this order's stops, moved by the time that passed since the quote was made. */
function etas(stops: readonly Stop[], quote: QuoteRow, order_id: string, passed: number) {
  const { stop_etas, pickup_eta, dropoff_eta }: QuoteRecord = quoteRecord(quote);
  const at = (kind: Stop['kind'], otherwise: number) => {
    const index = stops.findIndex((stop) => stop.kind === kind && stop.order_ids.includes(order_id));
    return (stop_etas[index] ?? otherwise) + passed;
  };
  return { pickup: at('pickup', pickup_eta), dropoff: at('dropoff', dropoff_eta) };
}

function chargesOf(
  { call }: Writing,
  delivery: DeliveryRow,
  payment: number,
  tip: number | null,
): ChargeRow[] {
  const row = (kind: string, amount: number): ChargeRow => ({
    id: call.id('chg', delivery.id, kind),
    ...call.caller.scope,
    delivery_id: delivery.id,
    kind,
    amount,
    created_at: call.now,
  });
  return [row('delivery', payment), ...(tip === null || tip === 0 ? [] : [row('tip', tip)])];
}

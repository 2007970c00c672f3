import { type Fault, Problem } from '../contract/errors.ts';
import type { cancelOrder, createOrders, getOrder, listOrders } from '../contract/orders.ts';
import type { OrderRow } from '../storage/database.ts';
import { deliveryById } from '../storage/deliveries.ts';
import { findOrder, insertOrders, listOrders as listRows, moveOrder, orderById } from '../storage/orders.ts';
import { deliveryView } from './delivery-view.ts';
import type { Call, Handler } from './endpoint.ts';
import { type OrderRecord, readOrder } from './order-request.ts';
import { orderView } from './order-view.ts';
import { pageOf, pageRequest } from './pages.ts';
import { simulationOf } from './simulation.ts';

/** Manual dispatch takes one order a request (seed 8). */
export const addOrders: Handler<typeof createOrders> = async (call) => {
  const { service, body, now, id, commit } = call;
  const [request] = body.orders;
  if (request === undefined || body.orders.length !== 1) throw onlyOne(body.orders.length);
  const simulation = simulationOf(call);
  // The table of the world's phone numbers is loaded only where numbers are taken in.
  const { normalizePhone } = await import('../domain/phones.ts');
  const reading = { now, zips: await service.zips(), normalizePhone };
  const { record, faults, unplaced } = readOrder(request, 'orders[0]', reading);
  refuse(faults, unplaced);
  const row = newRow(call, id('ord', '0'), request.external_order_ref ?? '', { ...record, simulation });
  return commit(async (transaction) => {
    await insertOrders(transaction, [row]);
    return orderView(row);
  });
};

export const pageOfOrders: Handler<typeof listOrders> = async ({ service, caller, query }) => {
  const { status, external_order_ref, batch_id } = query;
  const wanted = { ...caller.scope, ...pageRequest(query, 'ord'), status, external_order_ref, batch_id };
  const page = await service.storage.run((db) => listRows(db, wanted));
  return pageOf(page, orderView);
};

export const readOneOrder: Handler<typeof getOrder> = async ({ service, caller, params, query }) => {
  const { account_id, test_mode } = caller.scope;
  const { storage, publicUrl } = service;
  const row = await storage.first(orderById, params.order_id, account_id, test_mode);
  if (row === undefined) throw missing(params.order_id);
  if (query.expand === undefined) return orderView(row);
  if (row.delivery_id === null) return { ...orderView(row), delivery: null };
  const delivery = await storage.first(deliveryById, row.delivery_id, account_id, test_mode);
  return { ...orderView(row), delivery: delivery === undefined ? null : deliveryView(delivery, publicUrl) };
};

export const closeOrder: Handler<typeof cancelOrder> = async ({ caller, params, now, commit }) =>
  commit(async (transaction) => {
    const { order_id } = params;
    const from = ['open', 'failed', 'unfulfilled'] as const;
    const move = { id: order_id, from, to: 'canceled', now } as const;
    const known = await findOrder(transaction, caller.scope, order_id);
    if (known === undefined) throw missing(order_id);
    if (!(await moveOrder(transaction, move))) throw notOpen(known);
    return orderView({ ...known, status: 'canceled', updated_at: now });
  });

export function missing(order_id: string): Problem {
  return new Problem('record_not_found', `There is no order ${order_id}.`);
}

export function notOpen(order: OrderRow): Problem {
  const where = order.status === 'routed' && order.route_id !== null ? ` in route ${order.route_id}` : '';
  return new Problem('order_not_open', `Order ${order.id} is ${order.status}${where}.`);
}

function newRow(call: Call<typeof createOrders>, id: string, ref: string, record: OrderRecord): OrderRow {
  return {
    id,
    ...call.caller.scope,
    status: 'open',
    route_id: null,
    delivery_id: null,
    batch_id: null,
    external_order_ref: ref,
    record: JSON.stringify(record),
    created_at: call.now,
    updated_at: call.now,
  };
}

function onlyOne(count: number): Problem {
  const message = `Manual dispatch takes one order a request; this one has ${count}.`;
  return new Problem('invalid_request', message, [
    { path: 'orders', message: 'must have exactly one order' },
  ]);
}

function refuse(faults: readonly Fault[], unplaced: readonly Fault[]): void {
  const all = [...faults, ...unplaced];
  if (faults.length > 0) throw new Problem('invalid_request', 'The body breaks the contract.', all);
  if (unplaced.length === 0) return;
  throw new Problem('address_not_geocodable', 'An address has no usable ZIP code.', all);
}

import { Problem } from '../../contract/errors.ts';
import type { createOrders, getOrder, listOrders } from '../../contract/orders.ts';
import type { OrderRow } from '../../storage/database.ts';
import { deliveryById } from '../../storage/deliveries.ts';
import { insertOrders, listOrders as listRows, orderById } from '../../storage/orders.ts';
import { requireManual } from '../batches/batch-settings.ts';
import { deliveryView, viewpointOf } from '../deliveries/delivery-view.ts';
import type { CallBase, Handler } from '../http/handler.ts';
import { pageOf, pageRequest } from '../http/paging.ts';
import type { OrderRecord } from './order-request.ts';
import { orderView } from './order-view.ts';
import { orderOf } from './read-order.ts';

/** Manual dispatch takes one order a request (seed 8); auto dispatch takes them as a batch. */
export const addOrders: Handler<typeof createOrders> = async (call) => {
  const { body, id, commit } = call;
  const settings = body.settings ?? {};
  if (settings.mechanism === 'auto')
    return (await import('../auto-dispatch/create-batch.ts')).acceptBatch(call, settings);
  requireManual(settings);
  const [request] = body.orders;
  if (request === undefined || body.orders.length !== 1) throw onlyOne(body.orders.length);
  const record = await orderOf(call, request, 'orders[0]');
  const row = newOrder(call, { id: id('ord', '0'), ref: request.external_order_ref ?? '', record });
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

export const readOneOrder: Handler<typeof getOrder> = async (call) => {
  const { service, caller, params, query } = call;
  const { account_id, test_mode } = caller.scope;
  const { storage } = service;
  const row = await storage.first(orderById, params.order_id, account_id, test_mode);
  if (row === undefined) throw missing(params.order_id);
  if (query.expand === undefined) return orderView(row);
  if (row.delivery_id === null) return { ...orderView(row), delivery: null };
  const delivery = await storage.first(deliveryById, row.delivery_id, account_id, test_mode);
  return {
    ...orderView(row),
    delivery: delivery === undefined ? null : deliveryView(delivery, viewpointOf(call)),
  };
};

export function missing(order_id: string): Problem {
  return new Problem('record_not_found', `There is no order ${order_id}.`);
}

export function notOpen(order: OrderRow): Problem {
  const { id, status, route_id, delivery_id } = order;
  const holder = status === 'routed' ? (route_id ?? delivery_id) : null;
  const related_ids = holder === null ? [id] : [id, holder];
  return new Problem('order_not_open', `Order ${id} is ${status}${whereOf(order)}.`, [], { related_ids });
}

function whereOf({ status, route_id, delivery_id }: OrderRow): string {
  if (status !== 'routed') return '';
  return route_id === null
    ? ` for delivery ${delivery_id}, which is not initiated yet`
    : ` in route ${route_id}`;
}

/** An order that nothing has happened to. */
export function newOrder(
  { caller, now }: CallBase,
  order: { id: string; ref: string; record: OrderRecord },
): OrderRow {
  return {
    id: order.id,
    ...caller.scope,
    status: 'open',
    route_id: null,
    delivery_id: null,
    batch_id: null,
    external_order_ref: order.ref,
    record: JSON.stringify(order.record),
    created_at: now,
    updated_at: now,
  };
}

function onlyOne(count: number): Problem {
  const message = `Manual dispatch takes one order a request; this one has ${count}.`;
  return new Problem('invalid_request', message, [
    { path: 'orders', message: 'must have exactly one order' },
  ]);
}

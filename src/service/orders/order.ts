import { Problem } from '../../contract/errors.ts';
import { normalizeReference } from '../../domain/references.ts';
import type { OrderRow } from '../../storage/database.ts';
import type { CallBase } from '../http/handler.ts';
import type { OrderRecord } from './order-view.ts';

export function orderNotFound(order_id: string): Problem {
  return new Problem('record_not_found', `There is no order ${order_id}.`);
}

export function orderNotOpen(order: OrderRow): Problem {
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
    external_order_ref: normalizeReference(order.ref),
    record: JSON.stringify(order.record),
    erased_at: null,
    created_at: now,
    updated_at: now,
  };
}

import { Problem } from '../../contract/errors.ts';
import type { createManyOrders, listOrders } from '../../contract/orders.ts';
import { normalizeReference, referenceFilter } from '../../domain/references.ts';
import type { OrderRow } from '../../storage/database.ts';
import { listOrders as listRows, newestOrders } from '../../storage/orders.ts';
import { firstPage } from '../../storage/storage.ts';
import type { CallBase, Handler } from '../http/handler.ts';
import { pageOf, pageRequest } from '../http/paging.ts';
import { type OrderRecord, orderView } from './order-view.ts';

export const pageOfOrders: Handler<typeof listOrders> = async ({ service, caller, query }) => {
  const { status, batch_id, q } = query;
  const external_order_ref = referenceFilter(query);
  const wanted = { ...caller.scope, ...pageRequest(query, 'ord'), status, external_order_ref, batch_id };
  const { storage } = service;
  if (q !== undefined && q !== '') {
    const { pageOfFoundOrders } = await import('./search.ts');
    return pageOfFoundOrders(storage, wanted, q);
  }
  const first = await firstPage(storage, newestOrders, wanted);
  const page = first ?? (await storage.read((db) => listRows(db, wanted)));
  return pageOf(page, orderView);
};

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

/** The row of a new order. */
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

/** Creates orders for manual dispatch: all are validated first, then all are stored in one transaction. */
export const addManyOrders: Handler<typeof createManyOrders> = async (call) => {
  const { body, caller, commit } = call;
  const { placeTasks } = await import('./order-places.ts');
  const { readOrders } = await import('./order-request.ts');
  const { records, missing } = await readOrders(call, body.orders);
  const rows = records.map((record, index) => {
    const ref = body.orders[index]?.external_order_ref ?? '';
    return newOrder(call, { id: call.rankedId('ord', index, String(index)), ref, record });
  });
  return commit(async (transaction) => {
    const { insertSearchableOrders } = await import('./search.ts');
    const { insertTasks } = await import('../../storage/tasks.ts');
    if (body.unique_ref === true) {
      const { requireUniqueRefs } = await import('./unique-refs.ts');
      await requireUniqueRefs(transaction, call, rows);
    }
    await insertSearchableOrders(transaction, rows);
    await insertTasks(transaction, placeTasks(call, rows, missing));
    const order_ids = rows.map(({ id }) => id);
    return { object: 'created_orders', order_ids, test_mode: caller.test_mode } as const;
  }, 'read committed');
};

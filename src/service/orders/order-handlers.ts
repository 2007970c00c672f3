import type { createManyOrders, listOrders, Order } from '../../contract/orders.ts';
import type { Page } from '../../contract/schema.ts';
import { referenceFilter } from '../../domain/references.ts';
import { orderCosts } from '../../storage/deliveries.ts';
import { listOrders as listRows, newestOrders } from '../../storage/orders.ts';
import { firstPage, type Storage } from '../../storage/storage.ts';
import type { Handler } from '../http/handler.ts';
import { pageOf, pageRequest, periodsOf } from '../http/paging.ts';
import { newOrder } from './order.ts';
import { orderView } from './order-view.ts';

export const pageOfOrders: Handler<typeof listOrders> = async ({ service, caller, query }) => {
  const { status, batch_id, q } = query;
  const external_order_ref = referenceFilter(query);
  const wanted = {
    ...caller.scope,
    ...pageRequest(query, 'ord'),
    ...periodsOf(query),
    status,
    external_order_ref,
    batch_id,
    store_id: query.store_id,
  };
  const { storage } = service;
  if (q !== undefined && q !== '') {
    const { pageOfFoundOrders } = await import('./search.ts');
    return withCosts(storage, query, await pageOfFoundOrders(storage, wanted, q));
  }
  const first = await firstPage(storage, newestOrders, wanted);
  const page = first ?? (await storage.read((db) => listRows(db, wanted)));
  return withCosts(storage, query, pageOf(page, orderView));
};

/** Adds what the orders of a page cost, if it is asked for. */
async function withCosts(
  storage: Storage,
  { expand }: { expand?: 'total_cost' },
  page: Page<Order>,
): Promise<Page<Order>> {
  if (expand === undefined) return page;
  const ids = page.data.map(({ id }) => id);
  const costs = await storage.read((db) => orderCosts(db, ids));
  return { ...page, data: page.data.map((order) => ({ ...order, total_cost: costs.get(order.id) ?? 0 })) };
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

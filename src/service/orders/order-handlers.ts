/** Lists orders, and creates them for manual dispatch. Those of auto dispatch are created in `batches`. */
import type { createManyOrders, listOrders, Order } from '../../contract/orders.ts';
import type { Page } from '../../contract/schema.ts';
import { referenceFilter } from '../../domain/references.ts';
import type { Scope } from '../../storage/database.ts';
import { type ChargedTry, triesOfOrderRange, triesOfOrders } from '../../storage/deliveries.ts';
import { listOrders as listRows, newestOrders } from '../../storage/orders.ts';
import { firstPage } from '../../storage/storage.ts';
import type { Handler } from '../http/handler.ts';
import { pageRequest, readListPeriods, toPage } from '../http/paging.ts';
import { newOrder, orderView } from './order.ts';

export const pageOfOrders: Handler<typeof listOrders> = async ({ service, caller, query, now }) => {
  const { status, batch_id, q } = query;
  const external_order_ref = referenceFilter(query);
  const wanted = {
    ...caller.scope,
    ...pageRequest(query, 'ord'),
    ...readListPeriods(query, now),
    status,
    external_order_ref,
    batch_id,
    store_id: query.store_id,
  };
  const { storage } = service;
  if (q !== undefined && q !== '') {
    const { pageOfFoundOrders } = await import('./search.ts');
    const found = await pageOfFoundOrders(storage, wanted, q);
    return withTries(found, query, (ids) => storage.read((db) => triesOfOrders(db, ids)));
  }
  const first = await firstPage(storage, newestOrders, wanted);
  const page = first ?? (await storage.read((db) => listRows(db, wanted)));
  return withTries(toPage(page, orderView), query, (ids) =>
    // The orders of a first page without filters are next to each other, and a prepared query reads their deliveries.
    first === undefined
      ? storage.read((db) => triesOfOrders(db, ids))
      : storage.all(triesOfOrderRange, ...idRange(wanted, ids)),
  );
};

/** Adds what became of the orders of a page and what they cost, if it is asked for. */
async function withTries(
  page: Page<Order>,
  { expand }: { expand?: 'deliveries' },
  read: (ids: readonly string[]) => Promise<readonly ChargedTry[]>,
): Promise<Page<Order>> {
  if (expand === undefined || page.data.length === 0) return page;
  const tries = Map.groupBy(await read(page.data.map(({ id }) => id)), ({ order_id }) => order_id);
  const data = page.data.map((order) => {
    const own = tries.get(order.id) ?? [];
    return {
      ...order,
      delivery_status: own.find(({ id }) => id === order.delivery_id)?.status ?? null,
      delivery_count: new Set(own.map(({ id }) => id)).size,
      total_cost: own.reduce((sum, { amount }) => sum + (amount ?? 0), 0),
    };
  });
  return { ...page, data };
}

/** The parameters for the deliveries of orders from the first to the last of these, which are sorted downwards. */
function idRange({ account_id, test_mode }: Scope, ids: readonly string[]) {
  return [account_id, test_mode, ids.at(-1) ?? '', ids[0] ?? ''] as const;
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

import type { createManyOrders } from '../../contract/orders.ts';
import type { Handler } from '../http/handler.ts';
import { newOrder } from './order-handlers.ts';
import { ordersOf } from './order-request.ts';
import { insertSearchableOrders } from './search.ts';

/** Creates orders for manual dispatch: all are validated first, then all are stored in one transaction. */
export const addManyOrders: Handler<typeof createManyOrders> = async (call) => {
  const { body, caller, commit } = call;
  const records = await ordersOf(call, body.orders);
  const rows = records.map((record, index) => {
    const ref = body.orders[index]?.external_order_ref ?? '';
    return newOrder(call, { id: call.rankedId('ord', index, String(index)), ref, record });
  });
  return commit(async (transaction) => {
    await insertSearchableOrders(transaction, rows);
    const order_ids = rows.map(({ id }) => id);
    return { object: 'created_orders', order_ids, test_mode: caller.test_mode } as const;
  }, 'read committed');
};

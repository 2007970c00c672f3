import type { cancelBatch } from '../contract/batches.ts';
import { Problem } from '../contract/errors.ts';
import { changePending, ordersInBatch } from '../storage/batch-orders.ts';
import { findBatch } from '../storage/batches.ts';
import { dropTasks } from '../storage/tasks.ts';
import { endOrder, endTry, type PendingOrder, pendingOrder } from './batch-outcomes.ts';
import { batchFor, endWhenDone } from './batches.ts';
import type { Handler } from './endpoint.ts';
import type { Telling } from './events.ts';

/**
 * Closes what is still pending. An order whose courier is being asked at this moment is let through: where that one
 * accepts it is dispatched, and where it refuses it is canceled.
 */
export const closeBatch: Handler<typeof cancelBatch> = async (call) => {
  const { service, caller, params, now } = call;
  const chance = await service.chance();
  const batch = await call.commit(async (db) => {
    const row = await findBatch(db, caller.scope, params.batch_id);
    if (row === undefined) throw new Problem('record_not_found', `There is no batch ${params.batch_id}.`);
    const entries = await ordersInBatch(db, row.id);
    for (const { order_id } of entries.filter(({ status }) => status === 'pending')) {
      const pending = await pendingOrder(db, order_id);
      if (pending !== null) await closePending({ db, chance, now }, pending, 'its batch was canceled');
    }
    await endWhenDone({ db, chance, now }, row.id);
    return batchFor(db, call, row.id);
  });
  service.wake();
  return batch;
};

/** Closes one pending order, unless its courier is being asked: then no further try begins. */
export async function closePending(telling: Telling, pending: PendingOrder, reason: string): Promise<void> {
  const { db, now } = telling;
  const { order } = pending;
  if (order.status === 'dispatched') {
    await changePending(db, { order_id: order.id, to: { is_closing: 1 }, now });
    return;
  }
  await dropTasks(db, order.id, ['order.try', 'order.choose']);
  if (order.route_id !== null) await dropTasks(db, order.route_id, ['quote.ask']);
  await endTry(telling, order.id, { status: 'canceled', reason });
  await endOrder(telling, pending, 'canceled', reason);
}

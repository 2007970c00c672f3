/** Batches of auto dispatch: lists them and their waiting orders, and completes them. */
import type { getBatch, listBatches } from '../../contract/batches.ts';
import type { listWaitingOrders } from '../../contract/orders.ts';
import {
  batchById,
  listPendingOrders,
  listBatches as listRows,
  loadBatches,
  ordersOfBatchById,
} from '../../storage/batches.ts';
import { loadOrders } from '../../storage/orders.ts';
import type { Handler } from '../http/handler.ts';
import { pageRequest, toPage } from '../http/paging.ts';
import { orderView } from '../orders/order.ts';
import type { ServiceContext, Task, TaskHandler } from '../runtime/context.ts';
import { instant, instantOrNull } from '../runtime/time.ts';
import { batchSummary, batchView, completeWhenDone, noBatch, progressOf } from './batch.ts';
import { settingsOfBatch } from './order-outcomes.ts';

export const pageOfBatches: Handler<typeof listBatches> = async ({ service, caller, query }) =>
  service.storage.read(async (db) => {
    const page = await listRows(db, { ...caller.scope, ...pageRequest(query, 'bat'), status: query.status });
    const ids = page.rows.map(({ id }) => id);
    const progress = await progressOf(db, ids);
    return toPage(page, (row) => batchSummary(row, progress(row.id)));
  });

export const readBatch: Handler<typeof getBatch> = async ({ service: { storage }, caller, params }) => {
  const { account_id, test_mode } = caller.scope;
  const row = await storage.first(batchById, params.batch_id, account_id, test_mode);
  if (row === undefined) throw noBatch(params.batch_id);
  return batchView(row, await storage.all(ordersOfBatchById, row.id));
};

export const pageOfWaitingOrders: Handler<typeof listWaitingOrders> = async ({ service, caller, query }) =>
  service.storage.read(async (db) => {
    const page = await listPendingOrders(db, { ...caller.scope, ...pageRequest(query, 'ord') });
    const order_ids = page.rows.map(({ order_id }) => order_id);
    const orders = await loadOrders(db, order_ids);
    const batch_ids = page.rows.map(({ batch_id }) => batch_id);
    const batches = await loadBatches(db, batch_ids);
    return toPage(page, ({ order_id, batch_id, attempts, next_attempt_at, paused_ms, reason }) => {
      const order = orders.find(({ id }) => id === order_id);
      const batch = batches.find(({ id }) => id === batch_id);
      if (order === undefined || batch === undefined) throw new Error(`order ${order_id} is not complete`);
      const { retry_window } = settingsOfBatch(batch);
      return {
        object: 'waiting_order',
        order: orderView(order),
        attempts,
        waiting_since: instant(batch.created_at),
        next_attempt_at: instantOrNull(next_attempt_at),
        retry_until: instant(batch.created_at + paused_ms + retry_window * 1000),
        reason,
      };
    });
  });

export const batchCompletionTask: TaskHandler<'batch.close'> = { run: closeWhenDone };

/**
 * Completes a batch once none of its orders is pending. Read committed: an order with an outcome is never pending again,
 * each outcome has such a task, which runs after it is committed, and the batch is completed once.
 */
async function closeWhenDone(service: ServiceContext, task: Task<'batch.close'>): Promise<void> {
  const chance = await service.chance();
  const { now } = task;
  await service.storage.transaction(async (db) => {
    await task.finish(db);
    await completeWhenDone({ db, chance, now }, task.row.subject);
  }, 'read committed');
}

import type {
  Batch,
  BatchCounts,
  BatchOrder,
  BatchSummary,
  getBatch,
  listBatches,
} from '../../contract/batches.ts';
import { Problem } from '../../contract/errors.ts';
import type { listWaitingOrders } from '../../contract/orders.ts';
import {
  batchById,
  completeBatch,
  countOutcomes,
  findBatch,
  hasPending,
  listPendingOrders,
  listBatches as listRows,
  loadBatch,
  loadBatches,
  ordersInBatch,
  ordersOfBatchById,
} from '../../storage/batches.ts';
import type { BatchOrderRow, BatchRow, Connection } from '../../storage/database.ts';
import { loadOrders } from '../../storage/orders.ts';
import { publishEvent } from '../events/publish-event.ts';
import type { CallBase, Handler } from '../http/handler.ts';
import { pageOf, pageRequest } from '../http/paging.ts';
import { orderView } from '../orders/order-view.ts';
import type { ServiceContext, Task, TaskKind, WriteContext } from '../runtime/context.ts';
import { instant, instantOrNull } from '../runtime/time.ts';
import { settingsOfBatch } from './order-outcomes.ts';

export const pageOfBatches: Handler<typeof listBatches> = async ({ service, caller, query }) =>
  service.storage.read(async (db) => {
    const page = await listRows(db, { ...caller.scope, ...pageRequest(query, 'bat'), status: query.status });
    const ids = page.rows.map(({ id }) => id);
    const progress = await progressOf(db, ids);
    return pageOf(page, (row) => summaryOf(row, progress(row.id)));
  });

export const readBatch: Handler<typeof getBatch> = async ({ service: { storage }, caller, params }) => {
  const { account_id, test_mode } = caller.scope;
  const row = await storage.first(batchById, params.batch_id, account_id, test_mode);
  if (row === undefined) throw noBatch(params.batch_id);
  return batchView(row, await storage.all(ordersOfBatchById, row.id));
};

/** The caller's batch. Throws `record_not_found`. */
export async function batchFor(db: Connection, { caller }: CallBase, id: string): Promise<Batch> {
  const row = await findBatch(db, caller.scope, id);
  if (row === undefined) throw noBatch(id);
  return batchView(row, await ordersInBatch(db, row.id));
}

function noBatch(id: string): Problem {
  return new Problem('record_not_found', `There is no batch ${id}.`);
}

function batchView(row: BatchRow, entries: readonly BatchOrderRow[]): Batch {
  const counts = { ...zeroCounts };
  for (const { status } of entries) counts[status] += 1;
  const changed_at = Math.max(...entries.map(({ updated_at }) => updated_at));
  return { ...summaryOf(row, { counts, changed_at }), orders: entries.map(entryView) };
}

const zeroCounts: BatchCounts = { pending: 0, dispatched: 0, unfulfilled: 0, failed: 0, canceled: 0 };

/** The progress of a batch: its counts always add up, because each order has one row. */
interface Progress {
  counts: BatchCounts;
  changed_at: number;
}

/** The progress of batches, by id. */
async function progressOf(db: Connection, ids: readonly string[]): Promise<(id: string) => Progress> {
  const found = await countOutcomes(db, ids);
  return (id) => {
    const progress: Progress = { counts: { ...zeroCounts }, changed_at: 0 };
    for (const { batch_id, status, count, changed_at } of found) {
      if (batch_id !== id) continue;
      progress.counts[status] = Number(count);
      progress.changed_at = Math.max(progress.changed_at, Number(changed_at));
    }
    return progress;
  };
}

function summaryOf(row: BatchRow, { counts, changed_at }: Progress): BatchSummary {
  return {
    object: 'batch',
    batch_id: row.id,
    status: row.status,
    order_count: row.order_count,
    counts,
    settings: settingsOfBatch(row),
    test_mode: row.test_mode === 1,
    created_at: instant(row.created_at),
    updated_at: instant(Math.max(row.updated_at, changed_at)),
    completed_at: instantOrNull(row.completed_at),
  };
}

function entryView(row: BatchOrderRow): BatchOrder {
  const { order_id, external_order_ref, status, attempts, delivery_id, reason } = row;
  const next_attempt_at = instantOrNull(row.next_attempt_at);
  return { order_id, external_order_ref, status, attempts, next_attempt_at, delivery_id, reason };
}

export const pageOfWaitingOrders: Handler<typeof listWaitingOrders> = async ({ service, caller, query }) =>
  service.storage.read(async (db) => {
    const page = await listPendingOrders(db, { ...caller.scope, ...pageRequest(query, 'ord') });
    const order_ids = page.rows.map(({ order_id }) => order_id);
    const orders = await loadOrders(db, order_ids);
    const batch_ids = page.rows.map(({ batch_id }) => batch_id);
    const batches = await loadBatches(db, batch_ids);
    return pageOf(page, ({ order_id, batch_id, attempts, next_attempt_at, paused_ms, reason }) => {
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

export const batchCompletionTask: TaskKind = { run: closeWhenDone };

/**
 * Completes a batch once none of its orders is pending. Read committed: an order with an outcome is never pending again,
 * each outcome has such a task, which runs after it is committed, and the batch is completed once.
 */
async function closeWhenDone(service: ServiceContext, task: Task): Promise<void> {
  const chance = await service.chance();
  const { now } = task;
  await service.storage.transaction(async (db) => {
    await task.finish(db);
    await completeWhenDone({ db, chance, now }, task.row.subject);
  }, 'read committed');
}

/** Completes a batch without pending orders, in the transaction that gave the last one its outcome. */
export async function completeWhenDone(context: WriteContext, batch_id: string): Promise<void> {
  const { db, now } = context;
  const before = await loadBatch(db, batch_id);
  if (before?.status !== 'processing' || (await hasPending(db, batch_id))) return;
  if (!(await completeBatch(db, { id: batch_id, now }))) return;
  const row = await loadBatch(db, batch_id);
  if (row === undefined) return;
  const progress = await progressOf(db, [batch_id]);
  const { account_id, test_mode } = row;
  const data = summaryOf(row, progress(batch_id));
  const type = 'batch.completed';
  await publishEvent(context, { account_id, test_mode, type, id_parts: [batch_id], batch_id, data });
}

/** A batch: how it is read and shown, and when it is complete. */
import type { Batch, BatchCounts, BatchOrder, BatchSummary } from '../../contract/batches.ts';
import { Problem } from '../../contract/errors.ts';
import {
  completeBatch,
  countOutcomes,
  findBatch,
  hasPending,
  loadBatch,
  ordersInBatch,
} from '../../storage/batches.ts';
import type { BatchOrderRow, BatchRow, Connection } from '../../storage/database.ts';
import { publishEvent } from '../events/publish-event.ts';
import type { CallBase } from '../http/handler.ts';
import type { WriteContext } from '../runtime/context.ts';
import { instant, instantOrNull } from '../runtime/time.ts';
import { settingsOfBatch } from './order-outcomes.ts';

/** The caller's batch. Throws `record_not_found`. */
export async function batchFor(db: Connection, { caller }: CallBase, id: string): Promise<Batch> {
  const row = await findBatch(db, caller.scope, id);
  if (row === undefined) throw noBatch(id);
  return batchView(row, await ordersInBatch(db, row.id));
}

export function noBatch(id: string): Problem {
  return new Problem('record_not_found', `There is no batch ${id}.`);
}

export function batchView(row: BatchRow, entries: readonly BatchOrderRow[]): Batch {
  const counts = { ...zeroCounts };
  for (const { status } of entries) counts[status] += 1;
  const changed_at = Math.max(...entries.map(({ updated_at }) => updated_at));
  return { ...batchSummary(row, { counts, changed_at }), orders: entries.map(entryView) };
}

const zeroCounts: BatchCounts = { pending: 0, dispatched: 0, unfulfilled: 0, failed: 0, canceled: 0 };

/** The progress of a batch: its counts always add up, because each order has one row. */
interface Progress {
  counts: BatchCounts;
  changed_at: number;
}

/** The progress of batches, by id. */
export async function progressOf(db: Connection, ids: readonly string[]): Promise<(id: string) => Progress> {
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

export function batchSummary(row: BatchRow, { counts, changed_at }: Progress): BatchSummary {
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
  const data = batchSummary(row, progress(batch_id));
  const type = 'batch.completed';
  await publishEvent(context, { account_id, test_mode, type, id_parts: [batch_id], batch_id, data });
}

import { hasPending } from '../../storage/batch-orders.ts';
import { completeBatch, loadBatch } from '../../storage/batches.ts';
import { publishEvent } from '../events/publish-event.ts';
import type { ServiceContext, Task, TaskKind, WriteContext } from '../runtime/context.ts';
import { progressOf, summaryOf } from './batch-handlers.ts';

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

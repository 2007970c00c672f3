import type { Outcome } from '../contract/vocabulary.ts';
import type { BatchOrderRow, Connection } from './database.ts';
import type { PreparedQuery } from './prepared-queries.ts';
import { chunks } from './rows.ts';

export type BatchOrderChange = Partial<
  Omit<BatchOrderRow, 'order_id' | 'batch_id' | 'position' | 'updated_at'>
>;

export async function insertBatchOrders(db: Connection, rows: readonly BatchOrderRow[]): Promise<void> {
  for (const chunk of chunks(rows)) {
    await db.insertInto('batch_orders').values(chunk).execute();
  }
}

/** Every order of a batch, in the order of its request. */
export const ordersOfBatchById: PreparedQuery<BatchOrderRow, [batch_id: string]> = {
  name: 'orders of batch',
  sample: ['batch'],
  query: (db, batch_id) =>
    db.selectFrom('batch_orders').selectAll().where('batch_id', '=', batch_id).orderBy('position'),
};

export async function ordersInBatch(db: Connection, batch_id: string): Promise<BatchOrderRow[]> {
  return ordersOfBatchById.query(db, batch_id).execute();
}

export async function findBatchOrder(db: Connection, order_id: string): Promise<BatchOrderRow | undefined> {
  return db.selectFrom('batch_orders').selectAll().where('order_id', '=', order_id).executeTakeFirst();
}

/** Those of `order_ids` that are still pending in auto dispatch. */
export async function pendingOf(db: Connection, order_ids: readonly string[]): Promise<BatchOrderRow[]> {
  if (order_ids.length === 0) {
    return [];
  }
  return db
    .selectFrom('batch_orders')
    .selectAll()
    .where('order_id', 'in', order_ids)
    .where('status', '=', 'pending')
    .execute();
}

/** Changes an order that is still pending; false, without a change, if it has ended. */
export async function changePending(
  db: Connection,
  change: { order_id: string; to: BatchOrderChange; now: number },
): Promise<boolean> {
  const result = await db
    .updateTable('batch_orders')
    .set({ ...change.to, updated_at: change.now })
    .where('order_id', '=', change.order_id)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/**
 * Counts the orders of each batch by outcome, with the time of the last change; outcomes without orders are omitted.
 */
export async function countOutcomes(
  db: Connection,
  batch_ids: readonly string[],
): Promise<{ batch_id: string; status: Outcome; count: number; changed_at: number }[]> {
  if (batch_ids.length === 0) {
    return [];
  }
  return db
    .selectFrom('batch_orders')
    .select(({ fn }) => [
      'batch_id',
      'status',
      fn.countAll<number>().as('count'),
      fn.max('updated_at').as('changed_at'),
    ])
    .where('batch_id', 'in', batch_ids)
    .groupBy(['batch_id', 'status'])
    .execute();
}

/** Whether any order of a batch is still pending. */
export async function hasPending(db: Connection, batch_id: string): Promise<boolean> {
  const row = await db
    .selectFrom('batch_orders')
    .select('order_id')
    .where('batch_id', '=', batch_id)
    .where('status', '=', 'pending')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

import type { Outcome } from '../contract/vocabulary.ts';
import type { BatchOrderRow, Connection } from './database.ts';
import type { Page, PageQuery } from './paging.ts';
import type { PreparedQuery } from './prepared-queries.ts';
import { keptRows } from './transaction-rows.ts';

export type BatchOrderChange = Partial<
  Omit<BatchOrderRow, 'order_id' | 'batch_id' | 'position' | 'updated_at'>
>;

const rows = keptRows<BatchOrderRow>('batch_orders', ({ order_id }) => order_id);

const byOrder = rows.byKey((db, order_ids) =>
  db.selectFrom('batch_orders').selectAll().where('order_id', 'in', order_ids).execute(),
);

export const insertBatchOrders = rows.appendBy((db, entries) =>
  db.insertInto('batch_orders').values(entries),
);

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

/** The entries of orders, unordered. */
export const findBatchOrders = byOrder.read;

export async function findBatchOrder(db: Connection, order_id: string): Promise<BatchOrderRow | undefined> {
  return byOrder.readOne(db, order_id);
}

/** Those of `order_ids` that are still pending in auto dispatch. */
export async function pendingOf(db: Connection, order_ids: readonly string[]): Promise<BatchOrderRow[]> {
  const found = await byOrder.read(db, order_ids);
  return found.filter(({ status }) => status === 'pending');
}

/** The pending orders of an account and mode, newest first. */
export async function listPendingOrders(
  db: Connection,
  { account_id, test_mode, after_id, limit }: PageQuery,
): Promise<Page<BatchOrderRow & { id: string }>> {
  const { readPage } = await import('./paging.ts');
  const processing = db
    .selectFrom('batches')
    .select('id')
    .where('account_id', '=', account_id)
    .where('test_mode', '=', test_mode)
    .where('status', '=', 'processing');
  const pending = db
    .selectFrom('batch_orders')
    .selectAll()
    .select('order_id as id')
    .where('batch_id', 'in', processing)
    .where('status', '=', 'pending');
  return readPage(db, limit, [after_id === undefined ? pending : pending.where('order_id', '<', after_id)]);
}

/** Changes an order that is still pending; false, without a change, if it has ended. */
export async function changePending(
  db: Connection,
  change: { order_id: string; to: BatchOrderChange; now: number },
): Promise<boolean> {
  const changed = await rows.change(
    db,
    db
      .updateTable('batch_orders')
      .set({ ...change.to, updated_at: change.now })
      .where('order_id', '=', change.order_id)
      .where('status', '=', 'pending'),
  );
  return changed.length > 0;
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

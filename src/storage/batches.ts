/** Batches of auto dispatch, and the orders in them. The attempts for an order are in `order-attempts.ts`. */
import type { BatchStatus, Outcome } from '../contract/vocabulary.ts';
import type { BatchOrderRow, BatchRow, Connection, Flag, Scope } from './database.ts';
import { keptRows } from './kept-rows.ts';
import type { Page, PageQuery } from './paging.ts';
import { inScope } from './rows.ts';
import type { PreparedQuery } from './storage.ts';

interface BatchQuery extends PageQuery {
  status?: readonly BatchStatus[] | undefined;
}

const batchRows = keptRows<BatchRow>('batches', ({ id }) => id);

const batchesById = batchRows.byKey((db, ids) =>
  db.selectFrom('batches').selectAll().where('id', 'in', ids).execute(),
);

export const insertBatch = batchRows.appendOneBy((db, batches) => db.insertInto('batches').values(batches));

/** A batch of an account and mode. */
export const batchById: PreparedQuery<BatchRow, [id: string, account_id: string, test_mode: Flag]> = {
  name: 'batch by id',
  sample: ['id', 'account', 1],
  query: (db, id, account_id, test_mode) =>
    db
      .selectFrom('batches')
      .selectAll()
      .where('id', '=', id)
      .where('account_id', '=', account_id)
      .where('test_mode', '=', test_mode),
};

export async function findBatch(db: Connection, scope: Scope, id: string): Promise<BatchRow | undefined> {
  return batchById.query(db, id, scope.account_id, scope.test_mode).executeTakeFirst();
}

/** Batches of any account, unordered: for background tasks, which know the ids from their own records. */
export const loadBatches = batchesById.read;

/** For background tasks, which know the id from their own record. */
export const loadBatch = batchesById.readOne;

export async function listBatches(db: Connection, query: BatchQuery): Promise<Page<BatchRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  const batches = db.selectFrom('batches').selectAll().where(pageBounds(query, 'bat_'));
  const { status } = query;
  return readPage(db, query.limit, [status === undefined ? batches : batches.where('status', 'in', status)]);
}

/** Completes a batch; false if it was already complete. */
export async function completeBatch(db: Connection, complete: { id: string; now: number }): Promise<boolean> {
  const { id, now } = complete;
  const completed = await batchRows.change(
    db,
    db
      .updateTable('batches')
      .set({ status: 'complete', completed_at: now, updated_at: now })
      .where('id', '=', id)
      .where('status', '=', 'processing'),
  );
  return completed.length > 0;
}

type BatchOrderChange = Partial<Omit<BatchOrderRow, 'order_id' | 'batch_id' | 'position' | 'updated_at'>>;

const batchOrderRows = keptRows<BatchOrderRow>('batch_orders', ({ order_id }) => order_id);

const batchOrdersById = batchOrderRows.byKey((db, order_ids) =>
  db.selectFrom('batch_orders').selectAll().where('order_id', 'in', order_ids).execute(),
);

export const insertBatchOrders = batchOrderRows.appendBy((db, entries) =>
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
export const loadBatchOrders = batchOrdersById.read;

export const loadBatchOrder = batchOrdersById.readOne;

/** Those of `order_ids` that are still pending in auto dispatch. */
export async function findPendingOrders(
  db: Connection,
  order_ids: readonly string[],
): Promise<BatchOrderRow[]> {
  const found = await batchOrdersById.read(db, order_ids);
  return found.filter(({ status }) => status === 'pending');
}

/** The pending orders of an account and mode, newest first. */
export async function listPendingOrders(
  db: Connection,
  { after_id, limit, ...scope }: PageQuery,
): Promise<Page<BatchOrderRow & { id: string }>> {
  const { readPage } = await import('./paging.ts');
  const processing = db
    .selectFrom('batches')
    .select('id')
    .where(inScope(scope))
    .where('status', '=', 'processing');
  const pending = db
    .selectFrom('batch_orders')
    .selectAll()
    .select('order_id as id')
    .where('batch_id', 'in', processing)
    .where('status', '=', 'pending');
  return readPage(db, limit, [after_id === undefined ? pending : pending.where('order_id', '<', after_id)]);
}

/** The number of pending orders of an account and mode, counted up to a limit. */
export async function countPendingOrders(
  db: Connection,
  { limit, ...scope }: Scope & { limit: number },
): Promise<number> {
  const pending = db
    .selectFrom('batches')
    .innerJoin('batch_orders', 'batch_orders.batch_id', 'batches.id')
    .select('batch_orders.order_id')
    .where('batches.account_id', '=', scope.account_id)
    .where('batches.test_mode', '=', scope.test_mode)
    .where('batches.status', '=', 'processing')
    .where('batch_orders.status', '=', 'pending')
    .limit(limit);
  const { count } = await db
    .selectFrom(pending.as('pending'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Up to 100 pending orders of an account and mode whose next attempt is later than `now`, oldest first. */
export async function ordersBetweenAttempts(
  db: Connection,
  { account_id, test_mode }: Scope,
  now: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('batch_orders')
    .innerJoin('batches', 'batches.id', 'batch_orders.batch_id')
    .select('batch_orders.order_id')
    .where('batches.account_id', '=', account_id)
    .where('batches.test_mode', '=', test_mode)
    .where('batches.status', '=', 'processing')
    .where('batch_orders.status', '=', 'pending')
    .where('batch_orders.next_attempt_at', '>', now)
    .orderBy('batch_orders.order_id')
    .limit(100)
    .execute();
  return rows.map(({ order_id }) => order_id);
}

/** Changes an order that is still pending; false, without a change, if it has ended. */
export async function changePending(
  db: Connection,
  change: { order_id: string; to: BatchOrderChange; now: number },
): Promise<boolean> {
  const changed = await batchOrderRows.change(
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
  if (batch_ids.length === 0) return [];
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

import type { BatchStatus } from '../contract/vocabulary.ts';
import type { BatchRow, Connection, Flag, Scope } from './database.ts';
import type { Page, PageQuery } from './paging.ts';
import type { PreparedQuery } from './prepared-queries.ts';
import { keptRows } from './transaction-rows.ts';

export interface BatchQuery extends PageQuery {
  status?: BatchStatus | undefined;
}

const rows = keptRows<BatchRow>('batches', ({ id }) => id);

const byId = rows.byKey((db, ids) => db.selectFrom('batches').selectAll().where('id', 'in', ids).execute());

const insertBatches = rows.appendBy((db, batches) => db.insertInto('batches').values(batches));

export async function insertBatch(db: Connection, batch: BatchRow): Promise<void> {
  await insertBatches(db, [batch]);
}

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
export const loadBatches = byId.read;

/** For background tasks, which know the id from their own record. */
export async function loadBatch(db: Connection, id: string): Promise<BatchRow | undefined> {
  return byId.readOne(db, id);
}

export async function listBatches(db: Connection, query: BatchQuery): Promise<Page<BatchRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  const batches = db.selectFrom('batches').selectAll().where(pageBounds(query, 'bat_'));
  const { status } = query;
  return readPage(db, query.limit, [status === undefined ? batches : batches.where('status', '=', status)]);
}

/** Completes a batch; false if it was already complete. */
export async function completeBatch(db: Connection, complete: { id: string; now: number }): Promise<boolean> {
  const { id, now } = complete;
  const completed = await rows.change(
    db,
    db
      .updateTable('batches')
      .set({ status: 'complete', completed_at: now, updated_at: now })
      .where('id', '=', id)
      .where('status', '=', 'processing'),
  );
  return completed.length > 0;
}

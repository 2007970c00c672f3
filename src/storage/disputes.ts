import type { DisputeStatus } from '../contract/vocabulary.ts';
import type { Connection, DeliveryRow, DisputeRow, Scope } from './database.ts';
import type { Page, PageQuery } from './paging.ts';

export async function insertDispute(db: Connection, dispute: DisputeRow): Promise<void> {
  await db.insertInto('disputes').values(dispute).execute();
}

/** The dispute of a delivery. */
export async function findDispute(db: Connection, scope: Scope, id: string): Promise<DisputeRow | undefined> {
  return db
    .selectFrom('disputes')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', scope.account_id)
    .where('test_mode', '=', scope.test_mode)
    .executeTakeFirst();
}

/** Whether any of the deliveries has a dispute without an outcome; a dispute has the id of its delivery. */
export async function hasOpenDispute(
  db: Connection,
  deliveries: readonly Pick<DeliveryRow, 'id'>[],
): Promise<boolean> {
  if (deliveries.length === 0) return false;
  const ids = deliveries.map(({ id }) => id);
  const row = await db
    .selectFrom('disputes')
    .select('id')
    .where('id', 'in', ids)
    .where('outcome', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function listDisputes(
  db: Connection,
  query: PageQuery & { status?: DisputeStatus | undefined },
): Promise<Page<DisputeRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  let disputes = db.selectFrom('disputes').selectAll().where(pageBounds(query, 'dlv_'));
  if (query.status !== undefined) {
    disputes = disputes.where('outcome', query.status === 'open' ? 'is' : 'is not', null);
  }
  return readPage(db, query.limit, [disputes]);
}

/** Writes the outcome of an open dispute; false if it is resolved already. */
export async function resolveDispute(
  db: Connection,
  update: Pick<DisputeRow, 'id' | 'outcome' | 'amount' | 'note' | 'resolved_at'>,
): Promise<boolean> {
  const { id, ...change } = update;
  const result = await db
    .updateTable('disputes')
    .set(change)
    .where('id', '=', id)
    .where('outcome', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

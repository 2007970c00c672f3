import type { Connection, TryRow } from './database.ts';
import type { Page, PageQuery } from './paging.ts';

export async function insertTry(db: Connection, row: TryRow): Promise<void> {
  await db.insertInto('tries').values(row).execute();
}

/** The latest attempt for an order. */
export async function latestTry(db: Connection, order_id: string): Promise<TryRow | undefined> {
  return db
    .selectFrom('tries')
    .selectAll()
    .where('order_id', '=', order_id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function listTries(
  db: Connection,
  query: PageQuery & { order_id: string },
): Promise<Page<TryRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  const tries = db.selectFrom('tries').selectAll().where(pageBounds(query, 'try_'));
  return readPage(db, query.limit, [tries.where('order_id', '=', query.order_id)]);
}

export type TryChange = Partial<
  Pick<TryRow, 'status' | 'provider' | 'quote_id' | 'delivery_id' | 'reason' | 'left_out' | 'ended_at'>
>;

/** Changes an attempt that has not ended; false, without a change, if it has. */
export async function changeTry(db: Connection, change: { id: string; to: TryChange }): Promise<boolean> {
  const result = await db
    .updateTable('tries')
    .set(change.to)
    .where('id', '=', change.id)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

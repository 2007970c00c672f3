import { appendedTable } from './collected-inserts.ts';
import type { AttemptRow, Connection } from './database.ts';
import type { Page, PageQuery } from './paging.ts';

const attempts = appendedTable<AttemptRow>((db, rows) => db.insertInto('tries').values(rows).execute());

export async function insertAttempt(db: Connection, row: AttemptRow): Promise<void> {
  await attempts.append(db, [row]);
}

/** The latest attempt for an order. */
export async function latestAttempt(db: Connection, order_id: string): Promise<AttemptRow | undefined> {
  await attempts.flush(db);
  return db
    .selectFrom('tries')
    .selectAll()
    .where('order_id', '=', order_id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function listOrderAttempts(
  db: Connection,
  query: PageQuery & { order_id: string },
): Promise<Page<AttemptRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  const tries = db.selectFrom('tries').selectAll().where(pageBounds(query, 'try_'));
  return readPage(db, query.limit, [tries.where('order_id', '=', query.order_id)]);
}

export type AttemptChange = Partial<
  Pick<AttemptRow, 'status' | 'provider' | 'quote_id' | 'delivery_id' | 'reason' | 'left_out' | 'ended_at'>
>;

/** Changes an attempt that has not ended; false, without a change, if it has. */
export async function changeAttempt(
  db: Connection,
  change: { id: string; to: AttemptChange },
): Promise<boolean> {
  await attempts.flush(db);
  const result = await db
    .updateTable('tries')
    .set(change.to)
    .where('id', '=', change.id)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

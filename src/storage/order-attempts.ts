/**
 * The attempts of auto dispatch to find a courier for an order. Their table is called `tries`, and their ids begin with
 * `try_`: that is their name in the interface.
 */
import type { AttemptRow, Connection } from './database.ts';
import { keptRows } from './kept-rows.ts';
import type { Page, PageQuery } from './paging.ts';

const attemptRows = keptRows<AttemptRow>('tries', ({ id }) => id);

const attemptsByOrder = attemptRows.by(
  ({ order_id }) => order_id,
  (db, order_ids) => db.selectFrom('tries').selectAll().where('order_id', 'in', order_ids).execute(),
);

export const insertAttempt = attemptRows.appendOneBy((db, attempts) =>
  db.insertInto('tries').values(attempts),
);

/** The attempts for orders, oldest first. */
export const attemptsOfOrders = attemptsByOrder.read;

/** The latest attempt for an order. */
export async function latestAttempt(db: Connection, order_id: string): Promise<AttemptRow | undefined> {
  return (await attemptsByOrder.read(db, [order_id])).at(-1);
}

/** The attempt for an order before its latest one. */
export async function attemptBeforeLatest(db: Connection, order_id: string): Promise<AttemptRow | undefined> {
  return (await attemptsByOrder.read(db, [order_id])).at(-2);
}

export async function listOrderAttempts(
  db: Connection,
  query: PageQuery & { order_id: string },
): Promise<Page<AttemptRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  const tries = db.selectFrom('tries').selectAll().where(pageBounds(query, 'try_'));
  return readPage(db, query.limit, [tries.where('order_id', '=', query.order_id)]);
}

type AttemptChange = Partial<
  Pick<AttemptRow, 'status' | 'provider' | 'quote_id' | 'delivery_id' | 'reason' | 'left_out' | 'ended_at'>
>;

/** Changes an attempt that has not ended; false, without a change, if it has. */
export async function changeAttempt(
  db: Connection,
  { id }: Pick<AttemptRow, 'id'>,
  to: AttemptChange,
): Promise<boolean> {
  const changed = await attemptRows.change(
    db,
    db.updateTable('tries').set(to).where('id', '=', id).where('ended_at', 'is', null),
  );
  return changed.length > 0;
}

/** Counts an attempt as a repetition of another one, and deletes it. */
export async function countAsRepeat(
  db: Connection,
  { id, created_at }: Pick<AttemptRow, 'id' | 'created_at'>,
  of: Pick<AttemptRow, 'id'>,
): Promise<void> {
  await attemptRows.remove(db, db.deleteFrom('tries').where('id', '=', id));
  await attemptRows.change(
    db,
    db
      .updateTable('tries')
      .set(({ eb }) => ({ repeats: eb('repeats', '+', 1), last_at: created_at }))
      .where('id', '=', of.id),
  );
}

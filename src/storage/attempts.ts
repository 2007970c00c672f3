import type { AttemptRow, Connection } from './database.ts';
import type { Page, PageQuery } from './paging.ts';
import { keptRows } from './transaction-rows.ts';

const rows = keptRows<AttemptRow>('tries', ({ id }) => id);

const byOrder = rows.by(
  ({ order_id }) => order_id,
  (db, order_ids) => db.selectFrom('tries').selectAll().where('order_id', 'in', order_ids).execute(),
);

const insertAttempts = rows.appendBy((db, attempts) => db.insertInto('tries').values(attempts));

export async function insertAttempt(db: Connection, row: AttemptRow): Promise<void> {
  await insertAttempts(db, [row]);
}

/** The attempts for orders, oldest first. */
export const attemptsOfOrders = byOrder.read;

/** The latest attempt for an order. */
export async function latestAttempt(db: Connection, order_id: string): Promise<AttemptRow | undefined> {
  return (await byOrder.read(db, [order_id])).at(-1);
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
  { id }: Pick<AttemptRow, 'id'>,
  to: AttemptChange,
): Promise<boolean> {
  const changed = await rows.change(
    db,
    db.updateTable('tries').set(to).where('id', '=', id).where('ended_at', 'is', null),
  );
  return changed.length > 0;
}

import { appendedTable } from './collected-inserts.ts';
import type { AttemptRow, Connection } from './database.ts';
import type { Page, PageQuery } from './paging.ts';
import { rowsById } from './transaction-rows.ts';

const attempts = appendedTable<AttemptRow>((db, rows) => db.insertInto('tries').values(rows));

/** The latest attempt of each order: the last that is read, or inserted. */
const latest = rowsById<AttemptRow>(
  ({ order_id }) => order_id,
  async (db, order_ids) => {
    await attempts.flush(db);
    return db.selectFrom('tries').selectAll().where('order_id', 'in', order_ids).orderBy('id').execute();
  },
);

export async function insertAttempt(db: Connection, row: AttemptRow): Promise<void> {
  await attempts.append(db, [row]);
  latest.inserted(db, [row]);
}

/** The latest attempt for each of these orders. */
export const latestAttempts = latest.read;

/** The latest attempt for an order. */
export const latestAttempt = latest.readOne;

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
  { id, order_id }: Pick<AttemptRow, 'id' | 'order_id'>,
  to: AttemptChange,
): Promise<boolean> {
  await attempts.flush(db);
  const result = await db
    .updateTable('tries')
    .set(to)
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) return false;
  latest.changed(db, order_id, (row) => (row.id === id ? to : {}));
  return true;
}

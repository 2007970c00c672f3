import type { Connection, DeliveryNoteRow } from './database.ts';
import type { Page, PageQuery } from './paging.ts';
import type { PreparedQuery } from './prepared-queries.ts';

export async function insertDeliveryNote(db: Connection, note: DeliveryNoteRow): Promise<void> {
  await db.insertInto('delivery_notes').values(note).execute();
}

/** The newest notes of one delivery, newest first. */
export const notesOfDelivery: PreparedQuery<DeliveryNoteRow, [delivery_id: string, count: number]> = {
  name: 'notes of delivery',
  sample: ['delivery', 20],
  query: (db, delivery_id, count) =>
    db
      .selectFrom('delivery_notes')
      .selectAll()
      .where('delivery_id', '=', delivery_id)
      .orderBy('id', 'desc')
      .limit(count),
};

/** The newest notes of each delivery, newest first. */
export async function newestNotes(
  db: Connection,
  delivery_ids: readonly string[],
  count: number,
): Promise<DeliveryNoteRow[]> {
  const ranked = db
    .selectFrom('delivery_notes')
    .selectAll()
    .select(({ fn }) =>
      fn
        .agg<number>('row_number')
        .over((window) => window.partitionBy('delivery_id').orderBy('id', 'desc'))
        .as('rank'),
    )
    .where('delivery_id', 'in', delivery_ids)
    .as('ranked');
  return db
    .selectFrom(ranked)
    .select(['id', 'account_id', 'test_mode', 'delivery_id', 'note', 'tags', 'created_at'])
    .where('rank', '<=', count)
    .orderBy('id', 'desc')
    .execute();
}

/** One page of the notes of a delivery, newest first. */
export async function listDeliveryNotes(
  db: Connection,
  query: PageQuery & { delivery_id: string },
): Promise<Page<DeliveryNoteRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  const notes = db
    .selectFrom('delivery_notes')
    .selectAll()
    .where('delivery_id', '=', query.delivery_id)
    .where(pageBounds(query, 'nte_'));
  return readPage(db, query.limit, [notes]);
}

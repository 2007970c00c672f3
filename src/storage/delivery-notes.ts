import type { Connection, DeliveryNoteRow } from './database.ts';
import type { Page, PageQuery } from './paging.ts';

export async function insertDeliveryNote(db: Connection, note: DeliveryNoteRow): Promise<void> {
  await db.insertInto('delivery_notes').values(note).execute();
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

import type { Insertable } from 'kysely';
import type { DisputeStatus } from '../contract/vocabulary.ts';
import type {
  Connection,
  DeliveryNoteRow,
  DeliveryRow,
  DisputeRow,
  ProofPictureRow,
  ReportRow,
  ReportTable,
  Scope,
} from './database.ts';
import type { Page, PageQuery } from './paging.ts';
import { inScope } from './scope.ts';
import type { PreparedQuery } from './storage.ts';
import { keptRows } from './transaction-rows.ts';

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

/** One page of the notes of a delivery, or of all, newest first; a tag is matched without case. */
export async function listDeliveryNotes(
  db: Connection,
  query: PageQuery & { delivery_id?: string; tag?: string | undefined },
): Promise<Page<DeliveryNoteRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  const { sql } = await import('kysely');
  const { delivery_id, tag } = query;
  let notes = db.selectFrom('delivery_notes').selectAll().where(pageBounds(query, 'nte_'));
  if (delivery_id !== undefined) notes = notes.where('delivery_id', '=', delivery_id);
  if (tag !== undefined) {
    // The tags are a JSON array of texts.
    const pattern = `%${JSON.stringify(tag).replace(/[\\%_]/g, '\\$&')}%`;
    notes = notes.where(sql<boolean>`lower(tags) like lower(${pattern}) escape ${'\\'}`);
  }
  return readPage(db, query.limit, [notes]);
}

export async function insertDispute(db: Connection, dispute: DisputeRow): Promise<void> {
  await db.insertInto('disputes').values(dispute).execute();
}

/** The dispute of a delivery. */
export async function findDispute(db: Connection, scope: Scope, id: string): Promise<DisputeRow | undefined> {
  return db.selectFrom('disputes').selectAll().where('id', '=', id).where(inScope(scope)).executeTakeFirst();
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

export async function insertPicture(db: Connection, picture: ProofPictureRow): Promise<void> {
  await db.insertInto('proof_pictures').values(picture).execute();
}

export async function findPicture(db: Connection, id: string): Promise<ProofPictureRow | undefined> {
  return db.selectFrom('proof_pictures').selectAll().where('id', '=', id).executeTakeFirst();
}

export type NewReport = Omit<Insertable<ReportTable>, 'sequence'>;

/** A report's id is unique for its provider. */
type ReportKey = Pick<ReportRow, 'delivery_id' | 'provider' | 'provider_report_id'>;

const keyOf = ({ delivery_id, provider, provider_report_id }: ReportKey) =>
  JSON.stringify([delivery_id, provider, provider_report_id]);

const rows = keptRows<ReportKey>('reports', keyOf);

const byKey = rows.byKey(async (db, keys) => {
  const parts = keys.map((key) => JSON.parse(key));
  const deliveries = parts.map(([delivery_id]) => String(delivery_id));
  const ids = parts.map(([, , id]) => String(id));
  return db
    .selectFrom('reports')
    .select(['delivery_id', 'provider', 'provider_report_id'])
    .where('delivery_id', 'in', [...new Set(deliveries)])
    .where('provider_report_id', 'in', ids)
    .execute();
});

export const insertReport = rows.appendOneBy<NewReport>((db, reports) =>
  db.insertInto('reports').values(reports),
);

/** Those of the given reports that were already received, in any order. */
export async function knownReports(db: Connection, given: readonly ReportKey[]): Promise<ReportKey[]> {
  return byKey.read(db, given.map(keyOf));
}

/** Whether a provider's report about a delivery was already received. */
export async function isKnownReport(db: Connection, key: ReportKey): Promise<boolean> {
  return (await knownReports(db, [key])).length > 0;
}

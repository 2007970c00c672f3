import type { AuditRow, Connection } from './database.ts';
import type { Page, PageQuery } from './paging.ts';
import { appendTo } from './transaction-rows.ts';

export interface AuditQuery extends PageQuery {
  actor?: AuditRow['actor'] | undefined;
  key_id?: string | undefined;
  operation?: string | undefined;
  record_id?: string | undefined;
  /** Entries of any of these records. */
  record_ids?: readonly string[] | undefined;
}

const insertEntries = appendTo<AuditRow>('audit_entries', (db, rows) =>
  db.insertInto('audit_entries').values(rows),
);

export async function insertAuditEntry(db: Connection, entry: AuditRow): Promise<void> {
  await insertEntries(db, [entry]);
}

export async function listAuditEntries(db: Connection, query: AuditQuery): Promise<Page<AuditRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  const { sql } = await import('kysely');
  const { actor, key_id, operation, record_id, record_ids } = query;
  // A record has few entries: its index is used instead of the account's.
  const isByRecord = record_id !== undefined || record_ids !== undefined;
  const bounds = pageBounds(query, 'aud_', isByRecord ? { account: sql`coalesce(account_id, '')` } : {});
  let found = db.selectFrom('audit_entries').selectAll().where(bounds);
  if (actor !== undefined) found = found.where('actor', '=', actor);
  if (key_id !== undefined) found = found.where('key_id', '=', key_id);
  if (operation !== undefined) found = found.where('operation', '=', operation);
  if (record_id !== undefined) found = found.where('record_id', '=', record_id);
  if (record_ids !== undefined) found = found.where('record_id', 'in', record_ids);
  return readPage(db, query.limit, [found]);
}

/** Deletes the oldest entries created before a time, at most `limit` of them; returns their number. */
export async function deleteOldAuditEntries(
  db: Connection,
  { created_before, limit }: { created_before: number; limit: number },
): Promise<number> {
  const { ulidTime } = await import('./paging.ts');
  const old = db
    .selectFrom('audit_entries')
    .select('id')
    .where('id', '<', `aud_${ulidTime(created_before)}`)
    .orderBy('id')
    .limit(limit);
  const result = await db.deleteFrom('audit_entries').where('id', 'in', old).executeTakeFirst();
  return Number(result.numDeletedRows);
}

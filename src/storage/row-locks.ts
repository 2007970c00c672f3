import { type RawBuilder, sql } from 'kysely';
import type { Connection } from './database.ts';

// PostgreSQL finds conflicts between serializable transactions by the versions of the rows that they read. A claim is
// a statement of its own and writes a new version without taking part in that, so whoever decides by a row that can be
// claimed must lock it. SQLite has one writer at a time and no such clause.

/** Locks the rows of a query until the transaction ends. */
export function forUpdate(db: Connection): RawBuilder<unknown> {
  return canLockRows(db) ? sql`for update` : sql``;
}

/** Locks the rows of a query that nobody else has locked, and leaves out the others. Never waits. */
export function forUpdateSkipLocked(db: Connection): RawBuilder<unknown> {
  return canLockRows(db) ? sql`for update skip locked` : sql``;
}

function canLockRows(db: Connection): boolean {
  return db.getExecutor().adapter.supportsMultipleConnections === true;
}

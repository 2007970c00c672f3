import { type RawBuilder, sql } from 'kysely';
import type { Connection } from './database.ts';
import { canLockRows } from './rows.ts';

// PostgreSQL detects conflicts between serializable transactions by the row versions that they read. A claim is a
// separate statement that writes a new row version outside of this detection, so a transaction that decides by a
// claimable row must lock it. SQLite has one writer at a time and no such clause.

/** Locks the rows of a query until the transaction ends. */
export function forUpdate(db: Connection): RawBuilder<unknown> {
  return canLockRows(db) ? sql`for update` : sql``;
}

/** Keeps the rows of a query from being deleted until the transaction ends; they may be changed. */
export function forKeyShare(db: Connection): RawBuilder<unknown> {
  return canLockRows(db) ? sql`for key share` : sql``;
}

/** Keeps others from changing the rows of a query until the transaction ends; rows that refer to them may be inserted. */
export function forNoKeyUpdate(db: Connection): RawBuilder<unknown> {
  return canLockRows(db) ? sql`for no key update` : sql``;
}

/** Locks the rows of a query that are not locked, and skips the others. Never waits. */
export function forUpdateSkipLocked(db: Connection): RawBuilder<unknown> {
  return canLockRows(db) ? sql`for update skip locked` : sql``;
}

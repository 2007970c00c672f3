import { type RawBuilder, sql } from 'kysely';
import type { Connection } from './database.ts';

/** One status, or one of several. */
export type OneOrMore<Status extends string> = Status | readonly Status[];

export function statuses<Status extends string>(status: OneOrMore<Status>): readonly Status[] {
  return typeof status === 'string' ? [status] : status;
}

/** Whether the engine has several writers at a time, so that a transaction must lock rows it decides by. */
export function canLockRows(db: Connection): boolean {
  return db.getExecutor().adapter.supportsMultipleConnections === true;
}

/** Which rows of a query are locked: all, once they are free, or only those that are free. */
export type Locking = 'none' | 'all' | 'free';

interface LockableQuery<Query> {
  forUpdate: () => Query;
  skipLocked: () => Query;
}

/** Lets a query lock its rows until the transaction ends, on an engine that can. */
export function withLock<Query extends LockableQuery<Query>>(
  query: Query,
  db: Connection,
  locking: Locking,
): Query {
  if (locking === 'none' || !canLockRows(db)) return query;
  return locking === 'all' ? query.forUpdate() : query.forUpdate().skipLocked();
}

const rowsInStatement = 500;

/** Splits rows for inserts that stay below the engines' parameter limits. */
export function chunks<Row>(rows: readonly Row[]): Row[][] {
  const count = Math.ceil(rows.length / rowsInStatement);
  return Array.from({ length: count }, (_, index) =>
    rows.slice(index * rowsInStatement, (index + 1) * rowsInStatement),
  );
}

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

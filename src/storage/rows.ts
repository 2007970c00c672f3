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

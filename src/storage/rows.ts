/**
 * Conditions and limits that the queries of all tables share: the scope of a caller, several values, locks, and long
 * lists of rows. A file that every command loads, as this one, imports no `sql` of kysely, which makes the start of the
 * embedded service longer by a twentieth.
 */
import type { Expression, QueryExecutorProvider, SqlBool } from 'kysely';

/** A boolean as both engines store it. */
export type Flag = 0 | 1;

/** The account and mode whose records a caller may access. */
export interface Scope {
  account_id: string;
  test_mode: Flag;
}

interface Conditions {
  and: (columns: Scope) => Expression<SqlBool>;
}

/** A condition of a query: that a row is of an account and mode. */
export function inScope({ account_id, test_mode }: Scope) {
  return ({ and }: Conditions) => and({ account_id, test_mode });
}

/** One status, or one of several. */
export type OneOrMore<Status extends string> = Status | readonly Status[];

/** Each status once: a list reads its rows by each of them. */
export function statuses<Status extends string>(status: OneOrMore<Status>): readonly Status[] {
  return typeof status === 'string' ? [status] : [...new Set(status)];
}

/** For SQL that only one of the engines understands. */
export function isPostgres(db: QueryExecutorProvider): boolean {
  return db.getExecutor().adapter.supportsMultipleConnections === true;
}

/** Whether the engine has several writers at a time, so that a transaction must lock rows it decides by. */
export function canLockRows(db: QueryExecutorProvider): boolean {
  return isPostgres(db);
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
  db: QueryExecutorProvider,
  locking: Locking,
): Query {
  if (locking === 'none' || !canLockRows(db)) return query;
  return locking === 'all' ? query.forUpdate() : query.forUpdate().skipLocked();
}

const max_rows_in_statement = 500;

/** Splits rows for inserts that stay below the engines' parameter limits. */
export function chunks<Row>(rows: readonly Row[]): Row[][] {
  const count = Math.ceil(rows.length / max_rows_in_statement);
  return Array.from({ length: count }, (_, index) =>
    rows.slice(index * max_rows_in_statement, (index + 1) * max_rows_in_statement),
  );
}

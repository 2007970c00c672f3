/** Row locks, which end with the transaction, and the clock of leases, which outlast it. */
import { type RawBuilder, sql } from 'kysely';
import type { Connection } from './database.ts';
import { canLockRows, type Scope } from './rows.ts';
import type { Storage } from './storage.ts';

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

/** Locks an account: read committed transactions that count its records and then add one run one after the other. */
export async function lockAccount(db: Connection, { account_id }: Pick<Scope, 'account_id'>): Promise<void> {
  const account = db.selectFrom('accounts').select('id').where('id', '=', account_id);
  await account.modifyEnd(forNoKeyUpdate(db)).execute();
}

/** The tables that nearly every use of the service writes. */
const writtenTables = [
  ...['orders', 'routes', 'jobs', 'quotes', 'dispatches', 'deliveries', 'charges', 'events'],
  ...['tasks', 'batches', 'tries', 'idempotency_keys', 'audit_entries', 'search_documents', 'settings'],
];

/**
 * Throws if another session keeps every transaction from writing one of the main tables. On SQLite a transaction that
 * has begun has the only lock.
 */
export async function requireUnlocked(db: Connection): Promise<void> {
  if (!canLockRows(db)) return;
  const tables = sql.join(writtenTables.map((name) => sql.table(name)));
  await sql`lock table ${tables} in row exclusive mode nowait`.execute(db);
}

/** A time in milliseconds since the epoch: a number, or an expression that the database evaluates. */
export type LeaseTime = number | RawBuilder<number>;

/** The clock of the PostgreSQL server, which is the same for all workers. */
function databaseTime(): RawBuilder<number> {
  return sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
}

/** A time shifted by a number of milliseconds. */
export function shifted(instant: LeaseTime, by_ms: number): RawBuilder<number> {
  return sql<number>`(cast(${instant} as bigint) + cast(${by_ms} as bigint))`;
}

/** Whether a time is later than another. */
export async function isLater(db: Connection, instant: number, other: LeaseTime): Promise<boolean> {
  const is_later = sql<number>`case when cast(${instant} as bigint) > cast(${other} as bigint) then 1 else 0 end`;
  const row = await db.selectNoFrom(is_later.as('is_later')).executeTakeFirstOrThrow();
  return row.is_later === 1;
}

/** The current time of the PostgreSQL server. */
export async function readDatabaseTime(db: Connection): Promise<number> {
  const row = await db.selectNoFrom(databaseTime().as('now')).executeTakeFirstOrThrow();
  return row.now;
}

/**
 * The clock of leases: wall time for a database file, which the processes of one machine share; the server's time for
 * PostgreSQL, because the clocks of workers may differ by more than a lease.
 */
export function leaseTime({
  storage,
  wall,
}: {
  storage: Pick<Storage, 'engine'>;
  wall: { now(): number };
}): LeaseTime {
  return storage.engine === 'postgres' ? databaseTime() : wall.now();
}

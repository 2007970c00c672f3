import { sql } from 'kysely';
import type { Connection } from './database.ts';
import { latestPosition } from './events.ts';

// PostgreSQL gives positions when events are written, and shows them when their transactions end: a later position may
// be seen before an earlier one. What is read in order is read up to where no transaction is under way any more. One
// that tells of something has changed it before, and so has its number before its event has a position.

/** An end of the log, and what must be over before all up to there is seen. */
export interface LogEnd {
  position: number;
  /** The number of a transaction that began when it was the end: all that were under way then have smaller ones. */
  transaction_id: number;
}

/** The end of the log as it is seen now. On PostgreSQL alone. */
export async function seenEnd(db: Connection): Promise<LogEnd> {
  const transaction_id = sql<number>`pg_current_xact_id()::text::bigint`.as('transaction_id');
  const row = await db
    .selectFrom('events')
    .select(({ fn }) => [fn.max<number | null>('position').as('position'), transaction_id])
    .executeTakeFirstOrThrow();
  return { position: row.position ?? 0, transaction_id: row.transaction_id };
}

/** Whether all that was under way at an end of the log is over. On PostgreSQL alone. */
export async function isOver(db: Connection, end: LogEnd): Promise<boolean> {
  const oldest = sql<number>`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`.as('oldest');
  const row = await db.selectNoFrom(oldest).executeTakeFirstOrThrow();
  return row.oldest > end.transaction_id;
}

/** Whether the log has grown behind a position. */
export async function hasGrown(db: Connection, position: number): Promise<boolean> {
  return (await latestPosition(db)) > position;
}

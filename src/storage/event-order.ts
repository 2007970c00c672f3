import { sql } from 'kysely';
import type { Connection } from './database.ts';
import { latestPosition } from './events.ts';

// PostgreSQL assigns positions when events are written, and makes events visible when their transactions end: a later
// position may be visible before an earlier one. Readers in order therefore stop at the first position that a running
// transaction may still fill. A transaction that publishes an event changes a record first, so it has its transaction
// id before the event has its position.

/** An end of the log, and the transaction that must be over before everything up to it is visible. */
export interface LogEnd {
  position: number;
  /** The id of a transaction started at that end: all that were running then have smaller ids. */
  transaction_id: number;
}

/** The end of the log as visible now. PostgreSQL only. */
export async function visibleEnd(db: Connection): Promise<LogEnd> {
  const transaction_id = sql<number>`pg_current_xact_id()::text::bigint`.as('transaction_id');
  const row = await db
    .selectFrom('events')
    .select(({ fn }) => [fn.max<number | null>('position').as('position'), transaction_id])
    .executeTakeFirstOrThrow();
  return { position: row.position ?? 0, transaction_id: row.transaction_id };
}

/** Whether all transactions that were running at an end of the log are over. PostgreSQL only. */
export async function isOver(db: Connection, end: LogEnd): Promise<boolean> {
  const oldest = sql<number>`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`.as('oldest');
  const row = await db.selectNoFrom(oldest).executeTakeFirstOrThrow();
  return row.oldest > end.transaction_id;
}

/** Whether the log has events after a position. */
export async function hasGrown(db: Connection, position: number): Promise<boolean> {
  return (await latestPosition(db)) > position;
}

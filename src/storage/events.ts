import type { Insertable } from 'kysely';
import type { Connection, EventRow, EventTable, Scope } from './database.ts';

export type NewEvent = Omit<Insertable<EventTable>, 'position'>;

export async function insertEvent(db: Connection, event: NewEvent): Promise<void> {
  await db.insertInto('events').values(event).execute();
}

/** How far the log has come; 0 while it is empty. */
export async function latestPosition(db: Connection): Promise<number> {
  const row = await db
    .selectFrom('events')
    .select(({ fn }) => fn.max<number | null>('position').as('position'))
    .executeTakeFirst();
  return row?.position ?? 0;
}

/** An account's events written after a position, in their order. */
export async function eventsAfter(db: Connection, scope: Scope, position: number): Promise<EventRow[]> {
  return db
    .selectFrom('events')
    .selectAll()
    .where('account_id', '=', scope.account_id)
    .where('test_mode', '=', scope.test_mode)
    .where('position', '>', position)
    .orderBy('position')
    .execute();
}

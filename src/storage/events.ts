import type { EventType } from '../contract/vocabulary.ts';
import type { Connection, EventRow, Scope } from './database.ts';
import type { Page } from './paging.ts';
import { chunks } from './rows.ts';

export type NewEvent = Omit<EventRow, 'position'>;

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

/** An account's events, or some of them. */
interface Narrowed extends Scope {
  delivery_id?: string | undefined;
  batch_id?: string | undefined;
  /** In milliseconds, inclusive. */
  since?: number | undefined;
}

export interface EventQuery extends Narrowed {
  limit: number;
  /** The event after which the page begins. */
  after_id?: string | undefined;
  types?: readonly EventType[] | undefined;
  /** Types that are given only where they are asked for; absent: none. */
  unasked?: readonly EventType[];
}

/** One page of an account's events, the last written first. */
export async function listEvents(db: Connection, query: EventQuery): Promise<Page<ToldEvent>> {
  const { types, limit, after_id, unasked = [] } = query;
  let events = told(db, query)
    .orderBy('events.position', 'desc')
    .limit(limit + 1);
  if (types !== undefined) events = events.where('events.type', 'in', types);
  else if (unasked.length > 0) events = events.where('events.type', 'not in', unasked);
  if (after_id !== undefined) {
    const place = db.selectFrom('events').select('position').where('id', '=', after_id);
    events = events.where('events.position', '<', place);
  }
  const rows = await events.execute();
  return { rows: rows.slice(0, limit), has_more: rows.length > limit };
}

export async function findEvent(db: Connection, scope: Scope, id: string): Promise<ToldEvent | undefined> {
  return told(db, scope).where('events.id', '=', id).executeTakeFirst();
}

/** An event with the secret of its delivery's tracking link, which the log does not hold. */
export type ToldEvent = EventRow & { tracking_token: string | null };

function withTracking(db: Connection) {
  return db
    .selectFrom('events')
    .leftJoin('deliveries', 'deliveries.id', 'events.delivery_id')
    .selectAll('events')
    .select('deliveries.tracking_token');
}

function told(db: Connection, { account_id, test_mode, delivery_id, batch_id, since }: Narrowed) {
  // Those of a delivery or a batch are few, and are found by its index: not by that of all the account's.
  const isOfOne = delivery_id !== undefined || batch_id !== undefined;
  let events = withTracking(db)
    .where(({ eb, fn, ref, val }) =>
      eb(isOfOne ? fn.coalesce('events.account_id', val('')) : ref('events.account_id'), '=', account_id),
    )
    .where('events.test_mode', '=', test_mode);
  if (delivery_id !== undefined) events = events.where('events.delivery_id', '=', delivery_id);
  if (batch_id !== undefined) events = events.where('events.batch_id', '=', batch_id);
  return since === undefined ? events : events.where('events.created_at', '>=', since);
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

export interface Followed extends Narrowed {
  /** Only what was written after it. */
  position: number;
  limit: number;
  /** None: all that are not told by name only. */
  types: readonly EventType[];
  /** Nothing that is written later comes before it. */
  until: number;
}

/** The events that follow a place in the log, in order, up to another. */
export async function eventsBehind(db: Connection, followed: Followed): Promise<ToldEvent[]> {
  const { position, limit, types, until } = followed;
  return told(db, followed)
    .where('events.position', '>', position)
    .where('events.position', '<=', until)
    .where('events.type', 'in', types)
    .orderBy('events.position')
    .limit(limit)
    .execute();
}

/** The place in the log before the first event of an instant or later, by service time; its end where there is none. */
export async function positionBefore(db: Connection, scope: Scope, since: number): Promise<number> {
  const row = await db
    .selectFrom('events')
    .select(({ fn }) => fn.min<number | null>('position').as('position'))
    .where('account_id', '=', scope.account_id)
    .where('test_mode', '=', scope.test_mode)
    .where('created_at', '>=', since)
    .executeTakeFirst();
  return row?.position === null || row === undefined ? latestPosition(db) : row.position - 1;
}

/** Events by their ids, in no order. */
export async function findEvents(db: Connection, ids: readonly string[]): Promise<ToldEvent[]> {
  const found: ToldEvent[] = [];
  for (const some of chunks(ids)) {
    found.push(...(await withTracking(db).where('events.id', 'in', some).execute()));
  }
  return found;
}

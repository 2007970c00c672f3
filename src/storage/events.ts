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
export async function listEvents(db: Connection, query: EventQuery): Promise<Page<LoggedEvent>> {
  const { types, limit } = query;
  // Of several types each is read by its index: one of them may be rare.
  const parts = types === undefined || isOfOne(query) ? [types] : types.map((type) => [type]);
  const [first, ...others] = parts.map((part) =>
    db.selectFrom(newest(db, { ...query, types: part }).as('part')).select('position'),
  );
  if (first === undefined) return { rows: [], has_more: false };
  const rows = await withTracking(db)
    .where('events.position', 'in', first.unionAll(others))
    .orderBy('events.position', 'desc')
    .limit(limit + 1)
    .execute();
  return { rows: rows.slice(0, limit), has_more: rows.length > limit };
}

/** The places of the newest events that are wanted, one more than a page holds. */
function newest(db: Connection, query: EventQuery) {
  const { types, limit, after_id, since, unasked = [] } = query;
  let events = narrowed(db, query)
    .orderBy('position', 'desc')
    .limit(limit + 1);
  if (types !== undefined) events = events.where('type', 'in', types);
  else if (unasked.length > 0) events = events.where('type', 'not in', unasked);
  if (after_id !== undefined) {
    const place = db.selectFrom('events').select('position').where('id', '=', after_id);
    events = events.where('position', '<', place);
  }
  if (since === undefined || isOfOne(query)) return events;
  return events.where('position', '>=', firstSince(db, query, since));
}

/** Up to so many events of an instant and later are looked at for the first place that one of them has. */
const narrow = 1_000;

/** That place, lest the whole log be read where they fill no page; 0 where they are more, and null where there is none. */
export function firstSince(db: Connection, scope: Scope, since: number) {
  const some = narrowed(db, { account_id: scope.account_id, test_mode: scope.test_mode, since })
    .orderBy('created_at')
    .limit(narrow + 1)
    .as('some');
  return db
    .selectFrom(some)
    .select(({ eb, fn, lit }) =>
      eb
        .case()
        .when(fn.countAll<number>(), '>', lit(narrow))
        .then(lit(0))
        .else(fn.min<number | null>('position'))
        .end()
        .as('position'),
    );
}

export async function findEvent(db: Connection, scope: Scope, id: string): Promise<LoggedEvent | undefined> {
  const { account_id, test_mode } = scope;
  return withTracking(db)
    .where('events.id', '=', id)
    .where('events.account_id', '=', account_id)
    .where('events.test_mode', '=', test_mode)
    .executeTakeFirst();
}

/** An event with the secret of its delivery's tracking link, which the log does not hold. */
export type LoggedEvent = EventRow & { tracking_token: string | null };

function withTracking(db: Connection) {
  return db
    .selectFrom('events')
    .leftJoin('deliveries', 'deliveries.id', 'events.delivery_id')
    .selectAll('events')
    .select('deliveries.tracking_token');
}

/** Those of a delivery or a batch are few, and are found by its index: not by that of all the account's. */
function isOfOne({ delivery_id, batch_id }: Narrowed): boolean {
  return delivery_id !== undefined || batch_id !== undefined;
}

/** The places of an account's events, or of some of them. */
function narrowed(db: Connection, wanted: Narrowed) {
  const { account_id, test_mode, delivery_id, batch_id, since } = wanted;
  let events = db
    .selectFrom('events')
    .select('position')
    .where(({ eb, fn, ref, val }) =>
      eb(isOfOne(wanted) ? fn.coalesce('account_id', val('')) : ref('account_id'), '=', account_id),
    )
    .where('test_mode', '=', test_mode);
  if (delivery_id !== undefined) events = events.where('delivery_id', '=', delivery_id);
  if (batch_id !== undefined) events = events.where('batch_id', '=', batch_id);
  return since === undefined ? events : events.where('created_at', '>=', since);
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
export async function eventsBehind(db: Connection, followed: Followed): Promise<LoggedEvent[]> {
  const { position, limit, types, until } = followed;
  const places = narrowed(db, followed)
    .where('position', '>', position)
    .where('position', '<=', until)
    .where('type', 'in', types)
    .orderBy('position')
    .limit(limit);
  return withTracking(db).where('events.position', 'in', places).orderBy('events.position').execute();
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
export async function findEvents(db: Connection, ids: readonly string[]): Promise<LoggedEvent[]> {
  const found: LoggedEvent[] = [];
  for (const some of chunks(ids)) {
    found.push(...(await withTracking(db).where('events.id', 'in', some).execute()));
  }
  return found;
}

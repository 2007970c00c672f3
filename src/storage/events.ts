/** The event log: appending, pages for readers of the API, and reading in order for streams and webhooks. */
import type { RawBuilder, SqlBool } from 'kysely';
import type { EventType } from '../contract/vocabulary.ts';
import type { Connection, EventRow, Scope } from './database.ts';
import { packJson, unpackJson } from './event-codec.ts';
import { keptAnswer } from './kept-rows.ts';
import type { Page } from './paging.ts';
import { chunks, inScope } from './rows.ts';
import { appendTo } from './transactions.ts';

export type NewEvent = Omit<EventRow, 'position'>;

const insertEvents = appendTo<Omit<NewEvent, 'data'> & { data: Uint8Array }>(
  'events',
  (db, rows) => db.insertInto('events').values(rows),
  { isLog: true },
);

/** Appends an event to the log. */
export async function insertEvent(db: Connection, event: NewEvent): Promise<void> {
  await insertEvents(db, [{ ...event, data: packJson(event.data) }]);
}

/** The position of the last event; 0 if absent. */
export async function latestPosition(db: Connection): Promise<number> {
  const row = await db
    .selectFrom('events')
    .select(({ fn }) => fn.max<number | null>('position').as('position'))
    .executeTakeFirst();
  return row?.position ?? 0;
}

/** An event with what the log does not contain: the secret of its delivery's tracking link, and its promised time. */
export type LoggedEvent = EventRow & { tracking_token: string | null; promised_at: number | null };

/** A subset of an account's events. */
interface EventFilter extends Scope {
  delivery_id?: string | undefined;
  batch_id?: string | undefined;
  /** In milliseconds, inclusive. */
  since?: number | undefined;
}

export interface EventQuery extends EventFilter {
  limit: number;
  /** The event after which the page starts. */
  after_id?: string | undefined;
  types?: readonly EventType[] | undefined;
  /** Types that are left out unless `types` names them. */
  left_out?: readonly EventType[];
}

/** One page of an account's events, newest first. */
export async function listEvents(db: Connection, query: EventQuery): Promise<Page<LoggedEvent>> {
  const { types, limit } = query;
  // Several types are read separately by their index, because one of them may be rare.
  const parts = types === undefined || isOfOne(query) ? [types] : types.map((type) => [type]);
  const isRare = await rareCondition();
  const [first, ...others] = parts.map((part) =>
    db.selectFrom(newest(db, { ...query, types: part }, isRare).as('part')).select('position'),
  );
  if (first === undefined) return { rows: [], has_more: false };
  const rows = await withTracking(db)
    .where('events.position', 'in', first.unionAll(others))
    .orderBy('events.position', 'desc')
    .limit(limit + 1)
    .execute();
  return { rows: rows.slice(0, limit).map(unpacked), has_more: rows.length > limit };
}

/** The positions of the newest matching events, one more than a page holds. */
function newest(db: Connection, query: EventQuery, isRare: RawBuilder<SqlBool>) {
  const { types, limit, after_id, since, left_out = [] } = query;
  let events = filterEvents(db, query)
    .orderBy('position', 'desc')
    .limit(limit + 1);
  if (types !== undefined) events = events.where('type', 'in', types);
  else if (left_out.length > 0) events = events.where('type', 'not in', left_out);
  if (isOfRareType(types)) events = events.where(isRare);
  if (after_id !== undefined) {
    const place = db.selectFrom('events').select('position').where('id', '=', after_id);
    events = events.where('position', '<', place);
  }
  if (since === undefined || isOfOne(query)) return events;
  return events.where('position', '>=', firstSince(db, query, since));
}

/** The condition of the index of types, as text: the type that the newest events have most often is not in it. */
async function rareCondition(): Promise<RawBuilder<SqlBool>> {
  const { sql } = await import('kysely');
  return sql<SqlBool>`type <> 'delivery.updated'`;
}

/** Whether events of a single type are wanted that the index of types has. */
function isOfRareType(types: readonly EventType[] = []): boolean {
  return types.length === 1 && types[0] !== 'delivery.updated';
}

/** The most events at or after a time that are searched for their first position. */
const max_searched = 1_000;

/**
 * The first position at or after a time, so that a short page does not read the whole log; 0 if there are more events
 * than the maximum; null if absent.
 */
export function firstSince(db: Connection, scope: Scope, since: number) {
  const some = filterEvents(db, { account_id: scope.account_id, test_mode: scope.test_mode, since })
    .orderBy('created_at')
    .limit(max_searched + 1)
    .as('some');
  return db
    .selectFrom(some)
    .select(({ eb, fn, lit }) =>
      eb
        .case()
        .when(fn.countAll<number>(), '>', lit(max_searched))
        .then(lit(0))
        .else(fn.min<number | null>('position'))
        .end()
        .as('position'),
    );
}

export async function findEvent(db: Connection, scope: Scope, id: string): Promise<LoggedEvent | undefined> {
  const { account_id, test_mode } = scope;
  const row = await withTracking(db)
    .where('events.id', '=', id)
    .where('events.account_id', '=', account_id)
    .where('events.test_mode', '=', test_mode)
    .executeTakeFirst();
  return row === undefined ? undefined : unpacked(row);
}

function unpacked<Row extends { data: Uint8Array }>(row: Row): Omit<Row, 'data'> & { data: string } {
  return { ...row, data: unpackJson(row.data) };
}

function withTracking(db: Connection) {
  return db
    .selectFrom('events')
    .leftJoin('deliveries', 'deliveries.id', 'events.delivery_id')
    .selectAll('events')
    .select(['deliveries.tracking_token', 'deliveries.promised_at']);
}

/** Whether a filter is by a delivery or batch, which has few events: its index is used instead of the account's. */
function isOfOne({ delivery_id, batch_id }: EventFilter): boolean {
  return delivery_id !== undefined || batch_id !== undefined;
}

/** The positions of an account's events, filtered. */
function filterEvents(db: Connection, wanted: EventFilter) {
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

/** An account's events after a position, in order. */
export async function eventsAfter(db: Connection, scope: Scope, position: number): Promise<EventRow[]> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where(inScope(scope))
    .where('position', '>', position)
    .orderBy('position')
    .execute();
  return rows.map(unpacked);
}

interface Followed extends EventFilter {
  /** Exclusive lower bound. */
  position: number;
  limit: number;
  types: readonly EventType[];
  /** Inclusive upper bound; no event is written below it anymore. */
  until: number;
}

/** The events after a position in the log, in order, up to another position. */
export async function eventsBetween(db: Connection, followed: Followed): Promise<LoggedEvent[]> {
  const { position, limit, types, until } = followed;
  let places = filterEvents(db, followed)
    .where('position', '>', position)
    .where('position', '<=', until)
    .where('type', 'in', types)
    .orderBy('position')
    .limit(limit);
  if (isOfRareType(types)) places = places.where(await rareCondition());
  const rows = await withTracking(db)
    .where('events.position', 'in', places)
    .orderBy('events.position')
    .execute();
  return rows.map(unpacked);
}

/** The position before the first event at or after a service time; the end of the log if there is none. */
export async function positionBefore(db: Connection, scope: Scope, since: number): Promise<number> {
  const row = await db
    .selectFrom('events')
    .select(({ fn }) => fn.min<number | null>('position').as('position'))
    .where(inScope(scope))
    .where('created_at', '>=', since)
    .executeTakeFirst();
  return row?.position === null || row === undefined ? latestPosition(db) : row.position - 1;
}

/** Events by id, unordered. */
export async function findEvents(db: Connection, ids: readonly string[]): Promise<LoggedEvent[]> {
  const found: LoggedEvent[] = [];
  for (const some of chunks(ids)) {
    const rows = await withTracking(db).where('events.id', 'in', some).execute();
    found.push(...rows.map(unpacked));
  }
  return found;
}

/** A subscription to an event type by name. */
interface LocationSubscription extends Scope {
  type: string;
  /** The setting that stores the wall time until which the stream is followed. */
  key: string;
  /** The current wall time; without it, any stored value counts. */
  wall_now?: string;
}

/** Whether an enabled endpoint subscribes to a type by name, or a stream follows it, in one statement. */
export const isSubscribedOrFollowed = keptAnswer(
  ['settings', 'webhook_endpoints'],
  async (db, asked: LocationSubscription) =>
    (await subscriptionQuery(db, asked).executeTakeFirst()) !== undefined,
);

function subscriptionQuery(db: Connection, asked: LocationSubscription) {
  const { type, key, wall_now = '' } = asked;
  const endpoints = db
    .selectFrom('webhook_endpoints')
    .select('id as asker')
    .where(inScope(asked))
    .where('status', '=', 'enabled')
    .where('events', 'like', `%"${type}"%`);
  return db
    .selectFrom('settings')
    .select('key as asker')
    .where('key', '=', key)
    .where('value', '>', wall_now)
    .unionAll(endpoints)
    .limit(1);
}

/** Deletes followers that have expired at a wall time. */
export async function deleteExpiredFollowers(db: Connection, key: string, wall_now: string): Promise<void> {
  await db.deleteFrom('settings').where('key', '=', key).where('value', '<=', wall_now).execute();
}

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
  const { sql } = await import('kysely');
  const transaction_id = sql<number>`pg_current_xact_id()::text::bigint`.as('transaction_id');
  const row = await db
    .selectFrom('events')
    .select(({ fn }) => [fn.max<number | null>('position').as('position'), transaction_id])
    .executeTakeFirstOrThrow();
  return { position: row.position ?? 0, transaction_id: row.transaction_id };
}

/** Whether all transactions that were running at an end of the log are over. PostgreSQL only. */
export async function transactionsAreOver(db: Connection, end: LogEnd): Promise<boolean> {
  const { sql } = await import('kysely');
  const oldest = sql<number>`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`.as('oldest');
  const row = await db.selectNoFrom(oldest).executeTakeFirstOrThrow();
  return row.oldest > end.transaction_id;
}

/** Whether the log has events after a position. */
export async function hasGrown(db: Connection, position: number): Promise<boolean> {
  return (await latestPosition(db)) > position;
}

/** Deletes old rows, a few at a time, and all data of an account's test mode. */
import { type RawBuilder, sql } from 'kysely';
import type { Connection, Scope } from './database.ts';
import { inScope } from './rows.ts';
import { readSetting, writeSetting } from './settings.ts';

/** The rows to delete in one transaction: those before a time, at most `limit`. */
export interface OldRows {
  /** In milliseconds since the epoch: rows from this time on are kept. */
  before: number;
  limit: number;
}

/** How many pictures are read at once: each is half a megabyte at most. */
const pictures_at_once = 20;

/**
 * Counts the size of pictures that an earlier version stored, and deletes those that no delivery names: it stored them
 * before it was known whether a handover took place. Returns whether some may be left.
 */
export async function weighPictures(db: Connection, scope: Scope): Promise<boolean> {
  const pictures = await db
    .selectFrom('proof_pictures')
    .leftJoin('deliveries', 'deliveries.id', 'proof_pictures.delivery_id')
    .select(['proof_pictures.id', 'proof_pictures.data', 'deliveries.record'])
    .where('proof_pictures.account_id', '=', scope.account_id)
    .where('proof_pictures.test_mode', '=', scope.test_mode)
    .where('bytes', '=', 0)
    .limit(pictures_at_once)
    .execute();
  for (const { id, data, record } of pictures) {
    if (record?.includes(`/proofs/${id}`) !== true)
      await db.deleteFrom('proof_pictures').where('id', '=', id).execute();
    else await db.updateTable('proof_pictures').set({ bytes: data.length }).where('id', '=', id).execute();
  }
  return pictures.length === pictures_at_once;
}

/**
 * Deletes the oldest events of a scope, with the records of their webhooks, and returns their number. Events that an
 * endpoint is still to receive are kept.
 */
export async function deleteOldEvents(
  db: Connection,
  { before, limit, ...scope }: Scope & OldRows,
): Promise<number> {
  const old = await db
    .selectFrom('events')
    .select(['position', 'id'])
    .where(inScope(scope))
    .where('created_at', '<', before)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('webhook_messages')
            .select('sequence')
            .whereRef('webhook_messages.event_id', '=', 'events.id')
            .where('webhook_messages.status', '=', 'pending'),
        ),
      ),
    )
    .orderBy('created_at')
    .orderBy('position')
    .limit(limit)
    .execute();
  if (old.length === 0) return 0;
  const ids = old.map(({ id }) => id);
  await db.deleteFrom('webhook_messages').where('event_id', 'in', ids).execute();
  const positions = old.map(({ position }) => position);
  await db.deleteFrom('events').where('position', 'in', positions).execute();
  return old.length;
}

/** Deletes the oldest attempts to send webhooks to an endpoint, and returns their number. */
export async function deleteOldAttempts(
  db: Connection,
  { endpoint_id, before, limit }: OldRows & { endpoint_id: string },
): Promise<number> {
  const oldest = await db
    .selectFrom('webhook_attempts')
    .select(['sequence', 'created_at'])
    .where('endpoint_id', '=', endpoint_id)
    .orderBy('sequence')
    .limit(limit)
    .execute();
  const old = oldest.filter(({ created_at }) => created_at < before).map(({ sequence }) => sequence);
  if (old.length > 0) await db.deleteFrom('webhook_attempts').where('sequence', 'in', old).execute();
  return old.length;
}

/** The webhook endpoints of a scope. */
export async function endpointIdsOf(db: Connection, scope: Scope): Promise<string[]> {
  const rows = await db.selectFrom('webhook_endpoints').select('id').where(inScope(scope)).execute();
  return rows.map(({ id }) => id);
}

/** The rows of one kind: how many a cleaning would delete, and how many it has looked at. */
export interface OldCount {
  kind: string;
  old: number;
  total: number;
}

/** The times before which the rows of each kind are old, in milliseconds since the epoch. */
export interface OldLimits {
  events: number;
  attempts: number;
  reports: number;
  quotes: number;
  audit: number;
  places: number;
  /** Null: the data of people is kept however old it is. */
  people: number | null;
  keys: number;
}

// Reports and quotes are kept in part, so each pass continues where the last one ended: at the row that a setting names.

const report_mark = 'cleared_reports';

/** Quotes of routes (`rq_`), or of single deliveries (`quo_`). */
type QuotePrefix = 'rq_' | 'quo_';

/** Counts what is older than the limits, by kind. Reads whole tables. */
export async function countOldRows(db: Connection, limits: OldLimits): Promise<OldCount[]> {
  const quotesFrom = async (prefix: QuotePrefix) => {
    const last = (await readSetting(db, quoteMark(prefix))) ?? prefix;
    return sql`select created_at as at from quotes where id > ${last} and id like ${`${prefix}%`}`;
  };
  const cleared = Number((await readSetting(db, report_mark)) ?? 0);
  const sources: [kind: string, before: number | null, rows: RawBuilder<unknown>[]][] = [
    ['events', limits.events, [sql`select created_at as at from events`]],
    ['attempts', limits.attempts, [sql`select created_at as at from webhook_attempts`]],
    [
      'reports',
      limits.reports,
      [
        sql`select received_at as at from reports where sequence > ${cleared}`,
        sql`select received_at as at from driver_taps`,
      ],
    ],
    ['quotes', limits.quotes, [await quotesFrom('rq_'), await quotesFrom('quo_')]],
    ['audit', limits.audit, [sql`select created_at as at from audit_entries`]],
    ['places', limits.places, [sql`select found_at as at from geocoded_places`]],
    [
      'people',
      limits.people,
      [
        sql`select ended_at as at from deliveries where ended_at is not null and erased_at is null`,
        sql`select updated_at as at from orders where delivery_id is null and erased_at is null
          and status in ('unfulfilled', 'failed', 'canceled')`,
      ],
    ],
    ['keys', limits.keys, [sql`select created_at as at from idempotency_keys`]],
  ];
  const counts: OldCount[] = [];
  for (const [kind, before, rows] of sources)
    if (before !== null) counts.push({ kind, ...(await countBefore(db, before, rows)) });
  return counts;
}

/** How many rows of several queries there are, and how many of them have a time (`at`) before one. */
async function countBefore(
  db: Connection,
  before: number,
  queries: readonly RawBuilder<unknown>[],
): Promise<Omit<OldCount, 'kind'>> {
  const { rows } = await sql<{ old: number | string | null; total: number | string }>`
    select sum(case when at < ${before} then 1 else 0 end) as old, count(*) as total
    from (${sql.join(queries, sql` union all `)}) as counted`.execute(db);
  return { old: Number(rows[0]?.old ?? 0), total: Number(rows[0]?.total ?? 0) };
}

/** When the newest row was written whose time is that of a wall clock; null in a database without one. */
export async function latestWrite(db: Connection): Promise<number | null> {
  const { rows } = await sql<{ at: number | null }>`
    select max(at) as at from (
      select max(created_at) as at from accounts
      union all select max(created_at) as at from idempotency_keys
      union all select created_at as at from (select created_at from audit_entries order by id desc limit 1) as newest
    ) as times
  `.execute(db);
  return rows[0]?.at ?? null;
}

const quoteMark = (prefix: QuotePrefix) => `deleted_quotes_${prefix}`;

/**
 * Deletes the requests of couriers from old reports; returns how many reports were read. The clock of test mode is ahead by
 * `test_ahead_ms`: a report of it must not keep those of live mode that were received after it.
 */
export async function clearOldReports(
  db: Connection,
  { before, test_ahead_ms, limit }: OldRows & { test_ahead_ms: number },
): Promise<number> {
  const read = await db
    .selectFrom('reports')
    .leftJoin('deliveries', 'deliveries.id', 'reports.delivery_id')
    .select(['sequence', 'received_at', 'test_mode'])
    .where('sequence', '>', Number((await readSetting(db, report_mark)) ?? 0))
    .orderBy('sequence')
    .limit(limit)
    .execute();
  const young = read.findIndex(
    ({ received_at, test_mode }) => received_at - (test_mode === 1 ? test_ahead_ms : 0) >= before,
  );
  const old = (young === -1 ? read : read.slice(0, young)).map(({ sequence }) => sequence);
  const last = old.at(-1);
  if (last === undefined) return 0;
  await db.updateTable('reports').set({ raw: null }).where('sequence', 'in', old).execute();
  await writeSetting(db, report_mark, String(last));
  return old.length;
}

/** Deletes old quotes that were not dispatched; returns how many quotes were read. */
export async function deleteUnusedQuotes(
  db: Connection,
  { prefix, before, limit }: OldRows & { prefix: QuotePrefix },
): Promise<number> {
  const { ulidTime } = await import('./paging.ts');
  const mark = quoteMark(prefix);
  const old = await db
    .selectFrom('quotes')
    .select(['id', 'route_id'])
    .where('id', '>', (await readSetting(db, mark)) ?? prefix)
    .where('id', '<', prefix + ulidTime(before))
    .orderBy('id')
    .limit(limit)
    .execute();
  const last = old.at(-1);
  if (last === undefined) return 0;
  const ids = old.map(({ id }) => id);
  const routes = [...new Set(old.map(({ route_id }) => route_id))];
  const dispatched = await db
    .selectFrom('dispatches')
    .select('quote_id')
    // Routes have an index; a single delivery gets its route after the quote.
    .where((where) => (prefix === 'rq_' ? where('route_id', 'in', routes) : where('quote_id', 'in', ids)))
    .execute();
  const kept = new Set(dispatched.map(({ quote_id }) => quote_id));
  const unused = ids.filter((id) => !kept.has(id));
  if (unused.length > 0) await db.deleteFrom('quotes').where('id', 'in', unused).execute();
  await writeSetting(db, mark, last.id);
  return old.length;
}

/**
 * Deletes all records of an account's test mode and their tasks; keeps the API keys, their audit entries, and one
 * idempotency key. Returns the number of deleted deliveries.
 */
export async function deleteTestRecords(
  db: Connection,
  account_id: string,
  kept_key: string,
): Promise<number> {
  const scope: Scope = { account_id, test_mode: 1 };
  await deleteTasks(db, scope);
  await deleteQuotes(db, scope);
  const routes = idsOf(db, 'routes', scope);
  const deliveries = idsOf(db, 'deliveries', scope);
  await db
    .deleteFrom('courier_entries')
    .where('reference', 'in', db.selectFrom('dispatches').select('id').where('route_id', 'in', routes))
    .execute();
  await db.deleteFrom('dispatches').where('route_id', 'in', routes).execute();
  await db
    .deleteFrom('batch_orders')
    .where('order_id', 'in', idsOf(db, 'orders', scope))
    .execute();
  await db.deleteFrom('reports').where('delivery_id', 'in', deliveries).execute();
  for (const table of ['driver_taps', 'driver_pushes'] as const) {
    await db
      .deleteFrom(table)
      .where('driver_id', 'in', idsOf(db, 'drivers', scope))
      .execute();
  }
  for (const table of [
    'failed_tasks',
    'search_documents',
    'charges',
    'disputes',
    'delivery_notes',
    'webhook_messages',
    'webhook_attempts',
    'events',
    'stores',
    'courier_bookings',
    'driver_assignments',
    'proof_pictures',
    'drivers',
    'tries',
    'batches',
    'orders',
    'routes',
  ] as const) {
    await db.deleteFrom(table).where(inScope(scope)).execute();
  }
  await db.deleteFrom('idempotency_keys').where(inScope(scope)).where('key', '!=', kept_key).execute();
  const result = await db.deleteFrom('deliveries').where(inScope(scope)).executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Deletes the tasks of a scope; a worker that runs one loses its claim, and so writes nothing. */
async function deleteTasks(db: Connection, scope: Scope): Promise<void> {
  for (const table of ['orders', 'routes', 'deliveries', 'batches', 'drivers'] as const) {
    await db
      .deleteFrom('tasks')
      .where('subject', 'in', idsOf(db, table, scope))
      .execute();
  }
}

/** Deletes quote rounds by their routes, and quotes of version 1, which have none, by the mode in their record. */
async function deleteQuotes(db: Connection, scope: Scope): Promise<void> {
  const routes = idsOf(db, 'routes', scope);
  const jobs = db.selectFrom('jobs').select('id').where('route_id', 'in', routes);
  await db.deleteFrom('quote_declines').where('job_id', 'in', jobs).execute();
  await db.deleteFrom('quotes').where('route_id', 'in', routes).execute();
  await db.deleteFrom('jobs').where('route_id', 'in', routes).execute();
  await db
    .deleteFrom('quotes')
    .where('route_id', '=', '')
    .where('account_id', '=', scope.account_id)
    .where('record', 'like', '%"isTest":true%')
    .execute();
}

function idsOf(
  db: Connection,
  table: 'orders' | 'routes' | 'deliveries' | 'batches' | 'drivers',
  scope: Scope,
) {
  return db.selectFrom(table).select('id').where(inScope(scope));
}

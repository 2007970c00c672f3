/**
 * Pages of deliveries by any filters. One filter leads: its index finds the rows, and the others are tested on them. A
 * page of 20 failed ones by a phone number, which leads with the indexes of both ends:
 *
 *     with found as (
 *       select id from (select id from deliveries where ... and (status = 'failed' or 1 = 0) and pickup_phone = $1
 *         order by id desc limit 21) as part
 *       union select id from (... and dropoff_phone = $1 order by id desc limit 21) as part)
 *     select * from deliveries where id in (select id from found order by id desc limit 21) order by id desc
 *
 * The plain look-ups are in `deliveries.ts`, as this file loads the SQL of the query builder.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { DeliveryStatus } from '../contract/vocabulary.ts';
import { canceledStatuses, pickedUpStatuses } from '../domain/delivery-states.ts';
import { late_tolerance_ms, silent_ms } from '../domain/lateness.ts';
import type { SearchWord } from '../domain/search-text.ts';
import type { Connection, DeliveryRow, Scope } from './database.ts';
import { type Page, type PageQuery, pageBounds } from './paging.ts';
import { creationBound, dueTime, hasArrived, integerInRecord, isInPeriod, type Period } from './periods.ts';
import { inScope, type OneOrMore, statuses } from './rows.ts';
import { containsWords, pageByWords } from './search.ts';

export interface DeliveryQuery extends PageQuery {
  status?: OneOrMore<DeliveryStatus> | undefined;
  external_order_ref?: string | undefined;
  service?: OneOrMore<string> | undefined;
  store_id?: string | undefined;
  /** A phone number of either end, in one form or several. */
  phone?: string | readonly string[] | undefined;
  /** Words that the order contains. */
  words?: readonly SearchWord[] | undefined;
  /** The order or route of the deliveries, or their tracking link. */
  found_by?: { column: 'order_id' | 'route_id' | 'tracking_token'; value: string } | undefined;
  /** The beginning or the end of their ids. */
  id_part?: string | undefined;
  /** The beginning or the end of their tracking links, in small letters. */
  token_part?: string | undefined;
  /** Only active deliveries that are late at this time. */
  late_at?: number | undefined;
  /** Only deliveries that arrived late, or are late at this time. It has no index: other filters find the rows. */
  was_late_at?: number | undefined;
  /** Only what was promised for this period; without a promise, what was agreed for it. */
  due?: Period | undefined;
  /** Only what was delivered in this period. */
  delivered?: Period | undefined;
  /** Only what came to its end in this period. */
  ended?: Period | undefined;
  /** Only what was charged or refunded in this period. */
  charged?: Period | undefined;
  /** Only active deliveries whose next report was due by this time. */
  report_due_by?: number | undefined;
  /** Only active deliveries without a change after this time. */
  unchanged_since?: number | undefined;
}

type Condition = RawBuilder<SqlBool>;

/** A filter of the delivery list: alternative conditions, each answered by an index. */
type Filter = readonly Condition[];

/** The filters of a query by the index that answers them. */
interface Filters {
  /** By an id or a link, whose index is not of one account. */
  direct: Filter[];
  /** By an index that returns its rows newest first. */
  inOrder: Filter[];
  /** By an index that returns its rows in another order. */
  unordered: Filter[];
}

/**
 * The id as an expression without an index, for filters whose rows must be read and sorted: otherwise an engine may
 * walk through the whole table to get them in order.
 */
const unindexedId = sql`(id || '')`;

/** The account as an expression without an index, for filters whose own index is not of one account. */
const unindexedAccount = sql`(account_id || '')`;

/** Reads one page of deliveries, newest first. The engines lack the statistics to choose the leader, so it is chosen here. */
export async function readDeliveryPage(db: Connection, asked: DeliveryQuery): Promise<Page<DeliveryRow>> {
  const query = withinItsTimes(asked);
  const { direct, inOrder, unordered } = filtersOf(db, query);
  const filters = [...direct, ...inOrder, ...unordered];
  const { words } = query;
  const leader = direct[0] ?? (await leaderOf(db, query, filters));
  if (words !== undefined && leader === undefined) return pageOfSearch(db, { ...query, words }, filters);
  const isInOrder = leader === undefined || !unordered.includes(leader);
  const wanted = query.limit + 1;
  const order = isInOrder ? sql`id` : unindexedId;
  const rest = filters.filter((filter) => filter !== leader).map(testOf);
  const account = direct.length === 0 ? sql`account_id` : unindexedAccount;
  const bounds = [
    pageBounds(query, 'dlv_', { id: order, account }),
    ...rest,
    ...unindexedTests(query),
    ...(words === undefined ? [] : [orderContains(words)]),
  ];
  const parts = (leader ?? [sql`1 = 1`]).map((each) => newest([...bounds, each], order, wanted));
  // The leader is a list of values that is empty.
  if (parts.length === 0) return { rows: [], has_more: false };
  const { rows } = await sql<DeliveryRow>`
    with found as (${sql.join(parts, sql` union `)})
    select * from deliveries where id in (select id from found order by id desc limit ${wanted})
    order by id desc`.execute(db);
  return { rows: rows.slice(0, query.limit), has_more: rows.length > query.limit };
}

/** A page in the sequence of the orders, as the index of their words returns them. */
async function pageOfSearch(
  db: Connection,
  query: DeliveryQuery & { words: readonly SearchWord[] },
  filters: readonly Filter[],
): Promise<Page<DeliveryRow>> {
  const unindexed = { id: unindexedId, account: unindexedAccount };
  const bounds = pageBounds({ ...query, after_id: undefined }, 'dlv_', unindexed);
  const conditions = [bounds, ...filters.map(testOf), ...unindexedTests(query)];
  return pageByWords(db, { page: query, words: query.words, table: 'deliveries', conditions });
}

/** Up to this many rows a filter is narrow: all of them are read and sorted in no time. */
const max_narrow = 1_000;

/**
 * The filter with the fewest rows, or the first one if none is narrow. If words are searched, only a narrow filter leads:
 * otherwise the index of the words does.
 */
async function leaderOf(
  db: Connection,
  { account_id, test_mode, words }: DeliveryQuery,
  filters: readonly Filter[],
): Promise<Filter | undefined> {
  const hasWords = words !== undefined;
  if (filters.length === 0 || (filters.length === 1 && !hasWords)) return filters[0];
  const scope: Condition = sql`account_id = ${account_id} and test_mode = ${test_mode}`;
  const some = (condition: Condition) =>
    sql`(select count(*) from (${idsWhere([scope, condition])} limit ${max_narrow}) as part)`;
  const counts = filters.map((filter, place) => {
    const sum = sql.join([sql`0`, ...filter.map(some)], sql` + `);
    return sql`select ${sql.lit(place)} as place, ${sum} as found`;
  });
  const { rows } = await sql<{ place: number; found: number }>`${sql.join(counts, sql` union all `)}`.execute(
    db,
  );
  const [first] = rows.toSorted(
    (a, b) => Math.min(a.found, max_narrow) - Math.min(b.found, max_narrow) || a.place - b.place,
  );
  if (first === undefined || (hasWords && first.found >= max_narrow)) return undefined;
  return filters[first.place];
}

type Ids = RawBuilder<{ id: string }>;

function orderContains(words: readonly SearchWord[]): Condition {
  return sql`exists (select 1 from search_documents
    where search_documents.order_id = deliveries.order_id and ${containsWords(words)})`;
}

function idsWhere(conditions: readonly Condition[]): Ids {
  return sql`select id from deliveries where ${sql.join(conditions, sql` and `)}`;
}

/** The newest rows of an index; if it returns them in order, only the first are read. */
function newest(conditions: readonly Condition[], order: RawBuilder<unknown>, count: number): Ids {
  return sql`select id from (${idsWhere(conditions)} order by ${order} desc limit ${count}) as part`;
}

/** The conditions of a query that no index answers, so that they never lead. */
function unindexedTests({
  account_id,
  test_mode,
  was_late_at,
  due,
  delivered,
  ended,
  charged,
}: DeliveryQuery): Condition[] {
  return [
    ...(was_late_at === undefined ? [] : [sql<SqlBool>`(${isLateAt(was_late_at)})`]),
    ...(due === undefined ? [] : [isInPeriod(dueTime, due)]),
    ...(due?.is_open === true ? [sql<SqlBool>`(not ${isCanceledOrFailed})`] : []),
    ...(delivered === undefined
      ? []
      : [sql<SqlBool>`(${hasArrived} and ${isInPeriod(sql`ended_at`, delivered)})`]),
    ...(ended === undefined ? [] : [isInPeriod(sql`ended_at`, ended)]),
    ...(charged === undefined ? [] : [isChargedIn({ account_id, test_mode }, charged)]),
  ];
}

/** Whether anything was charged or refunded in a period; charges are found by the times in their ids. */
function isChargedIn(scope: Scope, { after, before }: Period): Condition {
  const bounds = pageBounds({ ...scope, created_after: after, created_before: before }, 'chg_');
  return sql`id in (select delivery_id from charges where ${bounds})`;
}

/** The query with bounds of the id: a delivery is created before it arrives, and not long before it is due. */
function withinItsTimes(query: DeliveryQuery): DeliveryQuery {
  const { created_after, created_before, due, delivered, ended, charged } = query;
  const after = [created_after, due && creationBound(due).created_after].filter((time) => time !== undefined);
  const before = [created_before, delivered?.before, ended?.before, charged?.before].filter(
    (time) => time !== undefined,
  );
  return {
    ...query,
    created_after: after.length === 0 ? undefined : Math.max(...after),
    created_before: before.length === 0 ? undefined : Math.min(...before),
  };
}

/**
 * The time from which a delivery is late, less the tolerance: its promise, or 0 if it is expected later than tolerated. The
 * index `deliveries_due` has the same expression.
 */
const lateFrom = sql<number>`(case when dropoff_eta > promised_at + ${sql.lit(late_tolerance_ms)} then 0 else promised_at end)`;

/** Whether a delivery is initiated and has not ended: the condition of the partial indexes `deliveries_due` and `_changed`. */
const isUnderWay = sql<boolean>`ended_at is null and status <> 'request'`;

function filtersOf(db: Connection, query: DeliveryQuery): Filters {
  const given = <T>(value: T | undefined, make: (value: T) => Filter) =>
    value === undefined ? [] : [make(value)];
  return {
    direct: [
      ...given(query.found_by, ({ column, value }) => [equals(column, value)]),
      ...given(query.id_part, idConditions),
      ...given(query.token_part, tokenConditions),
    ],
    inOrder: [
      ...given(query.external_order_ref, (value) => [equals('external_order_ref', value)]),
      ...given(query.phone, (forms) =>
        [forms].flat().flatMap((value) => [equals('pickup_phone', value), equals('dropoff_phone', value)]),
      ),
      ...given(query.service, (value) => statuses(value).map((each) => equals('service', each))),
      ...given(query.store_id, (value) => [equals('store_id', value)]),
      ...given(query.status, (value) => statuses(value).map((each) => equals('status', each))),
    ],
    unordered: [
      ...given(query.late_at, (at) => [
        sql`(${isUnderWay} and status <> 'enroute_to_return' and ${lateFrom} < ${at - late_tolerance_ms})`,
      ]),
      // A report is due after the last change, by which the index finds it.
      ...given(query.report_due_by, (at) => [
        sql`(${isUnderWay} and updated_at < ${at} and ${reportDue(db)} <= ${at})`,
      ]),
      ...given(query.unchanged_since, (at) => [
        sql`(${isUnderWay} and status <> 'scheduled' and updated_at <= ${at})`,
      ]),
    ],
  };
}

/**
 * A filter as one condition on the rows of the leader. Its last part cannot use an index, so that the engine does not
 * prefer this filter's index to the leader's.
 */
function testOf(filter: Filter): Condition {
  return sql`(${sql.join([...filter, sql`1 = 0`], sql` or `)})`;
}

/** The length of the end of an id by which deliveries are indexed; a part of an id has at least as many characters. */
const id_end_length = 4;

/** The ids that begin with a part, without their prefix, or end with it. */
function idConditions(part: string): Filter {
  const first = `dlv_${part}`;
  // The end is compared with the expression of the index `deliveries_id_end`.
  const end = sql`substr(id, 27) = ${part.slice(-id_end_length)} and id like ${`%${part}`}`;
  return [sql`(id >= ${first} and id < ${`${first}~`})`, sql`(${end})`];
}

/** The tracking links that begin with a part, or end with it: the index of the links is read instead of the table. */
function tokenConditions(part: string): Filter {
  const ends = sql`tracking_token in (select tracking_token from deliveries where tracking_token like ${`%${part}`})`;
  return [sql`(tracking_token >= ${part} and tracking_token < ${`${part}~`})`, sql`(${ends})`];
}

/**
 * Whether a delivery arrived late, or is under way and late at a time: the rule of `measureLateness`, of which lists and
 * reports have the same condition.
 */
export function isLateAt(now: number): RawBuilder<boolean> {
  return sql<boolean>`case when ${hasArrived} then ended_at
    when ${isUnderWay} and status <> 'enroute_to_return' then case when dropoff_eta > ${now} then dropoff_eta else ${now} end
    end > promised_at + ${sql.lit(late_tolerance_ms)}`;
}

/** When the next report of a delivery is due, as `overdueBy` counts it; null if none is. */
function reportDue(db: Connection): RawBuilder<number> {
  const pickup_eta = integerInRecord(db, 'pickup.eta');
  const pickedUp = pickedUpStatuses.map((each) => sql.lit(each));
  const eta = sql`case when status in (${sql.join(pickedUp)}) then dropoff_eta else ${pickup_eta} end`;
  return sql`(case when status <> 'enroute_to_return' and ${eta} > updated_at then ${eta}
    when status <> 'scheduled' then updated_at + ${sql.lit(silent_ms)} end)`;
}

/** Whether a delivery was canceled or failed: what was paid for it is given back. */
export const isCanceledOrFailed = sql`(status in (${sql.join(canceledStatuses.map((each) => sql.lit(each)))}, 'failed'))`;

function equals(name: string, value: string): Condition {
  return sql`${sql.ref(name)} = ${value}`;
}

/** The ids of the deliveries of a provider that are initiated and have not ended, oldest first. */
export async function idsUnderWay(db: Connection, scope: Scope, provider: string): Promise<string[]> {
  const rows = await db
    .selectFrom('deliveries')
    .select('id')
    .where(inScope(scope))
    .where(isUnderWay)
    // The concatenation keeps the index of the provider out: it leads to every delivery ever carried.
    .where(sql`(service || '')`, '=', provider)
    .execute();
  return rows.map(({ id }) => id).sort();
}

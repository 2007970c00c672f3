import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { DeliveryStatus } from '../contract/vocabulary.ts';
import { late_tolerance_ms } from '../domain/lateness.ts';
import type { SearchWord } from '../domain/search-text.ts';
import type { Connection, Scope } from './database.ts';
import type { PageQuery } from './paging.ts';
import { type OneOrMore, statuses } from './rows.ts';

export interface DeliveryQuery extends PageQuery {
  status?: OneOrMore<DeliveryStatus> | undefined;
  external_order_ref?: string | undefined;
  service?: string | undefined;
  store_id?: string | undefined;
  /** Of pickup or dropoff, as stored. */
  phone?: string | undefined;
  /** Words that the order contains. */
  words?: readonly SearchWord[] | undefined;
  /** The order or route of the deliveries, or their tracking link. */
  found_by?: { column: 'order_id' | 'route_id' | 'tracking_token'; value: string } | undefined;
  /** The beginning or the end of their ids. */
  id_part?: string | undefined;
  /** Only active deliveries that are late at this time. */
  late_at?: number | undefined;
  /** Only active deliveries without a change after this time. */
  unchanged_since?: number | undefined;
}

export type Condition = RawBuilder<SqlBool>;

/** A filter of the delivery list: alternative conditions, each answered by an index. */
export type Filter = readonly Condition[];

/** The filters of a query. */
export interface Filters {
  /** Those of an id or a link, whose index is not of one account. */
  direct: Filter[];
  /** Those whose index returns rows newest first. */
  inOrder: Filter[];
  others: Filter[];
}

export function filtersOf(query: DeliveryQuery): Filters {
  const {
    external_order_ref,
    phone,
    service,
    store_id,
    status,
    late_at,
    unchanged_since,
    found_by,
    id_part,
  } = query;
  const given = <T>(value: T | undefined, make: (value: T) => Filter) =>
    value === undefined ? [] : [make(value)];
  return {
    direct: [...given(found_by, ({ column, value }) => [is(column, value)]), ...given(id_part, idConditions)],
    inOrder: [
      ...given(external_order_ref, (value) => [is('external_order_ref', value)]),
      ...given(phone, (value) => [is('pickup_phone', value), is('dropoff_phone', value)]),
      ...given(service, (value) => [is('service', value)]),
      ...given(store_id, (value) => [is('store_id', value)]),
      ...given(status, (value) => statuses(value).map((each) => is('status', each))),
    ],
    others: [
      ...given(late_at, (at) => [sql`(${isUnderWay} and ${lateFrom} < ${at - late_tolerance_ms})`]),
      ...given(unchanged_since, (at) => [sql`(${isUnderWay} and updated_at <= ${at})`]),
    ],
  };
}

/**
 * A filter as one condition on rows that another filter has found. Its last part cannot use an index, so that the
 * engine does not prefer this filter's index to the other's.
 */
export function testOf(filter: Filter): Condition {
  return sql`(${sql.join([...filter, sql`1 = 0`], sql` or `)})`;
}

/** The length of the end of an id by which deliveries are indexed, and of the shortest part of one. */
const id_end_length = 4;

/** The ids that begin with a part, without their prefix, or end with it. */
function idConditions(part: string): Filter {
  const first = `dlv_${part}`;
  // The end is compared with the expression of the index `deliveries_id_end`.
  const end = sql`substr(id, 27) = ${part.slice(-id_end_length)} and id like ${`%${part}`}`;
  return [sql`(id >= ${first} and id < ${`${first}~`})`, sql`(${end})`];
}

/**
 * The tolerance before the time from which a delivery is late: one that is expected later than that is late at once.
 * The index `deliveries_due` has the same expression.
 */
const lateFrom = sql<number>`(case when dropoff_eta > promised_at + ${sql.lit(late_tolerance_ms)} then 0 else promised_at end)`;

/** The condition of both partial indexes: initiated and not ended. */
const isUnderWay = sql<boolean>`ended_at is null and status <> 'request'`;

function is(name: string, value: string): Condition {
  return sql`${sql.ref(name)} = ${value}`;
}

/** The ids of the deliveries of a provider that are initiated and have not ended, oldest first. */
export async function idsUnderWay(
  db: Connection,
  { account_id, test_mode }: Scope,
  provider: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom('deliveries')
    .select('id')
    .where('account_id', '=', account_id)
    .where('test_mode', '=', test_mode)
    .where(isUnderWay)
    // The concatenation keeps the index of the provider out: it leads to every delivery ever carried.
    .where(sql`(service || '')`, '=', provider)
    .execute();
  return rows.map(({ id }) => id).sort();
}

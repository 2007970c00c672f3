/**
 * The times and other fields of records by which lists and reports choose: when a delivery or an order is due, when it
 * arrived, and what the JSON of its record has.
 */
import { type QueryExecutorProvider, type RawBuilder, type SqlBool, sql } from 'kysely';
import { arrivedStatuses } from '../domain/delivery-states.ts';
import { day_ms } from '../domain/durations.ts';
import { max_ahead_ms } from '../domain/order-rules.ts';
import type { Connection } from './database.ts';
import { isPostgres } from './rows.ts';

/** Times in milliseconds, both exclusive; undefined without a bound. */
export interface Period {
  after: number | undefined;
  before: number | undefined;
  /** Whether what has ended badly is left out: in a period to come it is no longer due. */
  is_open?: boolean;
}

/**
 * The escape of NUL, or of half of a surrogate pair, behind the escaped backslashes before it: a text that was cut within
 * an emoji has one, and PostgreSQL refuses to read a record with it.
 */
const unreadable = String.raw`(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})`;

/** The record of a row as JSON. PostgreSQL only. */
export function jsonOfRecord(record = 'record'): RawBuilder<unknown> {
  const column = sql.ref(record);
  const replaced = sql`regexp_replace(${column}, ${sql.lit(unreadable)}, ${sql.lit(String.raw`\1\\ufffd`)}, 'g')`;
  // Hardly any record has an escape with a number, which is found out faster.
  return sql`(case when strpos(${column}, ${sql.lit(String.raw`\u`)}) = 0 then ${column} else ${replaced} end)::json`;
}

/** A text field of a record, such as `driver.name`; null if it is absent. */
export function textInRecord(db: QueryExecutorProvider, path: string, record = 'record'): RawBuilder<string> {
  return isPostgres(db)
    ? sql`(${jsonOfRecord(record)} #>> ${sql.lit(`{${path.replaceAll('.', ',')}}`)})`
    : sql`(${sql.ref(record)} ->> ${sql.lit(`$.${path}`)})`;
}

/** An integer field of a record; null if it is absent. */
export function integerInRecord(
  db: QueryExecutorProvider,
  path: string,
  record = 'record',
): RawBuilder<number> {
  return sql`cast(${textInRecord(db, path, record)} as bigint)`;
}

/** The time for which a delivery was promised; before its dispatch, the agreed one. */
export const dueTime = sql<number>`coalesce(promised_at, dropoff_at)`;

/** Whether the recipient has the delivery. */
export const hasArrived = sql<SqlBool>`status in (${sql.join(arrivedStatuses.map((each) => sql.lit(each)))})`;

export function isInPeriod(time: RawBuilder<unknown>, { after, before }: Period): RawBuilder<SqlBool> {
  return sql`(${sql.join(
    [
      ...(after === undefined ? [] : [sql`${time} > ${after}`]),
      ...(before === undefined ? [] : [sql`${time} < ${before}`]),
      sql`${time} is not null`,
    ],
    sql` and `,
  )})`;
}

/** No delivery is created longer before its promise: an agreed time may be 30 days ahead, and the way takes less than two. */
const longest_lead_ms = max_ahead_ms + 2 * day_ms;

/** The bound of creation for what is due in a period: none of it was created earlier. */
export function creationBound({ after }: Period): { created_after?: number } {
  return after === undefined ? {} : { created_after: after - longest_lead_ms };
}

/** The filters of a list of orders that are tests on what other filters find. */
export interface OrderTests {
  /** The store of the pickup. */
  store_id?: string | undefined;
  due?: Period | undefined;
  delivered?: Period | undefined;
  ended?: Period | undefined;
}

/**
 * Whether an order passes its tests: due in a period, by the promise of its delivery or else by its own times; delivered or
 * ended in one; picked up at a store.
 */
export function orderTests(
  db: Connection,
  { due, delivered, ended, store_id }: OrderTests,
): RawBuilder<SqlBool> {
  const at = (end: string) => integerInRecord(db, `${end}.at`, 'orders.record');
  const store = textInRecord(db, 'store_id', 'orders.record');
  const last = (value: RawBuilder<unknown>, where: RawBuilder<SqlBool> = sql`1 = 1`) =>
    sql`(select ${value} from deliveries where deliveries.id = orders.delivery_id and ${where})`;
  const dueOfOrder = sql`coalesce(${last(dueTime)}, ${at('dropoff')}, ${at('pickup')})`;
  return sql`(${sql.join(
    [
      ...(due === undefined ? [] : [isInPeriod(dueOfOrder, due)]),
      ...(due?.is_open === true ? [sql`orders.status <> 'canceled'`] : []),
      ...(delivered === undefined ? [] : [isInPeriod(last(sql`ended_at`, hasArrived), delivered)]),
      ...(ended === undefined ? [] : [isInPeriod(last(sql`ended_at`), ended)]),
      ...(store_id === undefined ? [] : [sql`${store} = ${store_id}`]),
      sql`1 = 1`,
    ],
    sql` and `,
  )})`;
}

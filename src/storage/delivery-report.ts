/**
 * The sums of a report: one query over the deliveries and charges of a period, with a row for each status and group.
 * `service/deliveries/report.ts` adds them up.
 */
import { type RawBuilder, sql } from 'kysely';
import type { DeliveryStatus } from '../contract/vocabulary.ts';
import type { Connection, Scope } from './database.ts';
import { isCanceledOrFailed, isLateAt } from './delivery-queries.ts';
import { pageBounds } from './paging.ts';
import {
  creationBound,
  dueTime,
  hasArrived,
  integerInRecord,
  isInPeriod,
  type Period,
  textInRecord,
} from './periods.ts';
import { isPostgres } from './rows.ts';

export interface ReportQuery extends Scope {
  /** Times in milliseconds, both exclusive. */
  created_after: number;
  created_before: number;
  store_id?: string | undefined;
  /** The groups besides the status. */
  by: readonly GroupColumn[];
  /** For when those that count as late or on time were promised. */
  due: Period;
  /** The time by which deliveries under way may be late. */
  now: number;
}

/** The sums of the deliveries of a period, or with charges in it, with the same status and groups. Groups that were not asked for are null. */
export interface ReportSums {
  status: DeliveryStatus;
  courier: string | null;
  store_id: string | null;
  driver_id: string | null;
  driver_name: string | null;
  reason: string | null;
  /** The hour of the order's creation, counted from the epoch: all its tries stand there. */
  hour: number | null;
  /** The name of the recipient, and the e-mail address in lower case, else the phone number. */
  customer_name: string | null;
  customer_contact: string | null;
  address: string | null;
  deliveries: number;
  /** Of these: those that the courier refused or did not answer. */
  declined: number;
  /** Those that are the last of their order in the period. All but the costs are theirs. */
  orders: number;
  /** Of those promised for the period: the ones that arrived, and the ones that arrived late or are under way and late. */
  promised_arrived: number;
  late: number;
  /** The charges and refunds that were made in the period, in cents, also of deliveries created before it. */
  cost: number;
  /** The tips among them that were not given back, and how many deliveries have one. */
  tips: number;
  tipped: number;
  /** The same of those that are the last of their order. */
  last_cost: number;
  /** Of those without an agreed time that have ended: their number, and the milliseconds from creation to end. */
  timed: number;
  passed_ms: number;
  /** Of the same: their milliseconds from creation to pickup. */
  pickup_ms: number;
  /** Those whose driver reported the arrival at the pickup, and the milliseconds from there to the pickup. */
  waited: number;
  wait_ms: number;
  /** The milliseconds by which those promised for the period arrived late. */
  late_ms: number;
  /** Of those that are the last of their order: the value of the goods, and the quoted price with the agreed tip. */
  value: number;
  quoted: number;
  /** The id of the newest. */
  newest_id: string;
}

type GroupColumn =
  | 'courier'
  | 'store_id'
  | 'driver_id'
  | 'driver_name'
  | 'customer_name'
  | 'customer_contact'
  | 'address'
  | 'reason'
  | 'hour';

function groupColumns(db: Connection): Record<GroupColumn, RawBuilder<unknown>> {
  const field = (path: string) => textInRecord(db, path);
  return {
    courier: sql`service`,
    store_id: sql`store_id`,
    driver_id: field('driver.id'),
    driver_name: field('driver.name'),
    customer_name: field('dropoff.name'),
    customer_contact: sql`coalesce(nullif(lower(${field('dropoff.email')}), ''), ${field('dropoff.phone')})`,
    address: field('dropoff.address'),
    hour: sql`coalesce((select orders.created_at from orders where orders.id = order_id), created_at) / 3600000`,
    reason: sql`coalesce(${field('failure_reason')}, ${field('cancellation_reason')})`,
  };
}

/** When a delivery first had a status; null if its courier skipped it, which is found out without reading the history. */
function statusTime(db: Connection, status: DeliveryStatus): RawBuilder<unknown> {
  const read = isPostgres(db)
    ? sql`(select min(cast(entry ->> 'at' as bigint)) from json_array_elements(record::json -> 'status_history') as entry
        where entry ->> 'status' = ${sql.lit(status)})`
    : sql`(select min(value ->> '$.at') from json_each(record, '$.status_history')
        where value ->> '$.status' = ${sql.lit(status)})`;
  const isInRecord = sql`record like ${sql.lit(`%"${status}"%`)}`;
  return sql`case when ${isInRecord} then ${read} end`;
}

/** A courier gave it no driver, or did not answer. */
function isDeclined(db: Connection): RawBuilder<unknown> {
  return sql`${textInRecord(db, 'failure_reason')} in ('provider_refused', 'provider_unreachable', 'provider_not_connected')`;
}

/**
 * Sums up the dispatched deliveries of a period in one query, by its range of ids. Money counts by the time at which it
 * was charged or refunded, so that the sum is that of the charges of the period; what is late or on time, by the time for
 * which it was promised, so that it is what the list of late ones has.
 */
export async function reportSums(db: Connection, query: ReportQuery): Promise<ReportSums[]> {
  const { account_id, test_mode, store_id, by, due, now } = query;
  const ofStore = store_id === undefined ? sql`1 = 1` : sql`store_id = ${store_id}`;
  const isCreated = sql`${pageBounds(query, 'dlv_')} and status <> 'request' and service <> '' and ${ofStore}`;
  const columns = Object.entries(groupColumns(db)).map(([name, value]) => {
    const isWanted = by.some((group) => group === name);
    const none = name === 'hour' ? sql`cast(null as bigint)` : sql`cast(null as text)`;
    return sql`${isWanted ? value : none} as ${sql.ref(name)}`;
  });
  const sum = (value: ReturnType<typeof sql>) => sql`cast(coalesce(sum(${value}), 0) as bigint)`;
  const isDue = sql`${pageBounds({ account_id, test_mode, ...creationBound(due) }, 'dlv_')} and ${isInPeriod(dueTime, due)}`;
  const refunds = pageBounds({ account_id, test_mode, created_before: query.created_before }, 'chg_');
  const kept = sql`case when ${isCanceledOrFailed} and exists (
    select 1 from charges where delivery_id = deliveries.id and kind = 'refund' and ${refunds}
  ) then 0 else tip end`;
  const isTimed = sql`is_last = 1 and ended_at is not null and dropoff_at is null`;
  const isWaited = sql`is_last = 1 and ${hasArrived} and picked_up_at >= at_store_at`;
  const groups = sql.join(Object.keys(groupColumns(db)).map((name) => sql.ref(name)));
  const none = sql`cast(null as bigint)`;
  const quoted = sql`${integerInRecord(db, 'payment_amount')} + coalesce(${integerInRecord(db, 'tip')}, 0)`;
  const { rows } = await sql<ReportSums>`
    with paid as (
      select delivery_id, sum(amount) as cost, sum(case when kind = 'tip' then amount else 0 end) as tip
      from charges where ${pageBounds(query, 'chg_')} group by delivery_id
    )
    select status, ${groups}, ${sum(sql`is_created`)} as deliveries,
      ${sum(sql`is_last`)} as orders, ${sum(sql`declined`)} as declined, ${sum(sql`tip`)} as tips,
      ${sum(sql`case when tip > 0 then 1 else 0 end`)} as tipped,
      ${sum(sql`cost`)} as cost, ${sum(sql`case when is_last = 1 then cost end`)} as last_cost,
      ${sum(sql`promised_arrived`)} as promised_arrived, ${sum(sql`is_late`)} as late,
      ${sum(sql`case when ${isTimed} then 1 else 0 end`)} as timed,
      ${sum(sql`case when ${isTimed} then ended_at - created_at end`)} as passed_ms,
      ${sum(sql`case when ${isTimed} then picked_up_at - created_at end`)} as pickup_ms,
      ${sum(sql`case when ${isWaited} then 1 else 0 end`)} as waited,
      ${sum(sql`case when ${isWaited} then picked_up_at - at_store_at end`)} as wait_ms,
      ${sum(sql`case when is_late = 1 and ${hasArrived} then ended_at - promised_at end`)} as late_ms,
      ${sum(sql`case when is_last = 1 then value end`)} as value,
      ${sum(sql`case when is_last = 1 then quoted end`)} as quoted, max(id) as newest_id
    from (
      select id, status, ${sql.join(columns)},
        case when row_number() over (partition by order_id order by id desc) = 1 then 1 else 0 end as is_last, 1 as is_created,
        created_at, ended_at, dropoff_at, promised_at, 0 as promised_arrived, 0 as is_late, cost,
        ${kept} as tip, case when ${isDeclined(db)} then 1 else 0 end as declined,
        ${integerInRecord(db, 'pickup.eta')} as picked_up_at, ${statusTime(db, 'arrived_at_pickup')} as at_store_at,
        ${integerInRecord(db, 'order_value')} as value, ${quoted} as quoted
      from deliveries left join paid on delivery_id = id where ${isCreated}
      union all
      select id, status, ${sql.join(columns)}, 0, 0, created_at, ended_at, dropoff_at, promised_at, 0, 0, cost, ${kept}, 0,
        ${none}, ${none}, ${none}, ${none}
      from paid join deliveries on id = delivery_id where not (${isCreated}) and ${ofStore}
      union all
      select id, status, ${sql.join(columns)}, 0, 0, created_at, ended_at, dropoff_at, promised_at,
        case when ${hasArrived} then 1 else 0 end, case when ${isLateAt(now)} then 1 else 0 end, 0, 0, 0,
        ${none}, ${none}, ${none}, ${none}
      from deliveries where ${isDue} and (${hasArrived} or ended_at is null) and status <> 'request' and ${ofStore}
    ) as found
    group by status, ${groups}`.execute(db);
  return rows;
}

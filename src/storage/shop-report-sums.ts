/**
 * The sums of a shop's report: one query over the deliveries and charges of a period, with a row for each status and
 * group. `service/deliveries/shop-report.ts` adds them up.
 *
 * A delivery may count in a period for three reasons, each a source of rows: it was created in it, it was promised for
 * it, or something was charged or refunded in it for a delivery of another time. Money counts by the time at which it
 * was charged or refunded, so that the sum is that of the charges of the period; what is late or on time, by the time for
 * which it was promised, so that it is what the list of late ones has. A day with a delivery that arrived late, and a
 * refund for one of the day before, has three rows:
 *
 *     source    id     status     is_created  is_last  cost  is_promised_arrived  is_promised_late
 *     created   dlv_2  delivered  1           1         950  null                 null
 *     charged   dlv_1  canceled   null        null     -700  null                 null
 *     promised  dlv_2  delivered  null        null     null  1                    1
 *
 * They are two sums: delivered (1 delivery, 1 order, cost 950, 1 late) and canceled (0 deliveries, cost -700).
 *
 * The file has the sources, then the facts that they read of a delivery, then what is added up, and the query.
 */
import { type RawBuilder, sql } from 'kysely';
import type { ChargeKind, DeliveryStatus } from '../contract/vocabulary.ts';
import { hour_ms } from '../domain/durations.ts';
import { late_tolerance_ms } from '../domain/lateness.ts';
import type { Connection, Scope } from './database.ts';
import { isCanceledOrFailed, isLateAt } from './delivery-queries.ts';
import { pageBounds } from './paging.ts';
import {
  creationBound,
  dueTime,
  hasArrived,
  integerInRecord,
  isInPeriod,
  jsonOfRecord,
  type Period,
  textInRecord,
} from './periods.ts';
import { isPostgres } from './rows.ts';

type GroupColumn =
  | 'courier'
  | 'store_id'
  | 'driver_id'
  | 'driver_name'
  | 'customer_name'
  | 'customer_contact'
  | 'address'
  | 'reason'
  | 'failure_message'
  | 'hour';

export interface ReportQuery extends Scope {
  /** Times in milliseconds, both exclusive. */
  created_after: number;
  created_before: number;
  store_id?: string | undefined;
  /** The groups besides the status. */
  by: readonly GroupColumn[];
  /** The unit in which the hour of a row is counted, by default an hour. */
  hour_ms?: number;
  /** Deliveries count as late or on time that were promised for this period. */
  due: Period;
  /** The time by which deliveries under way may be late. */
  now: number;
  /** Deliveries are counted as they were at this time, by default as they are. */
  as_of?: number | undefined;
}

/**
 * The sums of the deliveries with the same status and groups. Groups that were not asked for are null. A try is a
 * delivery that is not the last of its order in the period; amounts are in cents.
 */
export interface ReportSums {
  status: DeliveryStatus;
  courier: string | null;
  store_id: string | null;
  driver_id: string | null;
  driver_name: string | null;
  reason: string | null;
  failure_message: string | null;
  /** The hour of the order's creation, counted from the epoch in units of the query: all its tries stand there. */
  hour: number | null;
  /** The name of the recipient, and the e-mail address in lower case, else the phone number. */
  customer_name: string | null;
  customer_contact: string | null;
  address: string | null;
  /** The deliveries created in the period. */
  deliveries: number;
  /** The deliveries created in the period that the courier refused or did not answer. */
  declined: number;
  /** The orders whose last delivery in the period is one of this group. */
  orders: number;
  /** The deliveries promised for the period that arrived, in time or late. */
  promised_arrived: number;
  /** The deliveries promised for the period that arrived late, or are under way and late. */
  late: number;
  /** The charges less the refunds that were made in the period, also of deliveries created before it. */
  cost: number;
  /** The tips charged in the period that were not given back, and how many deliveries have one. */
  tips: number;
  tipped: number;
  /** The courier prices and the service fees charged in the period that were not given back. */
  prices: number;
  service_fees: number;
  /** What was charged in the period after the dispatch. */
  return_fees: number;
  cancellation_fees: number;
  adjustments: number;
  /** The orders that were charged more in the period than their quote, and how much more. */
  over_quote: number;
  over_quote_cost: number;
  /** The cost of the last deliveries, without that of tries. */
  last_cost: number;
  /** The last deliveries without an agreed time that have ended, which are timed. */
  timed: number;
  /** The milliseconds of timed deliveries from the creation to the end, and from the creation to the pickup. */
  passed_ms: number;
  pickup_ms: number;
  /** The milliseconds of each timed delivery from the creation to the end, separated by commas; null without one. */
  passed_list: string | null;
  /** The timed deliveries whose courier reported a driver, and the milliseconds from the creation to it. */
  assigned: number;
  assigned_ms: number;
  /** The last deliveries whose driver reported the arrival at the pickup, and the milliseconds to the pickup from there. */
  waited: number;
  wait_ms: number;
  /** The milliseconds by which deliveries promised for the period arrived late. */
  late_ms: number;
  /** The value of the goods of the last deliveries. */
  order_value: number;
  /** The quoted price with the agreed tip of the last deliveries. */
  quoted_cost: number;
  /** The id of the newest delivery. */
  newest_id: string;
}

/** What is read of a delivery: a number, or null where a source does not count it. */
const factNames = [
  ...(['is_created', 'is_last', 'is_declined', 'picked_up_at', 'assigned_at', 'at_store_at'] as const),
  ...(['order_value', 'quoted_cost', 'order_cost'] as const),
  ...(['cost', 'tip', 'price', 'return_fee', 'cancellation_fee', 'adjustment'] as const),
  ...(['service_fee', 'is_given_back', 'charged_quote'] as const),
  ...(['is_promised_arrived', 'is_promised_late'] as const),
] as const;
type Facts = Partial<Record<(typeof factNames)[number], RawBuilder<unknown>>>;

/** Deliveries with their facts: `rows` is what follows `from`. */
interface Source {
  facts: Facts;
  rows: RawBuilder<unknown>;
}

/** What a source reads from: the deliveries as they are, or as they were at `as_of`. */
function readFrom(db: Connection, { as_of, now }: ReportQuery) {
  if (as_of === undefined) return { deliveries: sql`deliveries`, isLate: isLateAt(now) };
  const isOverdue = sql`status <> 'enroute_to_return' and ${as_of} > promised_at + ${sql.lit(late_tolerance_ms)}`;
  const isLate = sql`(is_late_now = 1 or (not ${hasArrived} and ${isOverdue}))`;
  return { deliveries: deliveriesAt(db, as_of, now), isLate };
}

/**
 * The deliveries as they were at a time. A delivery that was under way then is late if its promise had passed, if it
 * arrived late, or if it is late now.
 */
function deliveriesAt(db: Connection, at: number, now: number): RawBuilder<unknown> {
  return sql`(select id, account_id, test_mode, order_id, service, store_id, created_at, dropoff_at, promised_at, record,
    ${statusAt(db, at)} as status, case when ended_at < ${at} then ended_at end as ended_at,
    case when ${isLateAt(now)} then 1 else 0 end as is_late_now from deliveries) as deliveries`;
}

/** The status of a delivery at a time; `request` before its first entry in the history. */
function statusAt(db: Connection, at: number): RawBuilder<unknown> {
  const read = isPostgres(db)
    ? sql`(select entry ->> 'status' from json_array_elements(${jsonOfRecord()} -> 'status_history') with ordinality as part (entry, place)
        where cast(entry ->> 'at' as bigint) < ${at} order by place desc limit 1)`
    : sql`(select value ->> '$.status' from json_each(record, '$.status_history')
        where value ->> '$.at' < ${at} order by key desc limit 1)`;
  return sql`case when updated_at < ${at} then status else coalesce(${read}, 'request') end`;
}

function isOfStore({ store_id }: ReportQuery): RawBuilder<unknown> {
  return store_id === undefined ? sql`1 = 1` : sql`store_id = ${store_id}`;
}

/** Whether a delivery was dispatched and created in the period. */
function isCreatedIn(query: ReportQuery): RawBuilder<unknown> {
  return sql`${pageBounds(query, 'dlv_')} and status <> 'request' and service <> '' and ${isOfStore(query)}`;
}

/** The deliveries that were created in the period, with what was charged for them in it. */
function createdDeliveries(db: Connection, query: ReportQuery): Source {
  const isLast = sql`row_number() over (partition by order_id order by id desc) = 1`;
  return {
    facts: {
      ...chargedFacts(db, query),
      is_created: sql`1`,
      is_last: sql`case when ${isLast} then 1 else 0 end`,
      order_cost: sql`case when ${isLast} then sum(cost) over (partition by order_id) end`,
      is_declined: sql`case when ${isDeclined(db)} then 1 else 0 end`,
      picked_up_at: integerInRecord(db, 'pickup.eta'),
      assigned_at: statusTime(db, 'driver_assigned'),
      at_store_at: statusTime(db, 'arrived_at_pickup'),
      order_value: integerInRecord(db, 'order_value'),
      quoted_cost: quotedCost(db),
    },
    rows: sql`${readFrom(db, query).deliveries} left join paid on delivery_id = id where ${isCreatedIn(query)}`,
  };
}

/** The deliveries of other times for which something was charged or refunded in the period. */
function chargedDeliveries(db: Connection, query: ReportQuery): Source {
  return {
    facts: { ...chargedFacts(db, query), order_cost: sql`cost` },
    rows: sql`paid join ${readFrom(db, query).deliveries} on id = delivery_id
      where not (${isCreatedIn(query)}) and ${isOfStore(query)}`,
  };
}

/** The deliveries that were promised for the period, and arrived or are under way. */
function promisedDeliveries(db: Connection, query: ReportQuery): Source {
  const { account_id, test_mode, due, as_of } = query;
  const bounds = { account_id, test_mode, ...creationBound(due), created_before: as_of };
  const isDue = sql`${pageBounds(bounds, 'dlv_')} and ${isInPeriod(dueTime, due)}`;
  const { deliveries, isLate } = readFrom(db, query);
  return {
    facts: {
      is_promised_arrived: sql`case when ${hasArrived} then 1 else 0 end`,
      is_promised_late: sql`case when ${isLate} then 1 else 0 end`,
    },
    rows: sql`${deliveries} where ${isDue} and (${hasArrived} or ended_at is null) and status <> 'request'
      and ${isOfStore(query)}`,
  };
}

/** The facts that are the sum of one kind of charge, with that kind. */
const chargeKinds = {
  tip: 'tip',
  price: 'delivery',
  return_fee: 'return',
  cancellation_fee: 'cancellation',
  adjustment: 'adjustment',
} satisfies Partial<Record<keyof Facts, ChargeKind>>;

/** The charges of the period by delivery: their sum, and the sum of each kind. */
function paidByDelivery(query: ReportQuery): RawBuilder<unknown> {
  const sums = Object.entries(chargeKinds).map(
    ([name, kind]) => sql`sum(case when kind = ${sql.lit(kind)} then amount end) as ${sql.ref(name)}`,
  );
  return sql`select delivery_id, sum(amount) as cost, ${sql.join(sums)}
    from charges where ${pageBounds(query, 'chg_')} group by delivery_id`;
}

function groupColumns(db: Connection, unit_ms = hour_ms): Record<GroupColumn, RawBuilder<unknown>> {
  const field = (path: string) => textInRecord(db, path);
  const ofEnd = (value: RawBuilder<unknown>) =>
    sql`case when ended_at is not null or status = 'enroute_to_return' then ${value} end`;
  return {
    courier: sql`service`,
    store_id: sql`store_id`,
    driver_id: field('driver.id'),
    driver_name: field('driver.name'),
    customer_name: field('dropoff.name'),
    customer_contact: sql`coalesce(nullif(lower(${field('dropoff.email')}), ''), ${field('dropoff.phone')})`,
    address: field('dropoff.address'),
    hour: sql`coalesce((select orders.created_at from orders where orders.id = order_id), created_at) / ${sql.lit(unit_ms)}`,
    reason: ofEnd(sql`coalesce(${field('failure_reason')}, ${field('cancellation_reason')})`),
    failure_message: ofEnd(sql`nullif(${field('failure_message')}, '')`),
  };
}

/** What was charged for a delivery in the period, from its row of `paid`. */
function chargedFacts(db: Connection, { account_id, test_mode, created_before }: ReportQuery): Facts {
  // The index of the delivery finds its charges: those of the account would be read whole for each delivery.
  const refunds = pageBounds({ account_id, test_mode, created_before }, 'chg_', {
    id: sql`(id || '')`,
    account: sql`(account_id || '')`,
  });
  const serviceFee = sql`${integerInRecord(db, 'payment_amount')} - ${integerInRecord(db, 'cost_of_delivery')}`;
  const sums = ['cost', ...Object.keys(chargeKinds)].map((name) => [name, sql.ref(name)]);
  return {
    ...Object.fromEntries(sums),
    service_fee: sql`case when price is not null then ${serviceFee} end`,
    is_given_back: sql`case when ${isCanceledOrFailed} and exists (
      select 1 from charges where delivery_id = deliveries.id and kind = 'refund' and ${refunds}) then 1 else 0 end`,
    // A tip that was raised later counts as agreed.
    charged_quote: sql`coalesce(price, 0) + coalesce(tip, 0)`,
  };
}

function quotedCost(db: Connection): RawBuilder<unknown> {
  return sql`${integerInRecord(db, 'payment_amount')} + coalesce(${integerInRecord(db, 'tip')}, 0)`;
}

/** Whether a courier refused a delivery, or did not answer. */
function isDeclined(db: Connection): RawBuilder<unknown> {
  return sql`ended_at is not null and ${textInRecord(db, 'failure_reason')} in ('provider_refused', 'provider_unreachable', 'provider_not_connected')`;
}

/** When a delivery first had a status; null if its courier skipped it, which is found out without reading the history. */
function statusTime(db: Connection, status: DeliveryStatus): RawBuilder<unknown> {
  const read = isPostgres(db)
    ? sql`(select min(cast(entry ->> 'at' as bigint)) from json_array_elements(${jsonOfRecord()} -> 'status_history') as entry
        where entry ->> 'status' = ${sql.lit(status)})`
    : sql`(select min(value ->> '$.at') from json_each(record, '$.status_history')
        where value ->> '$.status' = ${sql.lit(status)})`;
  const isInRecord = sql`record like ${sql.lit(`%"${status}"%`)}`;
  return sql`case when ${isInRecord} then ${read} end`;
}

const isTimed = sql`is_last = 1 and ended_at is not null and dropoff_at is null`;

/** The milliseconds from the creation of a timed delivery to its end. */
const passed = sql`case when ${isTimed} then ended_at - created_at end`;

/** What is added up for each column of `ReportSums`; what is null adds nothing. */
function sumsOfFacts() {
  const isWaited = sql`is_last = 1 and ${hasArrived} and picked_up_at >= at_store_at`;
  const isAssigned = sql`${isTimed} and ${hasArrived} and assigned_at >= created_at`;
  const isOver = sql`order_cost > charged_quote`;
  const when = (condition: RawBuilder<unknown>, value: RawBuilder<unknown>) =>
    sql`case when ${condition} then ${value} end`;
  const kept = (value: RawBuilder<unknown>) => when(sql`is_given_back = 0`, value);
  const one = sql`1`;
  return {
    deliveries: sql`is_created`,
    orders: sql`is_last`,
    declined: sql`is_declined`,
    promised_arrived: sql`is_promised_arrived`,
    late: sql`is_promised_late`,
    cost: sql`cost`,
    last_cost: when(sql`is_last = 1`, sql`cost`),
    tips: kept(sql`tip`),
    tipped: when(sql`is_given_back = 0 and tip > 0`, one),
    prices: kept(sql`price - coalesce(service_fee, 0)`),
    service_fees: kept(sql`service_fee`),
    return_fees: sql`return_fee`,
    cancellation_fees: sql`cancellation_fee`,
    adjustments: sql`adjustment`,
    over_quote: when(isOver, one),
    over_quote_cost: when(isOver, sql`order_cost - charged_quote`),
    timed: when(isTimed, one),
    passed_ms: passed,
    pickup_ms: when(isTimed, sql`picked_up_at - created_at`),
    assigned: when(isAssigned, one),
    assigned_ms: when(isAssigned, sql`assigned_at - created_at`),
    waited: when(isWaited, one),
    wait_ms: when(isWaited, sql`picked_up_at - at_store_at`),
    late_ms: when(sql`is_promised_late = 1 and ${hasArrived}`, sql`ended_at - promised_at`),
    order_value: when(sql`is_last = 1`, sql`order_value`),
    quoted_cost: when(sql`is_last = 1`, sql`quoted_cost`),
  };
}

function listOf(db: Connection, value: RawBuilder<unknown>): RawBuilder<unknown> {
  return isPostgres(db) ? sql`string_agg(cast(${value} as text), ',')` : sql`group_concat(${value})`;
}

/** Sums up the dispatched deliveries of a period in one query, by its range of ids. */
export async function reportSums(db: Connection, query: ReportQuery): Promise<ReportSums[]> {
  const groups = Object.entries(groupColumns(db, query.hour_ms));
  const groupNames = sql.join(groups.map(([name]) => sql.ref(name)));
  const groupValues = groups.map(([name, value]) => {
    const isWanted = query.by.some((group) => group === name);
    const none = name === 'hour' ? sql`cast(null as bigint)` : sql`cast(null as text)`;
    return sql`${isWanted ? value : none} as ${sql.ref(name)}`;
  });
  const selectFacts = ({ facts, rows }: Source) => {
    const values = factNames.map(
      (name) => sql`${facts[name] ?? sql`cast(null as bigint)`} as ${sql.ref(name)}`,
    );
    return sql`select id, status, created_at, ended_at, dropoff_at, promised_at, ${sql.join([...groupValues, ...values])}
      from ${rows}`;
  };
  const sums = Object.entries(sumsOfFacts()).map(
    ([name, value]) => sql`cast(coalesce(sum(${value}), 0) as bigint) as ${sql.ref(name)}`,
  );
  const { rows } = await sql<ReportSums>`
    with paid as (${paidByDelivery(query)})
    select status, ${groupNames}, ${sql.join(sums)}, ${listOf(db, passed)} as passed_list, max(id) as newest_id
    from (
      ${selectFacts(createdDeliveries(db, query))}
      union all
      ${selectFacts(chargedDeliveries(db, query))}
      union all
      ${selectFacts(promisedDeliveries(db, query))}
    ) as found
    group by status, ${groupNames}`.execute(db);
  return rows;
}

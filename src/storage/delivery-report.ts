/**
 * The sums of a report: one query over the deliveries and charges of a period, with a row for each status and group.
 * `service/deliveries/report.ts` adds them up.
 */
import { type RawBuilder, sql } from 'kysely';
import type { ChargeKind, DeliveryStatus } from '../contract/vocabulary.ts';
import type { Connection, Scope } from './database.ts';
import { isCanceledOrFailed, isLateAt } from './delivery-queries.ts';
import { pageBounds, ulidTime } from './paging.ts';
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

interface PeriodOfAccount extends Scope {
  /** Times in milliseconds, both exclusive. */
  created_after: number;
  created_before: number;
}

export interface ReportQuery extends PeriodOfAccount {
  store_id?: string | undefined;
  /** The groups besides the status. */
  by: readonly GroupColumn[];
  /** For when those that count as late or on time were promised. */
  due: Period;
  /** The time by which deliveries under way may be late. */
  now: number;
  /** Deliveries are counted as they were at this time, by default as they are. */
  as_of?: number | undefined;
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
  /** The other parts of the cost: courier prices and service fees that were not given back, and what was charged after the dispatch. */
  prices: number;
  service_fees: number;
  return_fees: number;
  cancellation_fees: number;
  adjustments: number;
  /** The orders that were charged more in the period than their quote, and how much more. */
  over_quote: number;
  over_quote_cost: number;
  /** The cost of those that are the last of their order. */
  last_cost: number;
  /** Of those without an agreed time that have ended: their number, and the milliseconds from creation to end. */
  timed: number;
  passed_ms: number;
  /** Of the same: their milliseconds from creation to pickup. */
  pickup_ms: number;
  /** Their seconds from creation to end, separated by commas; null without one. */
  passed_list: string | null;
  /** Those whose courier reported a driver, and the milliseconds from the creation to it. */
  assigned: number;
  assigned_ms: number;
  /** Those whose driver driver reported the arrival at the pickup, and the milliseconds from there to the pickup. */
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
    reason: sql`case when ended_at is not null or status = 'enroute_to_return'
      then coalesce(${field('failure_reason')}, ${field('cancellation_reason')}) end`,
  };
}

/** The status of a delivery at a time. */
function statusAt(db: Connection, at: number): RawBuilder<unknown> {
  const read = isPostgres(db)
    ? sql`(select entry ->> 'status' from json_array_elements(record::json -> 'status_history') with ordinality as part (entry, place)
        where cast(entry ->> 'at' as bigint) < ${at} order by place desc limit 1)`
    : sql`(select value ->> '$.status' from json_each(record, '$.status_history')
        where value ->> '$.at' < ${at} order by key desc limit 1)`;
  return sql`case when updated_at < ${at} then status else coalesce(${read}, status) end`;
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
  return sql`ended_at is not null and ${textInRecord(db, 'failure_reason')} in ('provider_refused', 'provider_unreachable', 'provider_not_connected')`;
}

/** The deliveries as they were at a time. What was under way then is late if it came late, or still is. */
function deliveriesAt(db: Connection, at: number, now: number): RawBuilder<unknown> {
  return sql`(select id, account_id, test_mode, order_id, service, store_id, created_at, dropoff_at, promised_at, record,
    ${statusAt(db, at)} as status, case when ended_at < ${at} then ended_at end as ended_at,
    case when ${isLateAt(now)} then 1 else 0 end as is_late_now from deliveries) as deliveries`;
}

/** What is read of each delivery; null where it does not count. */
const facts = [
  ...(['is_last', 'is_created', 'promised_arrived', 'is_late', 'declined', 'given_back'] as const),
  ...(['cost', 'tip', 'price', 'fee', 'back', 'canceled', 'adjusted', 'order_cost', 'quoted_price'] as const),
  ...(['picked_up_at', 'assigned_at', 'at_store_at', 'value', 'quoted'] as const),
] as const;
type Fact = (typeof facts)[number];

/** The sums of the charges of a delivery by their kind. */
const kindNames = {
  delivery: 'price',
  tip: 'tip',
  return: 'back',
  cancellation: 'canceled',
  adjustment: 'adjusted',
} satisfies Partial<Record<ChargeKind, Fact>>;

const isTimed = sql`is_last = 1 and ended_at is not null and dropoff_at is null`;

/** The sums of a group. */
function sumsOfFacts() {
  const isWaited = sql`is_last = 1 and ${hasArrived} and picked_up_at >= at_store_at`;
  const isAssigned = sql`${isTimed} and ${hasArrived} and assigned_at >= created_at`;
  const isOver = sql`order_cost > quoted_price`;
  const when = (condition: RawBuilder<unknown>, value: RawBuilder<unknown>) =>
    sql`case when ${condition} then ${value} end`;
  const kept = (value: RawBuilder<unknown>) => when(sql`given_back = 0`, value);
  const one = sql`1`;
  return {
    deliveries: sql`is_created`,
    orders: sql`is_last`,
    declined: sql`declined`,
    promised_arrived: sql`promised_arrived`,
    late: sql`is_late`,
    cost: sql`cost`,
    last_cost: when(sql`is_last = 1`, sql`cost`),
    tips: kept(sql`tip`),
    tipped: when(sql`given_back = 0 and tip > 0`, one),
    prices: kept(sql`price - coalesce(fee, 0)`),
    service_fees: kept(sql`fee`),
    return_fees: sql`back`,
    cancellation_fees: sql`canceled`,
    adjustments: sql`adjusted`,
    over_quote: when(isOver, one),
    over_quote_cost: when(isOver, sql`order_cost - quoted_price`),
    timed: when(isTimed, one),
    passed_ms: when(isTimed, sql`ended_at - created_at`),
    pickup_ms: when(isTimed, sql`picked_up_at - created_at`),
    assigned: when(isAssigned, one),
    assigned_ms: when(isAssigned, sql`assigned_at - created_at`),
    waited: when(isWaited, one),
    wait_ms: when(isWaited, sql`picked_up_at - at_store_at`),
    late_ms: when(sql`is_late = 1 and ${hasArrived}`, sql`ended_at - promised_at`),
    value: when(sql`is_last = 1`, sql`value`),
    quoted: when(sql`is_last = 1`, sql`quoted`),
  };
}

function listOf(db: Connection, value: RawBuilder<unknown>): RawBuilder<unknown> {
  return isPostgres(db) ? sql`string_agg(cast(${value} as text), ',')` : sql`group_concat(${value})`;
}

/**
 * Sums up the dispatched deliveries of a period in one query, by its range of ids. Money counts by the time at which it
 * was charged or refunded, so that the sum is that of the charges of the period; what is late or on time, by the time for
 * which it was promised, so that it is what the list of late ones has.
 */
export async function reportSums(db: Connection, query: ReportQuery): Promise<ReportSums[]> {
  const { account_id, test_mode, store_id, by, due, now, as_of } = query;
  const ofStore = store_id === undefined ? sql`1 = 1` : sql`store_id = ${store_id}`;
  const isCreated = sql`${pageBounds(query, 'dlv_')} and status <> 'request' and service <> '' and ${ofStore}`;
  const dueBounds = { account_id, test_mode, ...creationBound(due), created_before: as_of };
  const isDue = sql`${pageBounds(dueBounds, 'dlv_')} and ${isInPeriod(dueTime, due)}`;
  const groupNames = Object.keys(groupColumns(db));
  const groups = Object.entries(groupColumns(db)).map(([name, value]) => {
    const isWanted = by.some((group) => group === name);
    const none = name === 'hour' ? sql`cast(null as bigint)` : sql`cast(null as text)`;
    return sql`${isWanted ? value : none} as ${sql.ref(name)}`;
  });
  const part = (given: Partial<Record<Fact, RawBuilder<unknown>>>) => {
    const values = facts.map((name) => sql`${given[name] ?? sql`cast(null as bigint)`} as ${sql.ref(name)}`);
    return sql`select id, status, created_at, ended_at, dropoff_at, promised_at, ${sql.join([...groups, ...values])}`;
  };
  const [source, isLate] =
    as_of === undefined
      ? [sql`deliveries`, isLateAt(now)]
      : [deliveriesAt(db, as_of, now), sql`is_late_now = 1`];
  // The index of the delivery finds its charges: those of the account would be read whole for each delivery.
  const refunds = pageBounds({ account_id, test_mode, created_before: query.created_before }, 'chg_', {
    id: sql`(id || '')`,
    account: sql`(account_id || '')`,
  });
  const quoted = sql`${integerInRecord(db, 'payment_amount')} + coalesce(${integerInRecord(db, 'tip')}, 0)`;
  const fee = sql`${integerInRecord(db, 'payment_amount')} - ${integerInRecord(db, 'cost_of_delivery')}`;
  const money = {
    ...{
      cost: sql`cost`,
      tip: sql`tip`,
      price: sql`price`,
      back: sql`back`,
      canceled: sql`canceled`,
      adjusted: sql`adjusted`,
    },
    fee: sql`case when price is not null then ${fee} end`,
    given_back: sql`case when ${isCanceledOrFailed} and exists (
      select 1 from charges where delivery_id = deliveries.id and kind = 'refund' and ${refunds}) then 1 else 0 end`,
    quoted_price: sql`case when price is null then 0 else ${quoted} end`,
  };
  const isLastOfOrder = sql`row_number() over (partition by order_id order by id desc) = 1`;
  const { rows } = await sql<ReportSums>`
    with paid as (
      select delivery_id, sum(amount) as cost, ${sql.join(
        Object.entries(kindNames).map(
          ([kind, name]) => sql`sum(case when kind = ${sql.lit(kind)} then amount end) as ${sql.ref(name)}`,
        ),
      )}
      from charges where ${pageBounds(query, 'chg_')} group by delivery_id
    )
    select status, ${sql.join(groupNames.map((name) => sql.ref(name)))}, ${sql.join(
      Object.entries(sumsOfFacts()).map(
        ([name, value]) => sql`cast(coalesce(sum(${value}), 0) as bigint) as ${sql.ref(name)}`,
      ),
    )}, ${listOf(db, sql`case when ${isTimed} then (ended_at - created_at) / 1000 end`)} as passed_list, max(id) as newest_id
    from (
      ${part({
        ...money,
        is_last: sql`case when ${isLastOfOrder} then 1 else 0 end`,
        is_created: sql`1`,
        order_cost: sql`case when ${isLastOfOrder} then sum(cost) over (partition by order_id) end`,
        declined: sql`case when ${isDeclined(db)} then 1 else 0 end`,
        picked_up_at: integerInRecord(db, 'pickup.eta'),
        assigned_at: statusTime(db, 'driver_assigned'),
        at_store_at: statusTime(db, 'arrived_at_pickup'),
        value: integerInRecord(db, 'order_value'),
        quoted,
      })} from ${source} left join paid on delivery_id = id where ${isCreated}
      union all
      ${part({ ...money, order_cost: sql`cost` })}
      from paid join ${source} on id = delivery_id where not (${isCreated}) and ${ofStore}
      union all
      ${part({
        promised_arrived: sql`case when ${hasArrived} then 1 else 0 end`,
        is_late: sql`case when ${isLate} then 1 else 0 end`,
      })}
      from ${source} where ${isDue} and (${hasArrived} or ended_at is null) and status <> 'request' and ${ofStore}
    ) as found
    group by status, ${sql.join(groupNames.map((name) => sql.ref(name)))}`.execute(db);
  return rows;
}

/** The quotes of a courier in a period: of each route one. */
export interface QuoteSums {
  courier: string;
  quotes: number;
  /** Of these, those that were dispatched. */
  taken: number;
  /** Their prices, in cents. */
  cost: number;
}

export async function quoteSums(
  db: Connection,
  { account_id, test_mode, created_after, created_before }: PeriodOfAccount,
): Promise<QuoteSums[]> {
  const { rows } = await sql<QuoteSums>`
    select provider as courier, count(*) as quotes, cast(sum(taken) as bigint) as taken, cast(sum(price) as bigint) as cost
    from (
      select provider, min(cost_of_delivery + service_fee) as price, max(case when exists (
        select 1 from dispatches where dispatches.route_id = quotes.route_id and dispatches.provider = quotes.provider
      ) then 1 else 0 end) as taken
      from quotes where account_id = ${account_id}
        and id >= ${`rq_${ulidTime(created_after)}`} and id < ${`rq_${ulidTime(created_before)}`}
        and exists (select 1 from routes where routes.id = quotes.route_id and routes.test_mode = ${test_mode})
      group by provider, quotes.route_id
    ) as each_route group by provider`.execute(db);
  return rows;
}

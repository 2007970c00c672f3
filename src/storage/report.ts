import { type RawBuilder, sql } from 'kysely';
import type { DeliveryStatus } from '../contract/vocabulary.ts';
import { late_tolerance_ms } from '../domain/lateness.ts';
import type { Connection, Scope } from './database.ts';
import { pageBounds } from './paging.ts';
import { canLockRows } from './rows.ts';

export interface ReportQuery extends Scope {
  /** Times in milliseconds, both exclusive. */
  created_after: number;
  created_before: number;
  /** The groups besides the status. */
  by: readonly GroupColumn[];
  /** The time by which deliveries under way may be late. */
  now: number;
}

/** The sums of the deliveries with the same status and groups. Groups that were not asked for are null. */
export interface ReportSums {
  status: DeliveryStatus;
  courier: string | null;
  store_id: string | null;
  driver_id: string | null;
  deliveries: number;
  /** Those that ended, or have not ended and are expected, more than the tolerance after the promised time. */
  late: number;
  /** Charges and refunds, in cents. */
  cost: number;
  /** Of those without an agreed time that have ended: their number, and the milliseconds from creation to end. */
  timed: number;
  passed_ms: number;
  /** The id of the newest. */
  newest_id: string;
}

type GroupColumn = 'courier' | 'store_id' | 'driver_id';

/** Each engine has its own way to read a field of the record. */
function groupColumns(db: Connection): Record<GroupColumn, RawBuilder<unknown>> {
  return {
    courier: sql`service`,
    store_id: sql`store_id`,
    driver_id: canLockRows(db) ? sql`record::json -> 'driver' ->> 'id'` : sql`record ->> '$.driver.id'`,
  };
}

/** Sums up the dispatched deliveries of a period in one query, by its range of ids. */
export async function reportSums(db: Connection, query: ReportQuery): Promise<ReportSums[]> {
  const { by, now } = query;
  const columns = Object.entries(groupColumns(db)).map(([name, value]) => {
    const isWanted = by.some((group) => group === name);
    return sql`${isWanted ? value : sql`cast(null as text)`} as ${sql.ref(name)}`;
  });
  const sum = (value: ReturnType<typeof sql>) => sql`cast(coalesce(sum(${value}), 0) as bigint)`;
  const isTimed = sql`ended_at is not null and dropoff_at is null`;
  const { rows } = await sql<ReportSums>`
    select status, courier, store_id, driver_id, count(*) as deliveries, ${sum(sql`cost`)} as cost,
      ${sum(sql`case when arrives_at > promised_at + ${sql.lit(late_tolerance_ms)} then 1 else 0 end`)} as late,
      ${sum(sql`case when ${isTimed} then 1 else 0 end`)} as timed,
      ${sum(sql`case when ${isTimed} then ended_at - created_at end`)} as passed_ms, max(id) as newest_id
    from (
      select id, status, ${sql.join(columns)}, created_at, ended_at, dropoff_at, promised_at,
        coalesce(ended_at, case when dropoff_eta > ${now} then dropoff_eta else ${now} end) as arrives_at,
        (select sum(amount) from charges where delivery_id = deliveries.id) as cost
      from deliveries where ${pageBounds(query, 'dlv_')} and status <> 'request' and service <> ''
    ) as found
    group by status, courier, store_id, driver_id`.execute(db);
  return rows;
}

/** The names of the stores with these ids. */
export async function storeNames(db: Connection, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('stores').select(['id', 'record']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, record }) => [id, JSON.parse(record).name]));
}

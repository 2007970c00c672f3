/**
 * What couriers quoted in a period, for the report of a shop. It is apart from the other queries of quotes, as look-ups
 * load those without the builder of raw queries.
 */
import { sql } from 'kysely';
import type { Connection, Scope } from './database.ts';
import { ulidTime } from './paging.ts';

/** The quotes of a courier in a period: of each route one. */
export interface QuoteSums {
  courier: string;
  quotes: number;
  /** The quotes that were dispatched. */
  taken: number;
  /** The prices of all quotes, in cents. */
  cost: number;
}

/** The quotes of each courier that were made from `created_after` on and before `created_before`. */
export async function quoteSums(
  db: Connection,
  {
    account_id,
    test_mode,
    created_after,
    created_before,
  }: Scope & { created_after: number; created_before: number },
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

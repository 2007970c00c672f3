/**
 * The references of orders: which are in use, and how of several requests with one the first gets it. This file needs the
 * SQL of the query builder; `orders.ts`, which every look-up loads, does not.
 */
import { sql } from 'kysely';
import type { Connection, Scope } from './database.ts';
import { ulidTime } from './paging.ts';
import { canLockRows, inScope } from './rows.ts';

/**
 * Keeps other transactions that lock one of these references from going on until this one ends, so that they see what
 * it has inserted. Several references share a lock, as those of all batches together must fit into the server's memory.
 */
export async function lockReferences(
  db: Connection,
  { account_id, test_mode }: Scope,
  refs: readonly string[],
): Promise<void> {
  if (!canLockRows(db)) return;
  const scope = `${account_id} ${test_mode}`;
  await sql`select pg_advisory_xact_lock(hashtext(${scope}), part) from (
    select distinct abs(hashtext(ref) % 32) as part from unnest(${refs}::text[]) as ref order by part
  ) as parts`.execute(db);
}

const endedBadly = ['unfulfilled', 'failed', 'canceled'] as const;
const unsent = [...endedBadly, 'open', 'routed'] as const;

/**
 * The newest order since a time for each reference that is in use. An order uses its reference unless it has ended badly.
 * Where orders that exist are to be sent (`beside`), only another one that is sent counts, or that auto dispatch sends: one
 * that merely exists is no second delivery.
 */
export async function ordersByReferenceInUse(
  db: Connection,
  scope: Scope,
  { refs, since, beside = [] }: { refs: readonly string[]; since: number; beside?: readonly string[] },
): Promise<Map<string, string>> {
  const found = await db
    .selectFrom('orders')
    .select(({ fn }) => ['external_order_ref', fn.max('id').as('id')])
    .where(inScope(scope))
    .where('external_order_ref', 'in', refs)
    .where('id', '>=', `ord_${ulidTime(since)}`)
    .$if(beside.length > 0, (query) => query.where('id', 'not in', beside))
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('status', 'not in', beside.length === 0 ? endedBadly : unsent),
        // Auto dispatch may still try a failed order again.
        exists(
          selectFrom('batch_orders')
            .select('order_id')
            .whereRef('order_id', '=', 'orders.id')
            .where('status', '=', 'pending'),
        ),
      ]),
    )
    .groupBy('external_order_ref')
    .execute();
  return new Map(found.map(({ external_order_ref, id }) => [external_order_ref, id]));
}

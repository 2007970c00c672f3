/**
 * The references of orders: which are in use, and how of several requests with one the first gets it. Apart from the
 * orders, which every look-up loads: the writer of raw SQL is not needed there.
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

const ended = ['unfulfilled', 'failed', 'canceled'] as const;
const unsent = [...ended, 'open', 'routed'] as const;

/**
 * The newest order since a time for each reference that is in use: unless the order has ended, and badly. Beside these
 * orders only one that is sent uses it, or that auto dispatch sends: one that merely exists is no second delivery.
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
        eb('status', 'not in', beside.length === 0 ? ended : unsent),
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

import type { ChargeKind } from '../contract/vocabulary.ts';
import type { ChargeRow, Connection, DispatchRow } from './database.ts';
import type { Page, PageQuery } from './paging.ts';
import { appendTo, keptRows } from './transaction-rows.ts';

const rows = keptRows<DispatchRow>('dispatches', ({ id }) => id);

const byId = rows.byKey((db, ids) =>
  db.selectFrom('dispatches').selectAll().where('id', 'in', ids).execute(),
);

export const insertDispatch = rows.appendOneBy((db, dispatches) =>
  db.insertInto('dispatches').values(dispatches),
);

/** Dispatches of any account, unordered: for background tasks, which know the ids from their own records. */
export const findDispatches = byId.read;

/** The dispatches of a route, oldest first. */
export async function dispatchesOfRoute(db: Connection, route_id: string): Promise<DispatchRow[]> {
  return db.selectFrom('dispatches').selectAll().where('route_id', '=', route_id).orderBy('id').execute();
}

/** Records a provider's response once and returns the dispatch; undefined if it already has a response. */
export async function settleDispatch(
  db: Connection,
  settle: { id: string; to: 'accepted' | 'refused'; reason: string | null; now: number },
): Promise<DispatchRow | undefined> {
  const [settled] = await rows.change(
    db,
    db
      .updateTable('dispatches')
      .set({ state: settle.to, reason: settle.reason, unsettled: null, updated_at: settle.now })
      .where('id', '=', settle.id)
      .where('state', '=', 'asking'),
  );
  return settled;
}

/** Records why only a person can find out whether the provider has accepted. */
export async function markUnsettled(
  db: Connection,
  { id, unsettled, now }: { id: string; unsettled: string; now: number },
): Promise<void> {
  await db
    .updateTable('dispatches')
    .set({ unsettled, updated_at: now })
    .where('id', '=', id)
    .where('state', '=', 'asking')
    .execute();
}

interface ChargeQuery extends PageQuery {
  delivery_id?: string | undefined;
  order_id?: string | undefined;
  kind?: ChargeKind | undefined;
}

export const insertCharges = appendTo<ChargeRow>('charges', (db, rows) =>
  db.insertInto('charges').values(rows),
);

export async function listCharges(db: Connection, query: ChargeQuery): Promise<Page<ChargeRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  const { sql } = await import('kysely');
  const { delivery_id, order_id, kind } = query;
  // A delivery or an order has few charges: the index of deliveries is used instead of the account's.
  const isOfFew = delivery_id !== undefined || order_id !== undefined;
  const bounds = pageBounds(query, 'chg_', isOfFew ? { account: sql`coalesce(account_id, '')` } : {});
  let found = db.selectFrom('charges').selectAll().where(bounds);
  if (delivery_id !== undefined) found = found.where('delivery_id', '=', delivery_id);
  if (order_id !== undefined) {
    const own = db.selectFrom('deliveries').select('id').where('order_id', '=', order_id);
    found = found.where('delivery_id', 'in', own);
  }
  if (kind !== undefined) found = found.where('kind', '=', kind);
  // Text, as the index of kinds has it. It leaves out the kind that every delivery has.
  if (kind !== undefined && kind !== 'delivery') found = found.where(sql<boolean>`kind <> 'delivery'`);
  return readPage(db, query.limit, [found]);
}

/** All charges and refunds of a delivery, oldest first. */
export async function chargesOfDelivery(db: Connection, delivery_id: string): Promise<ChargeRow[]> {
  return db.selectFrom('charges').selectAll().where('delivery_id', '=', delivery_id).orderBy('id').execute();
}

import type { ChargeKind } from '../contract/vocabulary.ts';
import type { ChargeRow, Connection } from './database.ts';
import type { Page, PageQuery } from './paging.ts';
import { appendTo } from './transaction-rows.ts';

export interface ChargeQuery extends PageQuery {
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
  // A delivery or an order has few charges: the index of deliveries is used instead of the account's.
  const isOfFew = query.delivery_id !== undefined || query.order_id !== undefined;
  const account = !isOfFew ? undefined : sql`coalesce(account_id, '')`;
  const bounds = pageBounds(query, 'chg_', account && { account });
  let found = db.selectFrom('charges').selectAll().where(bounds);
  if (query.delivery_id !== undefined) {
    found = found.where('delivery_id', '=', query.delivery_id);
  }
  const { order_id } = query;
  if (order_id !== undefined) {
    found = found.where('delivery_id', 'in', (eb) =>
      eb.selectFrom('deliveries').select('id').where('order_id', '=', order_id),
    );
  }
  if (query.kind !== undefined) {
    found = found.where('kind', '=', query.kind);
    // Text, as the index of kinds has it. It leaves out the kind that every delivery has.
    if (query.kind !== 'delivery') found = found.where(sql<boolean>`kind <> 'delivery'`);
  }
  return readPage(db, query.limit, [found]);
}

/** All charges and refunds of a delivery, oldest first. */
export async function chargesOfDelivery(db: Connection, delivery_id: string): Promise<ChargeRow[]> {
  return db.selectFrom('charges').selectAll().where('delivery_id', '=', delivery_id).orderBy('id').execute();
}

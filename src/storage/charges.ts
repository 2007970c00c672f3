import type { ChargeRow, Connection } from './database.ts';
import type { Page, PageQuery } from './paging.ts';
import { chunks } from './rows.ts';

export interface ChargeQuery extends PageQuery {
  delivery_id?: string | undefined;
}

export async function insertCharges(db: Connection, charges: readonly ChargeRow[]): Promise<void> {
  for (const batch of chunks(charges)) {
    await db.insertInto('charges').values(batch).execute();
  }
}

export async function listCharges(db: Connection, query: ChargeQuery): Promise<Page<ChargeRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  let charges = db.selectFrom('charges').selectAll().where(pageBounds(query, 'chg_'));
  if (query.delivery_id !== undefined) {
    charges = charges.where('delivery_id', '=', query.delivery_id);
  }
  return readPage(db, query.limit, [charges]);
}

/** Every movement of a delivery's money, oldest first. */
export async function chargesOfDelivery(db: Connection, delivery_id: string): Promise<ChargeRow[]> {
  return db.selectFrom('charges').selectAll().where('delivery_id', '=', delivery_id).orderBy('id').execute();
}

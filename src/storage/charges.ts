import type { ChargeKind } from '../contract/vocabulary.ts';
import type { ChargeRow, Connection } from './database.ts';
import type { Page, PageQuery } from './paging.ts';
import { chunks } from './rows.ts';

export interface ChargeQuery extends PageQuery {
  delivery_id?: string | undefined;
  kind?: ChargeKind | undefined;
}

export async function insertCharges(db: Connection, charges: readonly ChargeRow[]): Promise<void> {
  for (const batch of chunks(charges)) {
    await db.insertInto('charges').values(batch).execute();
  }
}

export async function listCharges(db: Connection, query: ChargeQuery): Promise<Page<ChargeRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  const { sql } = await import('kysely');
  // A delivery has few charges: its index is used instead of the account's.
  const account = query.delivery_id === undefined ? undefined : sql`coalesce(account_id, '')`;
  const bounds = pageBounds(query, 'chg_', account && { account });
  let charges = db.selectFrom('charges').selectAll().where(bounds);
  if (query.delivery_id !== undefined) {
    charges = charges.where('delivery_id', '=', query.delivery_id);
  }
  if (query.kind !== undefined) {
    charges = charges.where('kind', '=', query.kind);
  }
  return readPage(db, query.limit, [charges]);
}

/** All charges and refunds of a delivery, oldest first. */
export async function chargesOfDelivery(db: Connection, delivery_id: string): Promise<ChargeRow[]> {
  return db.selectFrom('charges').selectAll().where('delivery_id', '=', delivery_id).orderBy('id').execute();
}

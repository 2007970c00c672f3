import type { Connection, Scope, StoreRow } from './database.ts';
import type { Page, PageQuery } from './paging.ts';
import { inScope } from './scope.ts';

export async function insertStore(db: Connection, store: StoreRow): Promise<void> {
  await db.insertInto('stores').values(store).execute();
}

export async function findStore(db: Connection, scope: Scope, id: string): Promise<StoreRow | undefined> {
  return db.selectFrom('stores').selectAll().where('id', '=', id).where(inScope(scope)).executeTakeFirst();
}

export async function listStores(db: Connection, query: PageQuery): Promise<Page<StoreRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  return readPage(db, query.limit, [db.selectFrom('stores').selectAll().where(pageBounds(query, 'str_'))]);
}

/** Updates a store; false if it does not exist. */
export async function updateStore(
  db: Connection,
  update: Pick<StoreRow, 'id' | 'record' | 'updated_at'>,
): Promise<boolean> {
  const { id, ...change } = update;
  const result = await db.updateTable('stores').set(change).where('id', '=', id).executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** False if the store does not exist. */
export async function deleteStore(db: Connection, id: string): Promise<boolean> {
  const result = await db.deleteFrom('stores').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows === 1n;
}

/** Saved places: the stores of merchants, and what geocoders have answered. */
import type { Connection, GeocodedPlaceRow, Scope, StoreRow } from './database.ts';
import type { OldRows } from './deletion.ts';
import { keptRows } from './kept-rows.ts';
import type { Page, PageQuery } from './paging.ts';
import { chunks, inScope } from './rows.ts';

const storesById = keptRows<StoreRow>('stores', ({ id }) => id).byKey((db, ids) =>
  db.selectFrom('stores').selectAll().where('id', 'in', ids).execute(),
);

/** The stores with these ids, of any account; those that were deleted are missing. */
export const loadStores = storesById.read;

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

/** The names of stores by their ids. */
export async function storeNames(db: Connection, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('stores').select(['id', 'record']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, record }) => [id, JSON.parse(record).name]));
}

// The answers of geocoders are stored for all accounts: an address says nothing about its orders.

/** The answers of a geocoder about addresses in lower case that are not older than `since`. */
export async function geocodedPlaces(
  db: Connection,
  { geocoder, addresses, since }: { geocoder: string; addresses: readonly string[]; since: number },
): Promise<GeocodedPlaceRow[]> {
  const found: GeocodedPlaceRow[] = [];
  for (const some of chunks(addresses)) {
    found.push(
      ...(await db
        .selectFrom('geocoded_places')
        .selectAll()
        .where('address', 'in', some)
        .where('geocoder', '=', geocoder)
        .where('found_at', '>=', since)
        .execute()),
    );
  }
  return found;
}

export async function writeGeocodedPlace(db: Connection, row: GeocodedPlaceRow): Promise<void> {
  const { found, found_at } = row;
  await db
    .insertInto('geocoded_places')
    .values(row)
    .onConflict((conflict) => conflict.columns(['address', 'geocoder']).doUpdateSet({ found, found_at }))
    .execute();
}

/** Everything that is kept about addresses in lower case. */
export async function placesOfAddresses(
  db: Connection,
  addresses: readonly string[],
): Promise<GeocodedPlaceRow[]> {
  return db
    .selectFrom('geocoded_places')
    .selectAll()
    .where('address', 'in', addresses)
    .orderBy('address')
    .execute();
}

export async function deletePlacesOfAddresses(db: Connection, addresses: readonly string[]): Promise<void> {
  await db.deleteFrom('geocoded_places').where('address', 'in', addresses).execute();
}

/** Deletes the oldest answers, and returns their number. */
export async function deleteOldPlaces(db: Connection, { before, limit }: OldRows): Promise<number> {
  const old = db
    .selectFrom('geocoded_places')
    .select(['address', 'geocoder'])
    .where('found_at', '<', before)
    .orderBy('found_at')
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom('geocoded_places')
    .where(({ eb, refTuple }) =>
      eb(refTuple('address', 'geocoder'), 'in', old.$asTuple('address', 'geocoder')),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

import type { Connection, GeocodedPlaceRow } from './database.ts';
import type { OldRows } from './retention.ts';
import { chunks } from './rows.ts';

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

import type { Insertable } from 'kysely';
import type { Connection, CourierEntryRow, CourierEntryTable } from './database.ts';

export type NewCourierEntry = Omit<Insertable<CourierEntryTable>, 'sequence'>;

export async function insertCourierEntry(db: Connection, entry: NewCourierEntry): Promise<void> {
  await db.insertInto('courier_entries').values(entry).execute();
}

/** A courier's entries of one name, in order. */
export async function courierEntries(
  db: Connection,
  provider: string,
  name: string,
): Promise<CourierEntryRow[]> {
  return db
    .selectFrom('courier_entries')
    .selectAll()
    .where('provider', '=', provider)
    .where('name', '=', name)
    .orderBy('sequence')
    .execute();
}

/** A courier's entries for one dispatch, in order. */
export async function courierEntriesOf(
  db: Connection,
  provider: string,
  reference: string,
): Promise<CourierEntryRow[]> {
  return db
    .selectFrom('courier_entries')
    .selectAll()
    .where('provider', '=', provider)
    .where('reference', '=', reference)
    .orderBy('sequence')
    .execute();
}

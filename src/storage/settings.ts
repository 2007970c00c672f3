import type { Connection } from './database.ts';

/** A setting of the whole service, such as its seed; null if never written. */
export async function readSetting(db: Connection, key: string): Promise<string | null> {
  const row = await db.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst();
  return row?.value ?? null;
}

export async function writeSetting(db: Connection, key: string, value: string): Promise<void> {
  await db
    .insertInto('settings')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

/** Writes a setting if its value is still `expected` (null: absent); false, without a change, otherwise. */
export async function replaceSetting(
  db: Connection,
  key: string,
  { believed, value }: { believed: string | null; value: string },
): Promise<boolean> {
  if (believed === null) {
    const result = await db
      .insertInto('settings')
      .values({ key, value })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return result.numInsertedOrUpdatedRows === 1n;
  }
  const result = await db
    .updateTable('settings')
    .set({ value })
    .where('key', '=', key)
    .where('value', '=', believed)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

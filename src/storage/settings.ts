import type { Connection, Flag } from './database.ts';
import type { PreparedQuery } from './prepared-queries.ts';

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

/** The state of a mode that a service needs for every request. */
interface ServiceState {
  /** When the next task of the mode is due, by its clock; null if absent. */
  due_at: number | null;
  /** The settings with these names; null if never written. */
  clock: string | null;
  seed: string | null;
}

/** Read in one statement, because every request needs it. The parameters are the mode and the names of the settings. */
export const serviceState: PreparedQuery<ServiceState, [test_mode: Flag, clock: string, seed: string]> = {
  name: 'state of the service',
  sample: [1, 'clock', 'test_seed'],
  query: (db, test_mode, clock, seed) =>
    db.selectNoFrom([
      db
        .selectFrom('tasks')
        .select(({ fn }) => fn.min<number | null>('due_at').as('due_at'))
        .where('test_mode', '=', test_mode)
        .as('due_at'),
      settingNamed(db, clock).as('clock'),
      settingNamed(db, seed).as('seed'),
    ]),
};

function settingNamed(db: Connection, key: string) {
  return db.selectFrom('settings').select('value').where('key', '=', key);
}

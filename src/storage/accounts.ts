import type { AccountRow, Connection } from './database.ts';

export async function insertAccount(db: Connection, account: AccountRow): Promise<void> {
  await db.insertInto('accounts').values(account).execute();
}

export async function findAccount(db: Connection, id: string): Promise<AccountRow | undefined> {
  return db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The oldest account: the one of an embedded service. */
export async function firstAccount(db: Connection): Promise<AccountRow | undefined> {
  return db.selectFrom('accounts').selectAll().orderBy('id').limit(1).executeTakeFirst();
}

/** Replaces the settings (JSON); false when there is no such account. */
export async function writeAccountSettings(db: Connection, id: string, settings: string): Promise<boolean> {
  const result = await db.updateTable('accounts').set({ settings }).where('id', '=', id).executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

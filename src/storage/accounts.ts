import type { AccountRow, Connection, Flag, Scope } from './database.ts';

/** An account with the settings of one mode. */
export interface Account extends Pick<AccountRow, 'id' | 'name' | 'created_at'> {
  /** JSON: the settings of the mode. */
  settings: string;
}

/** The column with the settings of a mode. */
const settingsColumn = (test_mode: Flag) => (test_mode === 1 ? 'test_settings' : 'live_settings');

export async function insertAccount(
  db: Connection,
  account: Omit<AccountRow, 'live_settings' | 'test_settings'>,
): Promise<void> {
  await db
    .insertInto('accounts')
    .values({ ...account, live_settings: '{}', test_settings: '{}' })
    .execute();
}

export async function findAccount(
  db: Connection,
  { account_id, test_mode }: Scope,
): Promise<Account | undefined> {
  return db
    .selectFrom('accounts')
    .select(['id', 'name', 'created_at', `${settingsColumn(test_mode)} as settings`])
    .where('id', '=', account_id)
    .executeTakeFirst();
}

/** The oldest account: that of an embedded service. */
export async function firstAccount(db: Connection): Promise<AccountRow | undefined> {
  return db.selectFrom('accounts').selectAll().orderBy('id').limit(1).executeTakeFirst();
}

/** Replaces an account's settings (JSON) of one mode; false if the account does not exist. */
export async function writeAccountSettings(
  db: Connection,
  { account_id, test_mode }: Scope,
  settings: string,
): Promise<boolean> {
  const result = await db
    .updateTable('accounts')
    .set({ [settingsColumn(test_mode)]: settings })
    .where('id', '=', account_id)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

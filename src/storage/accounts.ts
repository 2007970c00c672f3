import type { AccountRow, Connection, Flag, Scope } from './database.ts';
import { keptRows } from './transaction-rows.ts';

/** An account with the settings of one mode. */
export interface Account extends Pick<AccountRow, 'id' | 'name' | 'created_at'> {
  /** JSON: the settings of the mode. */
  settings: string;
}

/** The column with the settings of a mode. */
const settingsColumn = (test_mode: Flag) => (test_mode === 1 ? 'test_settings' : 'live_settings');

const byId = keptRows<AccountRow>('accounts', ({ id }) => id).byKey((db, ids) =>
  db.selectFrom('accounts').selectAll().where('id', 'in', ids).execute(),
);

export async function insertAccount(
  db: Connection,
  account: Pick<AccountRow, 'id' | 'name' | 'created_at'>,
): Promise<void> {
  await db
    .insertInto('accounts')
    .values({ ...account, live_settings: '{}', test_settings: '{}', suspended_at: null })
    .execute();
}

export async function findAccount(
  db: Connection,
  { account_id, test_mode }: Scope,
): Promise<Account | undefined> {
  const [account] = await findAccounts(db, { account_ids: [account_id], test_mode });
  return account;
}

/** Accounts with the settings of a mode, unordered. */
export async function findAccounts(
  db: Connection,
  { account_ids, test_mode }: { account_ids: readonly string[]; test_mode: Flag },
): Promise<Account[]> {
  const found = await byId.read(db, account_ids);
  return found.map((row) => {
    const { id, name, created_at } = row;
    return { id, name, created_at, settings: row[settingsColumn(test_mode)] };
  });
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

/** All accounts, oldest first. */
export async function allAccounts(db: Connection): Promise<AccountRow[]> {
  return db.selectFrom('accounts').selectAll().orderBy('id').execute();
}

/** Whether there is no other account. */
export async function isOnlyAccount(db: Connection, id: string): Promise<boolean> {
  const other = await db
    .selectFrom('accounts')
    .select('id')
    .where('id', '!=', id)
    .limit(1)
    .executeTakeFirst();
  return other === undefined;
}

/** An account by its id, whatever its state. */
export async function accountById(db: Connection, id: string): Promise<AccountRow | undefined> {
  return db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Changes the name or state of an account and returns it; undefined if it does not exist. */
export async function changeAccountRow(
  db: Connection,
  id: string,
  change: Partial<Pick<AccountRow, 'name' | 'suspended_at'>>,
): Promise<AccountRow | undefined> {
  return db.updateTable('accounts').set(change).where('id', '=', id).returningAll().executeTakeFirst();
}

/**
 * Deletes an account with its keys and their audit entries; false, and nothing is deleted, if it has ever had an order,
 * route, store or endpoint.
 */
export async function deleteEmptyAccount(db: Connection, id: string): Promise<boolean> {
  for (const table of ['orders', 'routes', 'deliveries', 'stores', 'webhook_endpoints', 'events'] as const) {
    const row = await db
      .selectFrom(table)
      .select('account_id')
      .where('account_id', '=', id)
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined) return false;
  }
  await db.deleteFrom('audit_entries').where('account_id', '=', id).execute();
  await db.deleteFrom('api_keys').where('account_id', '=', id).execute();
  await db.deleteFrom('accounts').where('id', '=', id).execute();
  return true;
}

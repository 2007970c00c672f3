import { draftAccount, draftKey } from '../../../src/service/accounts/create-account.ts';
import { insertAccount, insertKey } from '../../../src/storage/accounts.ts';
import type { Fixture } from '../fixture.ts';

/** Adds an account; returns an admin test key of it. */
export async function addAccount({ storage, config }: Fixture): Promise<string> {
  const account = await draftAccount(config, 'Second shop');
  const { key, row } = await draftKey(config, { test_mode: 1, name: '', permission: 'admin' });
  await storage.run((db) => insertAccount(db, account));
  await storage.run((db) => insertKey(db, { ...row, account_id: account.id }));
  return key;
}

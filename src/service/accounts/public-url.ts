import { findAccount } from '../../storage/accounts.ts';
import type { Connection, Scope } from '../../storage/database.ts';
import { settingsOf } from '../runtime/account-settings.ts';
import type { ServiceContext } from '../runtime/context.ts';

/** The base of an account's links: its own setting, or the URL of the service. */
export async function publicUrlOfAccount(
  { publicUrl }: Pick<ServiceContext, 'publicUrl'>,
  db: Connection,
  scope: Scope,
): Promise<string> {
  const account = await findAccount(db, scope);
  return (account === undefined ? null : settingsOf(account).public_url) ?? publicUrl;
}

import type { getAccount } from '../contract/accounts.ts';
import { Problem } from '../contract/errors.ts';
import { findAccount } from '../storage/accounts.ts';
import type { Handler } from './endpoint.ts';

export const readAccount: Handler<typeof getAccount> = async ({ service, caller }) => {
  const row = await service.storage.run((db) => findAccount(db, caller.scope.account_id));
  if (row === undefined) throw new Problem('record_not_found', 'The account of this key is gone.');
  return {
    object: 'account',
    account_id: row.id,
    name: row.name,
    test_mode: caller.test_mode,
    permission: caller.permission,
    sandbox: service.sandbox,
    public_url: service.publicUrl,
  };
};

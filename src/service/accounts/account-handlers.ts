import type { Account as AccountRecord, getAccount, updateAccount } from '../../contract/accounts.ts';
import { Problem } from '../../contract/errors.ts';
import { type Account, findAccount, writeAccountSettings } from '../../storage/accounts.ts';
import type { Connection } from '../../storage/database.ts';
import type { CallBase, Handler } from '../http/handler.ts';
import { type AccountSettings, settingsOf, settingsText, withChoice } from '../runtime/account-settings.ts';
import { availableProviders } from '../runtime/courier-connections.ts';

export const readAccount: Handler<typeof getAccount> = async (call) => {
  return call.service.storage.read(async (db) => {
    const row = await accountOf(db, call);
    return accountView(db, call, { row, settings: settingsOf(row) });
  });
};

/** Changes only the given settings; null resets one. */
export const changeAccount: Handler<typeof updateAccount> = async (call) => {
  requireTestMode(call);
  const account = await call.commit(async (transaction) => {
    const row = await accountOf(transaction, call);
    const { public_url, ...chosen } = call.body;
    if (chosen.notices != null && call.service.sendMail === undefined) {
      const message = 'needs a mail server, and this service has none';
      throw new Problem('invalid_request', `The setting notices ${message}.`, [{ path: 'notices', message }]);
    }
    const url = public_url === undefined ? {} : { public_url: public_url?.replace(/\/+$/, '') ?? null };
    const settings = withChoice(settingsOf(row), { ...chosen, ...url });
    await writeAccountSettings(transaction, call.caller.scope, settingsText(settings));
    return accountView(transaction, call, { row, settings });
  });
  call.service.forgetCallers();
  return account;
};

/** In live mode nothing is collected that could be declined: couriers bill the merchant directly. */
function requireTestMode({ body, caller }: Parameters<Handler<typeof updateAccount>>[0]): void {
  if (body.payment_method == null || caller.test_mode) return;
  const message = 'payment_method simulates payments: it is a setting of test mode, and this is a live key.';
  throw new Problem('simulation_not_allowed', message);
}

async function accountOf(db: Connection, { caller }: CallBase): Promise<Account> {
  const row = await findAccount(db, caller.scope);
  if (row === undefined)
    throw new Problem('record_not_found', 'The account of this API key no longer exists.');
  return row;
}

async function accountView(
  db: Connection,
  { service, caller }: CallBase,
  { row, settings }: { row: Account; settings: AccountSettings },
): Promise<AccountRecord> {
  const { public_url, upsell, subsidy, payment_method, tip_limit, fleet, notices } = settings;
  const providers = await availableProviders(service, db, caller.scope);
  return {
    object: 'account',
    account_id: row.id,
    name: row.name,
    test_mode: caller.test_mode,
    permission: caller.permission,
    sandbox: service.sandbox,
    public_url: public_url ?? service.publicUrl,
    upsell,
    subsidy,
    payment_method,
    tip_limit,
    fleet,
    notices,
    providers: providers.map(({ name }) => name),
  };
}

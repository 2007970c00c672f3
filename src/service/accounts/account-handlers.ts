import type { Account as AccountRecord, getAccount, updateAccount } from '../../contract/accounts.ts';
import { Problem } from '../../contract/errors.ts';
import { type Account, findAccount, writeAccountSettings } from '../../storage/accounts.ts';
import type { Connection } from '../../storage/database.ts';
import type { Call, CallBase, Handler } from '../http/handler.ts';
import { type AccountSettings, settingsOf, settingsText, withChoice } from '../runtime/account-settings.ts';
import { availableProviders } from '../runtime/courier-connections.ts';

type Request = Call<typeof updateAccount>;

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
    requirePermittedNotices(call);
    const url = public_url === undefined ? {} : { public_url: public_url?.replace(/\/+$/, '') ?? null };
    const settings = withChoice(settingsOf(row), { ...chosen, ...url });
    await writeAccountSettings(transaction, call.caller.scope, settingsText(settings));
    return accountView(transaction, call, { row, settings });
  });
  call.service.forgetCallers();
  return account;
};

/** In live mode nothing is collected that could be declined: couriers bill the merchant directly. */
function requireTestMode({ body, caller }: Request): void {
  if (body.payment_method == null || caller.test_mode) return;
  const message = 'payment_method simulates payments: it is a setting of test mode, and this is a live key.';
  throw new Problem('simulation_not_allowed', message);
}

/**
 * Throws `invalid_request` for notices that could not be sent as they are set. Test mode shows what it does not send as
 * events, so it needs no mail server.
 */
function requirePermittedNotices({ body: { notices }, caller, service }: Request): void {
  if (notices == null) return;
  const refuse = (path: string, message: string) => {
    throw new Problem('invalid_request', `The setting ${path} ${message}.`, [{ path, message }]);
  };
  if (service.sendMail === undefined && !caller.test_mode)
    refuse('notices', 'needs a mail server, and this service has none');
  if (service.mail_rules?.trusts_accounts === true) return;
  for (const name of ['from_name', 'reply_to'] as const) {
    if (notices[name] !== undefined)
      refuse(`notices.${name}`, 'is set by the operator of this service, for all accounts');
  }
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

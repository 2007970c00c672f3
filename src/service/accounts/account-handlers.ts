/** An account's settings and its API keys. */
import type {
  Account as AccountRecord,
  ApiKey,
  createKey,
  getAccount,
  listKeys,
  revokeKey,
  updateAccount,
} from '../../contract/accounts.ts';
import { Problem } from '../../contract/errors.ts';
import {
  type Account,
  findAccount,
  insertKey,
  listKeys as listRows,
  otherAdminKeys,
  revokeKey as revokeRow,
  writeAccountSettings,
} from '../../storage/accounts.ts';
import type { Connection, KeyRow } from '../../storage/database.ts';
import { invalidField } from '../http/answers.ts';
import type { Call, CallBase, Handler } from '../http/handler.ts';
import { pageRequest, toPage } from '../http/paging.ts';
import {
  type AccountSettings,
  readAccountSettings,
  settingsText,
  withChoice,
} from '../runtime/account-settings.ts';
import { availableProviders } from '../runtime/courier-connections.ts';
import { instant, instantOrNull, parseInstant } from '../runtime/time.ts';
import { makeKey } from './create-account.ts';

type Request = Call<typeof updateAccount>;

export const readAccount: Handler<typeof getAccount> = async (call) => {
  return call.service.storage.read(async (db) => {
    const row = await accountOf(db, call);
    return accountView(db, call, { row, settings: readAccountSettings(row) });
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
    const settings = withChoice(readAccountSettings(row), { ...chosen, ...url });
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
  const refuse = (path: string, fault: string) => {
    throw invalidField(path, fault, `The setting ${path} ${fault}.`);
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
    geocoder: service.geocoder?.name ?? null,
    router: service.router === null ? null : service.router.isFailing() ? 'failing' : 'answering',
    sandbox: service.sandbox,
    public_url: public_url ?? service.publicUrl,
    map_tiles: service.map_tiles === undefined ? null : new URL(service.map_tiles.url).host,
    upsell,
    subsidy,
    payment_method,
    tip_limit,
    fleet,
    notices,
    providers: providers.map(({ name }) => name),
  };
}

export const addKey: Handler<typeof createKey> = async ({ service, caller, body, now, id, commit }) => {
  const expires_at = parseInstant(body.expires_at) ?? null;
  if (expires_at !== null && expires_at <= service.wall.now()) {
    throw invalidField('expires_at', 'must be in the future');
  }
  const { key, row } = await makeKey(service.secrets, {
    ...caller.scope,
    id: id('key'),
    name: body.name ?? '',
    permission: body.permission,
    created_at: now,
    expires_at,
  });
  return commit(async (transaction) => {
    await insertKey(transaction, row);
    return { ...viewOf(row), key };
  });
};

export const pageOfKeys: Handler<typeof listKeys> = async ({ service, caller, query }) => {
  const wanted = { ...caller.scope, ...pageRequest(query, 'key') };
  const page = await service.storage.read((db) => listRows(db, wanted));
  return toPage(page, viewOf);
};

/** Revokes a key, but not the last one that can always create others: one that expires does not count. */
export const endKey: Handler<typeof revokeKey> = async ({ service, caller, params, now, commit }) => {
  const key = await commit(async (transaction) => {
    const { key_id } = params;
    const row = await revokeRow(transaction, caller.scope, key_id, now);
    if (row === undefined) throw new Problem('record_not_found', `There is no API key ${key_id}.`);
    if (row.permission === 'admin') await requireOtherAdmin(transaction, row);
    return viewOf(row);
  });
  service.forgetCallers();
  return key;
};

async function requireOtherAdmin(db: Connection, { id, ...scope }: KeyRow): Promise<void> {
  if ((await otherAdminKeys(db, scope, id)) > 0) return;
  const mode = scope.test_mode === 1 ? 'test' : 'live';
  const left = 'no other one with admin permission that does not expire would be left';
  throw new Problem('last_admin_key', `${id} is needed: of the ${mode} keys of the account ${left}.`);
}

function viewOf(row: KeyRow): ApiKey {
  return {
    id: row.id,
    object: 'api_key',
    name: row.name,
    permission: row.permission,
    test_mode: row.test_mode === 1,
    last_four: row.last_four,
    created_at: instant(row.created_at),
    revoked_at: instantOrNull(row.revoked_at),
    expires_at: instantOrNull(row.expires_at),
    last_used_at: instantOrNull(row.last_used_at),
  };
}

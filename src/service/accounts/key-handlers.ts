import type { ApiKey, createKey, listKeys, revokeKey } from '../../contract/accounts.ts';
import { Problem } from '../../contract/errors.ts';
import type { Connection, KeyRow } from '../../storage/database.ts';
import {
  insertKey,
  listKeys as listRows,
  otherAdminKeys,
  revokeKey as revokeRow,
} from '../../storage/keys.ts';
import type { Handler } from '../http/handler.ts';
import { pageOf, pageRequest } from '../http/paging.ts';
import { instant, instantOrNull, parseInstant } from '../runtime/timestamps.ts';
import { makeKey } from './create-key.ts';

export const addKey: Handler<typeof createKey> = async ({ service, caller, body, now, id, commit }) => {
  const expires_at = parseInstant(body.expires_at) ?? null;
  if (expires_at !== null && expires_at <= service.wall.now()) {
    const message = 'must be in the future';
    throw new Problem('invalid_request', `expires_at ${message}.`, [{ path: 'expires_at', message }]);
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
  return pageOf(page, viewOf);
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

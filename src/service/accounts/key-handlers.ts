import { Problem } from '../../contract/errors.ts';
import type { ApiKey, createKey, listKeys, revokeKey } from '../../contract/keys.ts';
import type { KeyRow } from '../../storage/database.ts';
import { insertKey, listKeys as listRows, revokeKey as revokeRow } from '../../storage/keys.ts';
import type { Handler } from '../http/handler.ts';
import { pageOf, pageRequest } from '../http/paging.ts';
import { instant, instantOrNull } from '../runtime/timestamps.ts';
import { makeKey } from './create-key.ts';

export const addKey: Handler<typeof createKey> = async ({ service, caller, body, now, id, commit }) => {
  const { key, row } = await makeKey(service.secrets, {
    ...caller.scope,
    id: id('key'),
    name: body.name ?? '',
    permission: body.permission,
    created_at: now,
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

export const endKey: Handler<typeof revokeKey> = async ({ service, caller, params, now }) => {
  const row = await service.storage.run((db) => revokeRow(db, caller.scope, params.key_id, now));
  if (row === undefined) throw new Problem('record_not_found', `There is no API key ${params.key_id}.`);
  return viewOf(row);
};

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
  };
}

/** Accounts, API keys and audit entries. */

import type { AccountRow, AuditRow, Connection, Flag, KeyRow, Scope } from './database.ts';
import { keptRows } from './kept-rows.ts';
import type { Page, PageQuery } from './paging.ts';
import { storeNames } from './places.ts';
import { inScope } from './rows.ts';
import type { PreparedQuery } from './storage.ts';
import { appendTo } from './transactions.ts';

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
export const accountById = byId.readOne;

/** Changes the name or state of an account and returns it; undefined if it does not exist. */
export async function changeAccountRow(
  db: Connection,
  id: string,
  change: Partial<Pick<AccountRow, 'name' | 'suspended_at'>>,
): Promise<AccountRow | undefined> {
  return db.updateTable('accounts').set(change).where('id', '=', id).returningAll().executeTakeFirst();
}

/**
 * Deletes an account with its keys, their audit entries and stored responses, and quotes for no order; false, and nothing is
 * deleted, if it has ever had an order or route, or has a store, endpoint, driver or courier.
 */
export async function deleteEmptyAccount(db: Connection, id: string): Promise<boolean> {
  for (const table of [
    'orders',
    'routes',
    'deliveries',
    'stores',
    'webhook_endpoints',
    'events',
    'drivers',
    'couriers',
  ] as const) {
    const row = await db
      .selectFrom(table)
      .select('account_id')
      .where('account_id', '=', id)
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined) return false;
  }
  for (const table of ['audit_entries', 'api_keys', 'quotes', 'idempotency_keys'] as const)
    await db.deleteFrom(table).where('account_id', '=', id).execute();
  await db.deleteFrom('accounts').where('id', '=', id).execute();
  return true;
}

export async function insertKey(db: Connection, key: KeyRow): Promise<void> {
  await db.insertInto('api_keys').values(key).execute();
}

/** A key with the account settings of its mode. */
export interface KnownKey extends KeyRow {
  /** JSON. */
  settings: string;
  /** Null unless the operator has suspended the account. */
  suspended_at: number | null;
}

/** The key with a hash, unless revoked. */
export const keyByHash: PreparedQuery<KnownKey, [hash: string]> = {
  name: 'key by hash',
  sample: ['hash'],
  query: (db, hash) =>
    db
      .selectFrom('api_keys')
      .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
      .selectAll('api_keys')
      .select('accounts.suspended_at')
      .select(({ case: when, ref, lit }) =>
        when()
          .when('api_keys.test_mode', '=', lit(1))
          .then(ref('accounts.test_settings'))
          .else(ref('accounts.live_settings'))
          .end()
          .as('settings'),
      )
      .where('hash', '=', hash)
      .where('revoked_at', 'is', null),
};

/** The keys of one mode, including revoked ones. */
export async function listKeys(db: Connection, query: PageQuery): Promise<Page<KeyRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  const keys = db.selectFrom('api_keys').selectAll().where(pageBounds(query, 'key_'));
  return readPage(db, query.limit, [keys]);
}

/** The names of keys by id. */
export async function keyNames(db: Connection, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('api_keys').select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Revokes a key and returns it, with the time of its first revocation; undefined if it does not exist. */
export async function revokeKey(
  db: Connection,
  scope: Scope,
  id: string,
  now: number,
): Promise<KeyRow | undefined> {
  return db
    .updateTable('api_keys')
    .set(({ fn, ref, val }) => ({ revoked_at: fn.coalesce(ref('revoked_at'), val(now)) }))
    .where('id', '=', id)
    .where(inScope(scope))
    .returningAll()
    .executeTakeFirst();
}

/** Writes when a key was used, unless a later use than `unless_after` is written. */
export async function writeKeyUse(
  db: Connection,
  { id, now, unless_after }: { id: string; now: number; unless_after: number },
): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ last_used_at: now })
    .where('id', '=', id)
    .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', unless_after)]))
    .execute();
}

/** The number of admin keys of the account's mode that work and do not expire, other than the given one. */
export async function otherAdminKeys(db: Connection, scope: Scope, id: string): Promise<number> {
  const { count } = await db
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where(inScope(scope))
    .where('permission', '=', 'admin')
    .where('revoked_at', 'is', null)
    .where('expires_at', 'is', null)
    .where('id', '<>', id)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export interface AuditQuery extends PageQuery {
  actor?: readonly AuditRow['actor'][] | undefined;
  key_id?: string | undefined;
  operations?: readonly string[] | undefined;
  record_id?: string | undefined;
  /** Entries of any of these records. */
  record_ids?: readonly string[] | undefined;
}

const insertEntries = appendTo<AuditRow>('audit_entries', (db, rows) =>
  db.insertInto('audit_entries').values(rows),
);

export async function insertAuditEntry(db: Connection, entry: AuditRow): Promise<void> {
  await insertEntries(db, [entry]);
}

export async function listAuditEntries(db: Connection, query: AuditQuery): Promise<Page<AuditRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  const { sql } = await import('kysely');
  const { actor, key_id, operations, record_id, record_ids } = query;
  // A record has few entries: its index is used instead of the account's.
  const isByRecord = record_id !== undefined || record_ids !== undefined;
  const bounds = pageBounds(query, 'aud_', isByRecord ? { account: sql`coalesce(account_id, '')` } : {});
  let found = db.selectFrom('audit_entries').selectAll().where(bounds);
  if (actor !== undefined) found = found.where('actor', 'in', actor);
  if (key_id !== undefined) found = found.where('key_id', '=', key_id);
  if (operations !== undefined) found = found.where('operation', 'in', operations);
  if (record_id !== undefined) found = found.where('record_id', '=', record_id);
  if (record_ids !== undefined) found = found.where('record_id', 'in', record_ids);
  return readPage(db, query.limit, [found]);
}

/** Deletes the oldest entries created before a time, at most `limit` of them; returns their number. */
export async function deleteOldAuditEntries(
  db: Connection,
  { created_before, limit }: { created_before: number; limit: number },
): Promise<number> {
  const { ulidTime } = await import('./paging.ts');
  const old = db
    .selectFrom('audit_entries')
    .select('id')
    .where('id', '<', `aud_${ulidTime(created_before)}`)
    .orderBy('id')
    .limit(limit);
  const result = await db.deleteFrom('audit_entries').where('id', 'in', old).executeTakeFirst();
  return Number(result.numDeletedRows);
}

/**
 * What people call the records of audit entries: the reference of an order or delivery, the name of a store or a key, the
 * host of a webhook endpoint.
 */
export async function recordNames(db: Connection, ids: readonly string[]): Promise<Map<string, string>> {
  const names = new Map([
    ...(await storeNames(db, idsOf(ids, 'str_'))),
    ...(await keyNames(db, idsOf(ids, 'key_'))),
    ...(await endpointHosts(db, idsOf(ids, 'whe_'))),
  ]);
  for (const [table, prefix] of [
    ['orders', 'ord_'],
    ['deliveries', 'dlv_'],
  ] as const) {
    const wanted = idsOf(ids, prefix);
    if (wanted.length === 0) continue;
    const rows = await db
      .selectFrom(table)
      .select(['id', 'external_order_ref'])
      .where('id', 'in', wanted)
      .execute();
    for (const { id, external_order_ref } of rows)
      if (external_order_ref !== '') names.set(id, external_order_ref);
  }
  return names;
}

/** A path may have a secret in it. */
async function endpointHosts(db: Connection, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('webhook_endpoints')
    .select(['id', 'url'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, url }) => [id, new URL(url).host]));
}

function idsOf(ids: readonly string[], prefix: string): string[] {
  return ids.filter((id) => id.startsWith(prefix));
}

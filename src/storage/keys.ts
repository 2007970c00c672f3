import type { Connection, KeyRow, Scope } from './database.ts';
import type { Page, PageQuery } from './paging.ts';
import type { PreparedQuery } from './prepared-queries.ts';

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
    .where('account_id', '=', scope.account_id)
    .where('test_mode', '=', scope.test_mode)
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
    .where('account_id', '=', scope.account_id)
    .where('test_mode', '=', scope.test_mode)
    .where('permission', '=', 'admin')
    .where('revoked_at', 'is', null)
    .where('expires_at', 'is', null)
    .where('id', '<>', id)
    .executeTakeFirstOrThrow();
  return Number(count);
}

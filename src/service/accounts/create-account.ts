/** Creates accounts and keys. */
import { firstAccount, insertAccount, insertKey, keyByHash } from '../../storage/accounts.ts';
import type { Connection, KeyRow } from '../../storage/database.ts';
import type { Storage } from '../../storage/storage.ts';
import { hashKey } from '../http/authentication.ts';
import { newId, type Prefix } from '../runtime/ids.ts';
import { type Secrets, seededChance } from '../runtime/random.ts';
import type { Clock } from '../runtime/time.ts';

/** The dependencies of creating accounts and keys. */
export interface AccountParts {
  storage: Storage;
  clock: Clock;
  secrets: Secrets;
  /** The account's id is derived from the seed, if there is one. */
  seed?: string;
}

/**
 * Creates an account with a test and a live key, and returns both keys; they are never shown again. Returns null if the
 * database already has an account.
 */
export async function createFirstAccount(
  parts: AccountParts,
): Promise<{ test: string; live: string } | null> {
  const test = await draftKey(parts, { test_mode: 1, name: 'first test key', permission: 'admin' });
  const live = await draftKey(parts, { test_mode: 0, name: 'first live key', permission: 'admin' });
  return parts.storage.transaction(async (transaction) => {
    if ((await firstAccount(transaction)) !== undefined) return null;
    const account = await insertNewAccount(transaction, parts, test.token);
    await insertKey(transaction, { ...test.row, account_id: account.id });
    await insertKey(transaction, { ...live.row, account_id: account.id });
    return { test: test.key, live: live.key };
  });
}

/** Creates an admin test key of the first account, and the account itself if there is none. */
export async function createTestKey(parts: AccountParts): Promise<string> {
  const { key, row, token } = await draftKey(parts, {
    test_mode: 1,
    name: 'embedded',
    permission: 'admin',
  });
  await parts.storage.transaction(async (transaction) => {
    const account = (await firstAccount(transaction)) ?? (await insertNewAccount(transaction, parts, token));
    await insertKey(transaction, { ...row, account_id: account.id });
  });
  return key;
}

/** Whether the key exists in this database. */
export async function knowsKey(storage: Storage, key: string): Promise<boolean> {
  return (await storage.first(keyByHash, hashKey(key))) !== undefined;
}

/** Creates a key whose account the caller fills in, and returns its random part too. */
export async function draftKey(
  { clock, secrets }: AccountParts,
  wanted: Pick<KeyRow, 'test_mode' | 'name' | 'permission'>,
) {
  const token = await secrets.base62(16);
  const now = clock.now();
  const id = freshId('key', now, token);
  const made = await makeKey(secrets, { ...wanted, id, account_id: '', created_at: now, expires_at: null });
  return { ...made, token };
}

/** An account that is not stored yet. */
export async function draftAccount({ clock, secrets }: AccountParts, name: string) {
  const now = clock.now();
  return { id: freshId('acct', now, await secrets.base62(16)), name, created_at: now };
}

async function insertNewAccount(
  db: Connection,
  { clock, seed }: AccountParts,
  token: string,
): Promise<{ id: string }> {
  const now = clock.now();
  const account = { id: freshId('acct', now, seed ?? token), name: 'My shop', created_at: now };
  await insertAccount(db, account);
  return account;
}

/** Creates an id from a token: the first records have no request to derive their ids from. */
function freshId(prefix: Prefix, now: number, token: string): string {
  return newId(seededChance(token), prefix, now);
}

/** Creates a key and its row; the key itself is not stored. */
export async function makeKey(
  secrets: Secrets,
  row: Omit<KeyRow, 'hash' | 'last_four' | 'revoked_at' | 'last_used_at'>,
): Promise<{ key: string; row: KeyRow }> {
  const key = `wb_${row.test_mode === 1 ? 'test' : 'live'}_${await secrets.base62(32)}`;
  const fresh = { revoked_at: null, last_used_at: null };
  return { key, row: { ...row, ...fresh, hash: hashKey(key), last_four: key.slice(-4) } };
}

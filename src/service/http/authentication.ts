import { hash, timingSafeEqual } from 'node:crypto';
import { Problem } from '../../contract/errors.ts';
import type { Permission } from '../../contract/vocabulary.ts';
import { keyByHash } from '../../storage/keys.ts';
import type { Storage } from '../../storage/storage.ts';
import { settingsOf } from '../runtime/account-settings.ts';
import type { Clock } from '../runtime/time.ts';
import type { Caller } from './handler.ts';

/** The stored hash of a key. */
export function hashOf(key: string): string {
  return hash('sha256', key);
}

/**
 * Called with the hash of a key before the lookup, and may throw; the returned function is called if the key is
 * known.
 */
export type Admit = (key_hash: string) => () => void;

const admitAll: Admit = () => () => {};

/** Where keys are looked up, and the clock by which they expire. */
export interface Authority {
  storage: Storage;
  wall: Clock;
}

/**
 * Identifies the caller by the key. Throws `unauthorized` for an unknown or expired key or insufficient permission, and
 * `account_suspended`.
 */
export async function authenticate(
  { storage, wall }: Authority,
  key: string | undefined,
  needed: Permission,
  admit: Admit = admitAll,
): Promise<Caller> {
  if (key === undefined || key === '') {
    throw new Problem('unauthorized', 'No API key was sent. Set the x-api-key header.');
  }
  const hashed = hashOf(key);
  const keyIsKnown = admit(hashed);
  const row = await storage.first(keyByHash, hashed);
  if (row === undefined || row.revoked_at !== null || !isSame(row.hash, hashed)) {
    throw new Problem('unauthorized', 'This API key is unknown or revoked.');
  }
  keyIsKnown();
  if (row.expires_at !== null && row.expires_at <= wall.now()) {
    throw new Problem('unauthorized', 'This API key has expired.');
  }
  if (row.suspended_at !== null) {
    throw new Problem('account_suspended', 'The operator of the service has suspended this account.');
  }
  if (rank[row.permission] < rank[needed]) {
    const message = `This API key has ${row.permission} permission; this request needs ${needed}.`;
    throw new Problem('unauthorized', message);
  }
  const scope = { account_id: row.account_id, test_mode: row.test_mode };
  const settings = settingsOf(row);
  return { scope, test_mode: row.test_mode === 1, permission: row.permission, settings };
}

/** Whether a key still has the permission that it had. */
export async function holds(
  authority: Authority,
  key: string | undefined,
  permission: Permission,
): Promise<boolean> {
  try {
    await authenticate(authority, key, permission);
    return true;
  } catch (fault) {
    if (fault instanceof Problem) return false;
    throw fault;
  }
}

const rank: Record<Permission, number> = { read: 0, write: 1, admin: 2 };

/** Compares two hashes in constant time. */
function isSame(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}

/**
 * Identifies the caller of a request by its API key. The keys of recent requests are remembered for a second with the
 * settings of their accounts (`createCallers`); that a key was used is written once a minute (`createNoteKeyUse`).
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { Problem } from '../../contract/errors.ts';
import type { Permission } from '../../contract/vocabulary.ts';
import { minute_ms } from '../../domain/durations.ts';
import { type KnownKey, keyByHash, writeKeyUse } from '../../storage/accounts.ts';
import type { Storage } from '../../storage/storage.ts';
import { readAccountSettings } from '../runtime/account-settings.ts';
import type { Clock } from '../runtime/time.ts';
import type { Caller } from './handler.ts';

/** The caller of a request without a key. */
export const nobody: Caller = {
  scope: { account_id: '', test_mode: 0 },
  test_mode: false,
  permission: 'read',
  key_id: '',
  key_last_four: '',
  key_last_used_at: null,
  settings: readAccountSettings({ settings: '{}' }),
};

export function hashKey(key: string): string {
  return hash('sha256', key);
}

/**
 * Called with the hash of a key before the lookup, and may throw. The returned function is called with true if the key
 * is known, with false if the lookup fails, and not at all if the key is unknown.
 */
export type Admit = (key_hash: string) => (isKnown: boolean) => void;

const admitAll: Admit = () => () => {};

/** How long a key and the settings of its account are used without reading them again. */
const max_age_ms = 1_000;
/** How many keys are remembered: one more clears the memory, and all are read again. */
const max_remembered = 10_000;

interface KnownCaller extends Pick<KnownKey, 'suspended_at'> {
  caller: Caller;
  is_expired: boolean;
}

/** The callers of recent requests, by the hash of their key. Other processes' changes are seen within a second. */
export interface Callers {
  /** Undefined if the key is unknown or revoked. */
  find: (key_hash: string) => Promise<KnownCaller | undefined>;
  /** Reads every key again at its next use. */
  forget: () => void;
}

export function createCallers(
  storage: Storage,
  { wall, monotonic }: Record<'wall' | 'monotonic', Clock>,
): Callers {
  const recent = new Map<string, { caller: Promise<KnownCaller | undefined>; read_at: number }>();
  return {
    find: (key_hash) => {
      const read_at = monotonic.now();
      const latest = recent.get(key_hash);
      if (latest !== undefined && read_at - latest.read_at < max_age_ms) return latest.caller;
      const read = { caller: readCaller(storage, wall, key_hash), read_at };
      if (recent.size >= max_remembered) recent.clear();
      recent.set(key_hash, read);
      const drop = () => {
        if (recent.get(key_hash) === read) recent.delete(key_hash);
      };
      // Unknown keys and errors are not remembered.
      read.caller.then((known) => known ?? drop(), drop);
      return read.caller;
    },
    forget: () => recent.clear(),
  };
}

async function readCaller(storage: Storage, wall: Clock, key_hash: string): Promise<KnownCaller | undefined> {
  const row = await storage.first(keyByHash, key_hash);
  if (row === undefined || !isSame(row.hash, key_hash)) return undefined;
  const { account_id, test_mode, permission, expires_at, suspended_at } = row;
  const key = { key_id: row.id, key_last_four: row.last_four, key_last_used_at: row.last_used_at };
  const scope = { account_id, test_mode };
  const caller = {
    scope,
    test_mode: test_mode === 1,
    permission,
    ...key,
    settings: readAccountSettings(row),
  };
  // Keys expire by the clock of the database server: that of one worker may be wrong.
  const is_expired = expires_at !== null && expires_at <= ((await storage.serverTime()) ?? wall.now());
  return { caller, is_expired, suspended_at };
}

const rank: Record<Permission, number> = { read: 0, write: 1, admin: 2 };

/**
 * Identifies the caller by the key. Throws `unauthorized` for an unknown or expired key or insufficient permission, and
 * `account_suspended`.
 */
export async function authenticate(
  callers: Callers,
  key: string | undefined,
  needed: Permission,
  admit: Admit = admitAll,
): Promise<Caller> {
  if (key === undefined || key === '') {
    throw new Problem('unauthorized', 'No API key was sent. Set the x-api-key header.');
  }
  const hashed = hashKey(key);
  const settle = admit(hashed);
  const known = await callers.find(hashed).catch((fault: unknown) => {
    settle(false);
    throw fault;
  });
  if (known === undefined) {
    throw new Problem('unauthorized', 'This API key is unknown or revoked.');
  }
  settle(true);
  if (known.is_expired) {
    throw new Problem('unauthorized', 'This API key has expired.');
  }
  if (known.suspended_at !== null) {
    throw new Problem('account_suspended', 'The operator of the service has suspended this account.');
  }
  const { caller } = known;
  if (rank[caller.permission] < rank[needed]) {
    const message = `This API key has ${caller.permission} permission; this request needs ${needed}.`;
    throw new Problem('unauthorized', message, [
      { path: 'x-api-key', message: `needs ${needed} permission` },
    ]);
  }
  return caller;
}

/** Whether a key still has the permission that it had. */
export async function holdsPermission(
  callers: Callers,
  key: string | undefined,
  permission: Permission,
): Promise<boolean> {
  try {
    await authenticate(callers, key, permission);
    return true;
  } catch (fault) {
    if (fault instanceof Problem) return false;
    throw fault;
  }
}

/** Compares two hashes in constant time. */
function isSame(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}

/** The last use of a key is written at most once in this time. */
const use_interval_ms = minute_ms;

/**
 * Writes that the key of a request was used, unless any process has written that within the last minute. Never rejects:
 * after a failure the next request tries again.
 */
type NoteKeyUse = (caller: Caller) => Promise<void>;

export function createNoteKeyUse(storage: Storage, wall: Clock): NoteKeyUse {
  /** The times that this process has written or is writing, by key id. */
  const written = new Map<string, number>();
  return async ({ key_id, key_last_used_at }) => {
    const now = wall.now();
    const latest = Math.max(key_last_used_at ?? 0, written.get(key_id) ?? 0);
    if (now - latest < use_interval_ms) return;
    if (written.size >= max_remembered) written.clear();
    written.set(key_id, now);
    const use = { id: key_id, now, unless_after: now - use_interval_ms };
    await storage.write((db) => writeKeyUse(db, use)).catch(() => written.delete(key_id));
  };
}

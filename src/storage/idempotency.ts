/** Idempotency keys: claimed by the call that runs under them, then kept with its response for repeats. */
import type { ExpressionBuilder } from 'kysely';
import { idempotency_key_life_ms } from '../domain/operator-settings.ts';
import type { Connection, Database, Flag, IdempotencyRow, Scope } from './database.ts';
import type { OldRows } from './deletion.ts';
import { type LeaseTime, shifted } from './locks.ts';
import type { PreparedQuery } from './storage.ts';

/** A caller's key. */
interface KeyName extends Scope {
  key: string;
}

export interface KeyUse extends KeyName {
  operation: string;
  body_hash: string;
  wall_now: LeaseTime;
  /** Whether a key that is older than 24 hours by this clock may be used again. */
  forgets: boolean;
  /** How long the call counts as alive. */
  lease_ms: number;
  /** The process that runs the call; empty if its liveness cannot be checked. */
  runner: string;
  /** A process that is known to have ended: its leases are ignored. */
  gone?: string;
}

/** The lease of a call that runs under a key; its end is also its token. */
export interface KeyLease extends KeyName {
  leased_until: number;
  runner: string;
}

/** The lease of a started call, or the key's earlier use. */
export type KeyClaim = { lease: KeyLease; earlier: null } | { lease: null; earlier: IdempotencyRow };

/** The response of a call, as it is stored. */
interface StoredResponse {
  status: number;
  body: string;
}

/**
 * Claims a key. The call may start if the key is new, older than 24 hours by a clock that `forgets`, or held by the same
 * call past its lease or by a process that has ended; otherwise the existing row is returned. A call that has its response
 * already stores it at once.
 */
export async function claimKey(
  db: Connection,
  use: KeyUse,
  response: StoredResponse | null = null,
): Promise<KeyClaim> {
  for (;;) {
    const lease = await takeKey(db, use, response);
    if (lease !== null) return { lease, earlier: null };
    const earlier = await findKey(db, use);
    if (earlier !== undefined) return { lease: null, earlier };
    // The key was released between the two statements.
  }
}

/** The row of a key, of any age. */
export const keyByName: PreparedQuery<IdempotencyRow, [account_id: string, test_mode: Flag, key: string]> = {
  name: 'idempotency key by name',
  sample: ['account', 1, 'key'],
  query: (db, account_id, test_mode, key) =>
    db
      .selectFrom('idempotency_keys')
      .selectAll()
      .where('account_id', '=', account_id)
      .where('test_mode', '=', test_mode)
      .where('key', '=', key),
};

export async function findKey(
  db: Connection,
  { account_id, test_mode, key }: KeyName,
): Promise<IdempotencyRow | undefined> {
  return keyByName.query(db, account_id, test_mode, key).executeTakeFirst();
}

/** Inserts the key, or replaces it if allowed, in one statement. */
async function takeKey(
  db: Connection,
  use: KeyUse,
  response: StoredResponse | null,
): Promise<KeyLease | null> {
  const { wall_now, lease_ms, gone, forgets, ...name } = use;
  const row = {
    ...name,
    state: response === null ? ('running' as const) : ('done' as const),
    status: response?.status ?? null,
    body: response?.body ?? null,
    leased_until: shifted(wall_now, lease_ms),
    created_at: wall_now,
  };
  const taken = await db
    .insertInto('idempotency_keys')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'test_mode', 'key'])
        .doUpdateSet(row)
        .where(({ and, eb, or }) =>
          or([
            ...(forgets
              ? [eb('idempotency_keys.created_at', '<=', shifted(wall_now, -idempotency_key_life_ms))]
              : []),
            and([
              eb('idempotency_keys.state', '=', 'running'),
              or([
                eb('idempotency_keys.leased_until', '<=', wall_now),
                ...(gone === undefined ? [] : [eb('idempotency_keys.runner', '=', gone)]),
              ]),
              eb('idempotency_keys.operation', '=', use.operation),
              eb('idempotency_keys.body_hash', '=', use.body_hash),
            ]),
          ]),
        ),
    )
    .returning('leased_until')
    .executeTakeFirst();
  const { account_id, test_mode, key, runner } = use;
  return taken === undefined ? null : { account_id, test_mode, key, runner, ...taken };
}

/** Stores the response for replays; false if the lease was lost to another call. */
export async function storeResponse(
  db: Connection,
  lease: KeyLease,
  answer: StoredResponse,
): Promise<boolean> {
  const result = await db
    .updateTable('idempotency_keys')
    .set({ ...answer, state: 'done' })
    .where(isHeld(lease, 'running'))
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Replaces the stored response of this call by a later one. */
export async function replaceResponse(
  db: Connection,
  lease: KeyLease,
  answer: StoredResponse,
): Promise<void> {
  await db.updateTable('idempotency_keys').set(answer).where(isHeld(lease, 'done')).execute();
}

/** Releases a key whose call has no response to store; false if the lease was lost to another call. */
export async function releaseKey(db: Connection, lease: KeyLease): Promise<boolean> {
  const result = await db.deleteFrom('idempotency_keys').where(isHeld(lease, 'running')).executeTakeFirst();
  return result.numDeletedRows === 1n;
}

/** Deletes keys that were first used before a time, at most `limit` of them; returns their number. */
export async function deleteOldKeys(db: Connection, { before, limit }: OldRows): Promise<number> {
  const old = db
    .selectFrom('idempotency_keys')
    .select(['account_id', 'test_mode', 'key'])
    .where('created_at', '<=', before)
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom('idempotency_keys')
    .where(({ eb, refTuple }) =>
      eb(refTuple('account_id', 'test_mode', 'key'), 'in', old.$asTuple('account_id', 'test_mode', 'key')),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

function isHeld(
  { account_id, test_mode, key, leased_until, runner }: KeyLease,
  state: IdempotencyRow['state'],
) {
  return (of: ExpressionBuilder<Database, 'idempotency_keys'>) =>
    of.and({ account_id, test_mode, key, leased_until, runner, state });
}

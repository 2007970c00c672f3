import type { ExpressionBuilder } from 'kysely';
import type { Connection, Database, IdempotencyRow, Scope } from './database.ts';
import { type LeaseTime, shifted } from './lease-time.ts';

const lifeMilliseconds = 24 * 60 * 60 * 1000;

/** A caller's key. */
export interface KeyName extends Scope {
  key: string;
}

export interface KeyUse extends KeyName {
  operation: string;
  body_hash: string;
  wall_now: LeaseTime;
  /** For so long the call is believed alive. */
  lease_ms: number;
  /** The process that runs it; empty where nobody can tell whether it is alive. */
  runner: string;
  /** A process that is known to have ended: what it left running is not waited for. */
  gone?: string;
}

/** A call that runs under a key, by its token: who runs it and until when. */
export interface KeyLease extends KeyName {
  leased_until: number;
  runner: string;
}

/** The lease of a call that has begun, or what became of the key earlier. */
export type Beginning = { lease: KeyLease; earlier: null } | { lease: null; earlier: IdempotencyRow };

/**
 * Takes a key into use. The call begins when the key is new, older than 24 hours, or was left running
 * by the same call past its lease or by a process that is gone; else the existing row tells what
 * became of it.
 */
export async function begin(db: Connection, use: KeyUse): Promise<Beginning> {
  for (;;) {
    const lease = await takeKey(db, use);
    if (lease !== null) {
      return { lease, earlier: null };
    }
    const earlier = await findUse(db, use);
    if (earlier !== undefined) {
      return { lease: null, earlier };
    }
    // It was released between the two statements.
  }
}

/** What became of a key, however old. */
export async function findUse(db: Connection, name: KeyName): Promise<IdempotencyRow | undefined> {
  return db.selectFrom('idempotency_keys').selectAll().where(named(name)).executeTakeFirst();
}

/** Inserts the key, or replaces it where that is allowed, in one statement. */
async function takeKey(db: Connection, use: KeyUse): Promise<KeyLease | null> {
  const { wall_now, lease_ms, gone, ...name } = use;
  const row = { ...name, leased_until: shifted(wall_now, lease_ms) };
  const fresh = { state: 'running', status: null, body: null, created_at: wall_now } as const;
  const taken = await db
    .insertInto('idempotency_keys')
    .values({ ...row, ...fresh })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'test_mode', 'key'])
        .doUpdateSet({ ...row, ...fresh })
        .where(({ and, eb, or }) =>
          or([
            eb('idempotency_keys.created_at', '<=', shifted(wall_now, -lifeMilliseconds)),
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

/** Keeps the answer for replays; false when the lease was lost to another call. */
export async function finish(
  db: Connection,
  lease: KeyLease,
  answer: { status: number; body: string },
): Promise<boolean> {
  const result = await db
    .updateTable('idempotency_keys')
    .set({ ...answer, state: 'done' })
    .where(held(lease, 'running'))
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Replaces an answer that this call has kept: what followed told more. */
export async function amend(
  db: Connection,
  lease: KeyLease,
  answer: { status: number; body: string },
): Promise<void> {
  await db.updateTable('idempotency_keys').set(answer).where(held(lease, 'done')).execute();
}

/** Frees a key whose call gave no answer to keep; false when the lease was lost to another call. */
export async function release(db: Connection, lease: KeyLease): Promise<boolean> {
  const result = await db.deleteFrom('idempotency_keys').where(held(lease, 'running')).executeTakeFirst();
  return result.numDeletedRows === 1n;
}

/** Removes every key older than 24 hours; tells how many. */
export async function sweep(db: Connection, wall_now: LeaseTime): Promise<number> {
  const result = await db
    .deleteFrom('idempotency_keys')
    .where('created_at', '<=', shifted(wall_now, -lifeMilliseconds))
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

function named({ account_id, test_mode, key }: KeyName) {
  return (of: ExpressionBuilder<Database, 'idempotency_keys'>) => of.and({ account_id, test_mode, key });
}

function held(
  { account_id, test_mode, key, leased_until, runner }: KeyLease,
  state: IdempotencyRow['state'],
) {
  return (of: ExpressionBuilder<Database, 'idempotency_keys'>) =>
    of.and({ account_id, test_mode, key, leased_until, runner, state });
}

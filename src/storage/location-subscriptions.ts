import type { Connection, Scope } from './database.ts';
import { keptAnswer } from './transaction-rows.ts';

/** A subscription to an event type by name. */
export interface LocationSubscription extends Scope {
  type: string;
  /** The setting that stores the wall time until which the stream is followed. */
  key: string;
  /** The current wall time; without it, any stored value counts. */
  wall_now?: string;
}

const isSubscribed = keptAnswer(
  ['settings', 'webhook_endpoints'],
  async (db, asked: LocationSubscription) => (await queryOf(db, asked).executeTakeFirst()) !== undefined,
);

/** Whether an enabled endpoint subscribes to a type by name, or a stream follows it, in one statement. */
export async function isSubscribedOrFollowed(db: Connection, asked: LocationSubscription): Promise<boolean> {
  const { account_id, test_mode, type, key, wall_now } = asked;
  const question = { account_id, test_mode, type, key };
  return wall_now === undefined ? isSubscribed(db, question) : isSubscribed(db, { ...question, wall_now });
}

function queryOf(db: Connection, asked: LocationSubscription) {
  const { account_id, test_mode, type, key, wall_now = '' } = asked;
  const endpoints = db
    .selectFrom('webhook_endpoints')
    .select('id as asker')
    .where('account_id', '=', account_id)
    .where('test_mode', '=', test_mode)
    .where('status', '=', 'enabled')
    .where('events', 'like', `%"${type}"%`);
  return db
    .selectFrom('settings')
    .select('key as asker')
    .where('key', '=', key)
    .where('value', '>', wall_now)
    .unionAll(endpoints)
    .limit(1);
}

/** Deletes followers that have expired at a wall time. */
export async function deleteExpiredFollowers(db: Connection, key: string, wall_now: string): Promise<void> {
  await db.deleteFrom('settings').where('key', '=', key).where('value', '<=', wall_now).execute();
}

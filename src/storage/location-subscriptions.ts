import type { Connection, Scope } from './database.ts';
import { rowsById } from './transaction-rows.ts';

/** A subscription to an event type by name. */
export interface LocationSubscription extends Scope {
  type: string;
  /** The setting that stores the wall time until which the stream is followed. */
  key: string;
  /** The current wall time; without it, any stored value counts. */
  wall_now?: string;
}

/** Those that a transaction has found without a wall time. */
const found = rowsById<LocationSubscription>(keyOf, async (db, keys) => {
  const asked = keys.map((key): LocationSubscription => JSON.parse(key));
  const answers = await Promise.all(asked.map((each) => queryOf(db, each).executeTakeFirst()));
  return asked.filter((_, index) => answers[index] !== undefined);
});

function keyOf({ account_id, test_mode, type, key }: LocationSubscription): string {
  return JSON.stringify({ account_id, test_mode, type, key });
}

/** Whether an enabled endpoint subscribes to a type by name, or a stream follows it, in one statement. */
export async function isSubscribedOrFollowed(db: Connection, asked: LocationSubscription): Promise<boolean> {
  const row =
    asked.wall_now === undefined
      ? await found.readOne(db, keyOf(asked))
      : await queryOf(db, asked).executeTakeFirst();
  return row !== undefined;
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

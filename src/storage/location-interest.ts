import type { Connection, Scope } from './database.ts';

/** What is asked for by its name. */
export interface Asked extends Scope {
  type: string;
  /** The setting that keeps until when, as an instant of wall time, somebody follows it. */
  key: string;
  /** An instant of wall time; without it, any that was written counts. */
  wall_now?: string;
}

/** Whether an enabled endpoint asks for a type by its name, or somebody follows it: one statement. */
export async function isAskedOrFollowed(db: Connection, asked: Asked): Promise<boolean> {
  const { account_id, test_mode, type, key, wall_now = '' } = asked;
  const endpoints = db
    .selectFrom('webhook_endpoints')
    .select('id as asker')
    .where('account_id', '=', account_id)
    .where('test_mode', '=', test_mode)
    .where('status', '=', 'enabled')
    .where('events', 'like', `%"${type}"%`);
  const row = await db
    .selectFrom('settings')
    .select('key as asker')
    .where('key', '=', key)
    .where('value', '>', wall_now)
    .unionAll(endpoints)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Forgets who followed until an instant of wall time or before it. */
export async function forgetFollowers(db: Connection, key: string, wall_now: string): Promise<void> {
  await db.deleteFrom('settings').where('key', '=', key).where('value', '<=', wall_now).execute();
}

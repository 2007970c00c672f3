/** Settings of the whole service by name, and counts that are kept among them: of requests, orders and messages. */
import type { Connection, Flag, Scope } from './database.ts';
import type { PreparedQuery } from './storage.ts';

/** A setting of the whole service, such as its seed; null if never written. */
export async function readSetting(db: Connection, key: string): Promise<string | null> {
  const row = await settingNamed(db, key).executeTakeFirst();
  return row?.value ?? null;
}

export async function writeSetting(db: Connection, key: string, value: string): Promise<void> {
  await db
    .insertInto('settings')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

/** Writes a setting if its value is still `believed` (null: absent); false, without a change, otherwise. */
export async function replaceSetting(
  db: Connection,
  key: string,
  { believed, value }: { believed: string | null; value: string },
): Promise<boolean> {
  if (believed === null) {
    const result = await db
      .insertInto('settings')
      .values({ key, value })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return result.numInsertedOrUpdatedRows === 1n;
  }
  const result = await db
    .updateTable('settings')
    .set({ value })
    .where('key', '=', key)
    .where('value', '=', believed)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** The state of a mode that a service needs for every request. */
interface ServiceState {
  /** When the next task of the mode is due, by its clock; null if absent. */
  due_at: number | null;
  /** The settings with these names; null if never written. */
  clock: string | null;
  seed: string | null;
}

/** Read in one statement, because every request needs it. The parameters are the mode and the names of the settings. */
export const serviceState: PreparedQuery<ServiceState, [test_mode: Flag, clock: string, seed: string]> = {
  name: 'state of the service',
  sample: [1, 'clock', 'test_seed'],
  query: (db, test_mode, clock, seed) =>
    db.selectNoFrom([
      db
        .selectFrom('tasks')
        .select(({ fn }) => fn.min<number | null>('due_at').as('due_at'))
        .where('test_mode', '=', test_mode)
        .as('due_at'),
      settingNamed(db, clock).as('clock'),
      settingNamed(db, seed).as('seed'),
    ]),
};

function settingNamed(db: Connection, key: string) {
  return db.selectFrom('settings').select('value').where('key', '=', key);
}

/** Counts a request of an account and mode; returns its number, from 1. */
export async function countRequest(db: Connection, scope: Scope): Promise<number> {
  return (await addOne(db, requestsKey(scope))) ?? 0;
}

/** Counts an order by the hash of its content; returns how many of the account and mode had it, from 1. */
export async function countContent(db: Connection, scope: Scope, content: string): Promise<number> {
  return (await addOne(db, contentKey(scope, content))) ?? 0;
}

/** Adds one to a count with one statement, and returns it; null, without a change, if it has reached its limit. */
async function addOne(db: Connection, key: string, limit = Number.MAX_SAFE_INTEGER): Promise<number | null> {
  const { sql } = await import('kysely');
  const row = await db
    .insertInto('settings')
    .values({ key, value: '1' })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({ value: sql`cast(cast(settings.value as bigint) + 1 as text)` })
        .where(sql<boolean>`cast(settings.value as bigint) < ${limit}`),
    )
    .returning('value')
    .executeTakeFirst();
  return row === undefined ? null : Number(row.value);
}

/** Resets the counts of an account and mode. */
export async function restartCount(db: Connection, scope: Scope): Promise<void> {
  await db.deleteFrom('settings').where('key', '=', requestsKey(scope)).execute();
  await db.deleteFrom('settings').where('key', 'like', contentKey(scope, '%')).execute();
}

function requestsKey({ account_id, test_mode }: Scope): string {
  return `requests ${account_id} ${test_mode}`;
}

function contentKey({ account_id, test_mode }: Scope, content: string): string {
  return `orders ${account_id} ${test_mode} ${content}`;
}

/**
 * Counts a message of an account and mode before it is sent; false, without a change, if as many were sent on that day as
 * may be. The first one of a day deletes the counts of earlier days.
 */
export async function countMail(
  db: Connection,
  scope: Scope,
  { day, per_day }: { day: string; per_day: number },
): Promise<boolean> {
  const key = mailKey(scope, day);
  const count = await addOne(db, key, per_day);
  if (count !== 1) return count !== null;
  const days = db.deleteFrom('settings').where('key', 'like', mailKey(scope, '%'));
  await days.where('key', '<', key).execute();
  return true;
}

/** Takes a message off the count of a day again that was not sent. */
export async function uncountMail(db: Connection, scope: Scope, day: string): Promise<void> {
  const { sql } = await import('kysely');
  await db
    .updateTable('settings')
    .set({ value: sql`cast(cast(value as bigint) - 1 as text)` })
    .where('key', '=', mailKey(scope, day))
    .execute();
}

function mailKey({ account_id, test_mode }: Scope, day: string): string {
  return `mail ${account_id} ${test_mode} ${day}`;
}

/** Whether the database has an encrypted secret: of an endpoint, a courier or messages to phones. */
export async function hasSecrets(db: Connection): Promise<boolean> {
  const found = await db
    .selectFrom('webhook_endpoints')
    .select('id')
    .unionAll(db.selectFrom('couriers').select('push_token as id').where('secrets', '!=', '{}'))
    .unionAll(db.selectFrom('push_keys').select('id'))
    .unionAll(db.selectFrom('driver_pushes').select('id'))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

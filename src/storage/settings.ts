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
  return addOne(db, requestsKey(scope));
}

/** Counts an order by the hash of its content; returns how many of the account and mode had it, from 1. */
export async function countContent(db: Connection, scope: Scope, content: string): Promise<number> {
  return addOne(db, contentKey(scope, content));
}

/** Adds one to a count with one statement, and returns it. */
async function addOne(db: Connection, key: string): Promise<number> {
  const { sql } = await import('kysely');
  const { value } = await db
    .insertInto('settings')
    .values({ key, value: '1' })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({ value: sql`cast(cast(settings.value as bigint) + 1 as text)` }),
    )
    .returning('value')
    .executeTakeFirstOrThrow();
  return Number(value);
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

/** The number of messages that an account and mode has sent on a day. */
export async function mailCount(db: Connection, scope: Scope, day: string): Promise<number> {
  return Number((await readSetting(db, mailKey(scope, day))) ?? 0);
}

/** Counts a message. The first one of a day deletes the counts of earlier days. */
export async function countMail(db: Connection, scope: Scope, day: string): Promise<void> {
  const key = mailKey(scope, day);
  if ((await addOne(db, key)) > 1) return;
  const days = db.deleteFrom('settings').where('key', 'like', mailKey(scope, '%'));
  await days.where('key', '!=', key).execute();
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

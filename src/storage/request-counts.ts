import { sql } from 'kysely';
import type { Connection, Scope } from './database.ts';

/** Counts a request of an account and mode; returns its number, from 1. */
export async function countRequest(db: Connection, scope: Scope): Promise<number> {
  return addOne(db, keyOf(scope));
}

/** Counts an order by the hash of its content; returns how many of the account and mode had it, from 1. */
export async function countContent(db: Connection, scope: Scope, content: string): Promise<number> {
  return addOne(db, contentKeyOf(scope, content));
}

/** Adds one to a count with one statement, and returns it. */
async function addOne(db: Connection, key: string): Promise<number> {
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
  await db.deleteFrom('settings').where('key', '=', keyOf(scope)).execute();
  await db.deleteFrom('settings').where('key', 'like', contentKeyOf(scope, '%')).execute();
}

function keyOf({ account_id, test_mode }: Scope): string {
  return `requests ${account_id} ${test_mode}`;
}

function contentKeyOf({ account_id, test_mode }: Scope, content: string): string {
  return `orders ${account_id} ${test_mode} ${content}`;
}

/** The number of messages that an account and mode has sent on a day. */
export async function mailCount(db: Connection, scope: Scope, day: string): Promise<number> {
  const key = mailKey(scope, day);
  const row = await db.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst();
  return Number(row?.value ?? 0);
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

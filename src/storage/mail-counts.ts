import type { Connection, Scope } from './database.ts';
import { addOne } from './request-counts.ts';

/** The number of messages that an account and mode has sent on a day. */
export async function mailCount(db: Connection, scope: Scope, day: string): Promise<number> {
  const key = keyOf(scope, day);
  const row = await db.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst();
  return Number(row?.value ?? 0);
}

/** Counts a message. The first one of a day deletes the counts of earlier days. */
export async function countMail(db: Connection, scope: Scope, day: string): Promise<void> {
  const key = keyOf(scope, day);
  if ((await addOne(db, key)) > 1) return;
  const days = db.deleteFrom('settings').where('key', 'like', keyOf(scope, '%'));
  await days.where('key', '!=', key).execute();
}

function keyOf({ account_id, test_mode }: Scope, day: string): string {
  return `mail ${account_id} ${test_mode} ${day}`;
}

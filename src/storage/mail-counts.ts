import type { Connection, Scope } from './database.ts';

/** The number of messages that an account and mode has sent on a day. */
export async function mailCount(db: Connection, scope: Scope, day: string): Promise<number> {
  const key = keyOf(scope);
  const row = await db.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst();
  const [counted_day, count = '0'] = row?.value.split(' ') ?? [];
  return counted_day === day ? Number(count) : 0;
}

/** Counts a message; the counts of earlier days are forgotten. */
export async function countMail(db: Connection, scope: Scope, day: string): Promise<void> {
  const value = `${day} ${(await mailCount(db, scope, day)) + 1}`;
  await db
    .insertInto('settings')
    .values({ key: keyOf(scope), value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

function keyOf({ account_id, test_mode }: Scope): string {
  return `mail ${account_id} ${test_mode}`;
}

import { sql } from 'kysely';
import type { Connection, Scope } from './database.ts';

/** Counts a request of an account and mode; returns its number, from 1. */
export async function countRequest(db: Connection, scope: Scope): Promise<number> {
  const { value } = await db
    .insertInto('settings')
    .values({ key: keyOf(scope), value: '1' })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({ value: sql`cast(cast(settings.value as bigint) + 1 as text)` }),
    )
    .returning('value')
    .executeTakeFirstOrThrow();
  return Number(value);
}

/** Resets the request count of an account and mode to 1. */
export async function restartCount(db: Connection, scope: Scope): Promise<void> {
  await db.deleteFrom('settings').where('key', '=', keyOf(scope)).execute();
}

function keyOf({ account_id, test_mode }: Scope): string {
  return `requests ${account_id} ${test_mode}`;
}

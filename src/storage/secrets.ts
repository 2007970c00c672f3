import type { Connection } from './database.ts';

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

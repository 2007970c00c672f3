import type { Connection, DriverPushRow, PushKeyRow } from './database.ts';

const key_id = 'vapid';

/** The service's key pair for Web Push. */
export async function findPushKey(db: Connection): Promise<PushKeyRow | undefined> {
  return db.selectFrom('push_keys').selectAll().where('id', '=', key_id).executeTakeFirst();
}

/** Stores the service's key pair, unless there is one. */
export async function insertPushKey(db: Connection, pair: Omit<PushKeyRow, 'id'>): Promise<void> {
  await db
    .insertInto('push_keys')
    .values({ id: key_id, ...pair })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Replaces an encrypted private key, unless it has changed since it was read. */
export async function replacePushKey(db: Connection, before: PushKeyRow, private_key: string): Promise<void> {
  await db
    .updateTable('push_keys')
    .set({ private_key })
    .where('id', '=', before.id)
    .where('private_key', '=', before.private_key)
    .execute();
}

/** Of more phones of a driver, the oldest are forgotten. */
const max_phones = 5;

/** Stores a phone of a driver; one that is known belongs to this driver from now on. */
export async function keepDriverPush(db: Connection, row: DriverPushRow): Promise<void> {
  const { driver_id, subscription, created_at } = row;
  await db
    .insertInto('driver_pushes')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ driver_id, subscription, created_at }))
    .execute();
  const newest = db
    .selectFrom('driver_pushes')
    .select('id')
    .where('driver_id', '=', driver_id)
    .orderBy('created_at', 'desc')
    .limit(max_phones);
  await db
    .deleteFrom('driver_pushes')
    .where('driver_id', '=', driver_id)
    .where('id', 'not in', newest)
    .execute();
}

export async function pushesOfDriver(db: Connection, driver_id: string): Promise<DriverPushRow[]> {
  return db
    .selectFrom('driver_pushes')
    .selectAll()
    .where('driver_id', '=', driver_id)
    .orderBy('id')
    .execute();
}

export async function deleteDriverPush(db: Connection, id: string): Promise<void> {
  await db.deleteFrom('driver_pushes').where('id', '=', id).execute();
}

/** The rows after the one with this id, in order of their ids. */
export async function listDriverPushes(
  db: Connection,
  after: string | null,
  limit: number,
): Promise<DriverPushRow[]> {
  const rows = db
    .selectFrom('driver_pushes')
    .selectAll()
    .where('id', '>', after ?? '');
  return rows.orderBy('id').limit(limit).execute();
}

/** Replaces an encrypted subscription, unless it has changed since it was read. */
export async function replaceDriverPush(
  db: Connection,
  before: DriverPushRow,
  subscription: string,
): Promise<void> {
  await db
    .updateTable('driver_pushes')
    .set({ subscription })
    .where('id', '=', before.id)
    .where('subscription', '=', before.subscription)
    .execute();
}

import type { Connection, CourierRow, Flag, Scope } from './database.ts';

/** Connects a courier, or replaces the settings of a connected one. */
export async function writeCourier(db: Connection, courier: CourierRow): Promise<void> {
  const { account_id: _, test_mode: __, name: ___, push_token: ____, created_at: _____, ...change } = courier;
  await db
    .insertInto('couriers')
    .values(courier)
    .onConflict((conflict) => conflict.columns(['account_id', 'test_mode', 'name']).doUpdateSet(change))
    .execute();
}

export async function findCourier(
  db: Connection,
  scope: Scope,
  name: string,
): Promise<CourierRow | undefined> {
  return db
    .selectFrom('couriers')
    .selectAll()
    .where('account_id', '=', scope.account_id)
    .where('test_mode', '=', scope.test_mode)
    .where('name', '=', name)
    .executeTakeFirst();
}

/** The couriers that an account has connected in a mode, by name. */
export async function listCouriers(db: Connection, scope: Scope): Promise<CourierRow[]> {
  return db
    .selectFrom('couriers')
    .selectAll()
    .where('account_id', '=', scope.account_id)
    .where('test_mode', '=', scope.test_mode)
    .orderBy('name')
    .execute();
}

/** The connection with a push token. */
export async function findCourierByToken(
  db: Connection,
  push_token: string,
): Promise<CourierRow | undefined> {
  return db.selectFrom('couriers').selectAll().where('push_token', '=', push_token).executeTakeFirst();
}

/** The names of the couriers that an account has enabled in a mode. */
export async function enabledCouriers(db: Connection, scope: Scope): Promise<string[]> {
  const rows = await db
    .selectFrom('couriers')
    .select('name')
    .where('account_id', '=', scope.account_id)
    .where('test_mode', '=', scope.test_mode)
    .where('state', '=', 'enabled')
    .execute();
  return rows.map(({ name }) => name);
}

/** The names of the couriers that any account has connected in a mode. */
export async function connectedCouriers(db: Connection, test_mode: Flag): Promise<string[]> {
  const rows = await db
    .selectFrom('couriers')
    .select('name')
    .distinct()
    .where('test_mode', '=', test_mode)
    .execute();
  return rows.map(({ name }) => name);
}

/** Changes a connection; false if there is none. */
export async function changeCourier(
  db: Connection,
  { account_id, test_mode, name }: Pick<CourierRow, 'account_id' | 'test_mode' | 'name'>,
  change: Partial<Pick<CourierRow, 'state' | 'updated_at' | 'checked_at'>>,
): Promise<boolean> {
  const result = await db
    .updateTable('couriers')
    .set(change)
    .where('account_id', '=', account_id)
    .where('test_mode', '=', test_mode)
    .where('name', '=', name)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Writes when a courier last pushed a report, unless a later push than `unless_after` is written. */
export async function writePush(
  db: Connection,
  { push_token }: Pick<CourierRow, 'push_token'>,
  { now, unless_after }: { now: number; unless_after: number },
): Promise<void> {
  await db
    .updateTable('couriers')
    .set({ last_push_at: now })
    .where('push_token', '=', push_token)
    .where(({ eb, or }) => or([eb('last_push_at', 'is', null), eb('last_push_at', '<=', unless_after)]))
    .execute();
}

/** Forgets a courier and its settings; false if it is not connected. */
export async function deleteCourier(db: Connection, scope: Scope, name: string): Promise<boolean> {
  const result = await db
    .deleteFrom('couriers')
    .where('account_id', '=', scope.account_id)
    .where('test_mode', '=', scope.test_mode)
    .where('name', '=', name)
    .executeTakeFirst();
  return result.numDeletedRows === 1n;
}

export type CourierSecrets = Pick<CourierRow, 'account_id' | 'test_mode' | 'name' | 'push_token' | 'secrets'>;

/** The secrets of all connections, whatever their account, in order of their push tokens, after one of those. */
export async function readCourierSecrets(
  db: Connection,
  after: string | null,
  limit: number,
): Promise<CourierSecrets[]> {
  return db
    .selectFrom('couriers')
    .select(['account_id', 'test_mode', 'name', 'push_token', 'secrets'])
    .where('push_token', '>', after ?? '')
    .orderBy('push_token')
    .limit(limit)
    .execute();
}

/** Replaces the secrets of a connection, unless they have changed since they were read. */
export async function replaceCourierSecrets(
  db: Connection,
  before: CourierSecrets,
  secrets: string,
): Promise<void> {
  await db
    .updateTable('couriers')
    .set({ secrets })
    .where('push_token', '=', before.push_token)
    .where('secrets', '=', before.secrets)
    .execute();
}

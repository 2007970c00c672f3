/** Own drivers, the assignments of routes to them, their taps, and the push subscriptions of their phones. */
import type {
  Connection,
  DriverAssignmentRow,
  DriverPushRow,
  DriverRow,
  DriverTapRow,
  PushKeyRow,
  Scope,
} from './database.ts';
import type { Page, PageQuery } from './paging.ts';
import { inScope } from './rows.ts';
import type { PreparedQuery } from './storage.ts';

export async function insertDriver(db: Connection, driver: DriverRow): Promise<void> {
  await db.insertInto('drivers').values(driver).execute();
}

export async function findDriver(db: Connection, scope: Scope, id: string): Promise<DriverRow | undefined> {
  return db.selectFrom('drivers').selectAll().where('id', '=', id).where(inScope(scope)).executeTakeFirst();
}

/** A driver, and whether the account is suspended. */
interface LinkedDriver extends DriverRow {
  suspended_at: number | null;
}

export const driverByLink: PreparedQuery<LinkedDriver, [hash: string]> = {
  name: 'driver by link',
  sample: ['hash'],
  query: (db, hash) =>
    db
      .selectFrom('drivers')
      .innerJoin('accounts', 'accounts.id', 'drivers.account_id')
      .selectAll('drivers')
      .select('accounts.suspended_at')
      .where('link_hash', '=', hash),
};

export async function listDrivers(db: Connection, query: PageQuery): Promise<Page<DriverRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  return readPage(db, query.limit, [db.selectFrom('drivers').selectAll().where(pageBounds(query, 'drv_'))]);
}

/** Changes a driver; false if it does not exist. */
export async function updateDriver(
  db: Connection,
  { id, ...change }: Partial<DriverRow> & Pick<DriverRow, 'id' | 'updated_at'>,
): Promise<boolean> {
  const result = await db.updateTable('drivers').set(change).where('id', '=', id).executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Writes when the phone of a driver was in contact, which is no change of the driver. */
export async function writeDriverContact(db: Connection, id: string, contact: string): Promise<void> {
  await db.updateTable('drivers').set({ contact }).where('id', '=', id).execute();
}

/** Deletes a driver with what was tapped on the driver's page, and the phones; false if it does not exist. */
export async function deleteDriver(db: Connection, id: string): Promise<boolean> {
  await db.deleteFrom('driver_taps').where('driver_id', '=', id).execute();
  await deletePushesOfDriver(db, id);
  const result = await db.deleteFrom('drivers').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows === 1n;
}

/** The names of drivers by id. */
export async function driverNames(db: Connection, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('drivers').select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** For background tasks, which know the id from their own record. */
export async function loadDriver(db: Connection, id: string): Promise<DriverRow | undefined> {
  return db.selectFrom('drivers').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The drivers of an account and mode who take deliveries now. */
export async function driversOnDuty(db: Connection, scope: Scope): Promise<DriverRow[]> {
  return db
    .selectFrom('drivers')
    .selectAll()
    .where(inScope(scope))
    .where('on_duty', '=', 1)
    .orderBy('id')
    .execute();
}

/**
 * The number of deliveries that were dispatched to a fleet, and for which no driver was looked for yet. Transactions of
 * an account that decide by it run one after the other.
 */
export async function lockUnassigned(db: Connection, scope: Scope, service: string): Promise<number> {
  // Loaded here: look-ups on the embedded service load the drivers, and lock nothing.
  const { lockAccount } = await import('./locks.ts');
  await lockAccount(db, scope);
  return countUnassigned(db, scope, service);
}

/** The number of deliveries dispatched to a fleet for which no driver was looked for yet, without a lock. */
export async function countUnassigned(db: Connection, scope: Scope, service: string): Promise<number> {
  const waiting = await db
    .selectFrom('deliveries')
    .select('id')
    .where(inScope(scope))
    .where('status', '=', 'delivery_created')
    .where('service', '=', service)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('driver_assignments')
            .select('dispatch_id')
            .whereRef('driver_assignments.route_id', '=', 'deliveries.route_id'),
        ),
      ),
    )
    .execute();
  return waiting.length;
}

/** Whether an account has a driver in a mode. */
export async function hasDrivers(db: Connection, scope: Scope): Promise<boolean> {
  const found = await db.selectFrom('drivers').select('id').where(inScope(scope)).limit(1).executeTakeFirst();
  return found !== undefined;
}

export async function insertAssignment(db: Connection, assignment: DriverAssignmentRow): Promise<void> {
  await db.insertInto('driver_assignments').values(assignment).execute();
}

export async function findAssignment(
  db: Connection,
  dispatch_id: string,
): Promise<DriverAssignmentRow | undefined> {
  return db
    .selectFrom('driver_assignments')
    .selectAll()
    .where('dispatch_id', '=', dispatch_id)
    .executeTakeFirst();
}

/** The assignment of a route that has not ended. */
export async function assignmentOfRoute(
  db: Connection,
  route_id: string,
): Promise<DriverAssignmentRow | undefined> {
  return db
    .selectFrom('driver_assignments')
    .selectAll()
    .where('route_id', '=', route_id)
    .where('state', '!=', 'ended')
    .executeTakeFirst();
}

/** The routes in these states that the drivers have and that have not ended, oldest first. */
export async function assignmentsOfDrivers(
  db: Connection,
  driver_ids: readonly string[],
  states: readonly DriverAssignmentRow['state'][],
): Promise<DriverAssignmentRow[]> {
  if (driver_ids.length === 0) return [];
  return db
    .selectFrom('driver_assignments')
    .selectAll()
    .where('driver_id', 'in', driver_ids)
    .where('state', 'in', states)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('deliveries')
          .select('deliveries.id')
          .whereRef('deliveries.route_id', '=', 'driver_assignments.route_id')
          .where('ended_at', 'is', null),
      ),
    )
    .orderBy('dispatch_id')
    .execute();
}

export async function changeAssignment(
  db: Connection,
  { dispatch_id, ...change }: Partial<DriverAssignmentRow> & Pick<DriverAssignmentRow, 'dispatch_id'>,
): Promise<void> {
  await db.updateTable('driver_assignments').set(change).where('dispatch_id', '=', dispatch_id).execute();
}

/** More than one driver carries on a day. */
const routes_of_a_day = 100;

/** When the latest deliveries of a driver were handed over, since a time. */
export async function deliveredSince(db: Connection, driver_id: string, since: number): Promise<number[]> {
  const routes = db
    .selectFrom('driver_assignments')
    .select('route_id')
    .where('driver_id', '=', driver_id)
    .orderBy('dispatch_id', 'desc')
    .limit(routes_of_a_day);
  const rows = await db
    .selectFrom('deliveries')
    .select('ended_at')
    .where('route_id', 'in', routes)
    .where('status', 'in', ['delivered', 'disputed'])
    .where('ended_at', '>=', since)
    .execute();
  return rows.map(({ ended_at }) => ended_at ?? since);
}

/** A tap that was received before. */
export async function findTap(
  db: Connection,
  driver_id: string,
  id: string,
): Promise<DriverTapRow | undefined> {
  return db
    .selectFrom('driver_taps')
    .selectAll()
    .where('driver_id', '=', driver_id)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function insertTap(db: Connection, tap: DriverTapRow): Promise<void> {
  await db.insertInto('driver_taps').values(tap).execute();
}

/** Deletes the taps received before a time, in milliseconds since the epoch: phones do not resend them so late. */
export async function deleteOldTaps(db: Connection, before: number): Promise<void> {
  await db.deleteFrom('driver_taps').where('received_at', '<', before).execute();
}

/** The id of the only push key. */
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

/** The phones of a driver that are kept: the oldest of more are forgotten. */
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

export async function deletePushesOfDriver(db: Connection, driver_id: string): Promise<void> {
  await db.deleteFrom('driver_pushes').where('driver_id', '=', driver_id).execute();
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

/** The couriers that accounts connect, what is booked at them, and the simulated couriers' own records. */
import type { Insertable } from 'kysely';
import type {
  Connection,
  CourierBookingRow,
  CourierEntryRow,
  CourierEntryTable,
  CourierRow,
  Scope,
} from './database.ts';
import { inScope, withLock } from './rows.ts';

/** Connects a courier, or replaces the settings of a connected one, which keeps its state and its push token. */
export async function writeCourier(db: Connection, courier: CourierRow): Promise<void> {
  const { settings, secrets, updated_at, checked_at } = courier;
  const change = { settings, secrets, updated_at, checked_at };
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
    .where(inScope(scope))
    .where('name', '=', name)
    .executeTakeFirst();
}

/** The couriers that an account has connected in a mode, by name. */
export async function listCouriers(db: Connection, scope: Scope): Promise<CourierRow[]> {
  return db.selectFrom('couriers').selectAll().where(inScope(scope)).orderBy('name').execute();
}

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
    .where(inScope(scope))
    .where('state', '=', 'enabled')
    .execute();
  return rows.map(({ name }) => name);
}

/** Changes a connection; false if there is none. */
export async function changeCourier(
  db: Connection,
  { name, ...scope }: Scope & Pick<CourierRow, 'name'>,
  change: Partial<Pick<CourierRow, 'state' | 'updated_at' | 'checked_at'>>,
): Promise<boolean> {
  const result = await db
    .updateTable('couriers')
    .set(change)
    .where(inScope(scope))
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
    .where(inScope(scope))
    .where('name', '=', name)
    .executeTakeFirst();
  return result.numDeletedRows === 1n;
}

type CourierSecrets = Pick<CourierRow, 'account_id' | 'test_mode' | 'name' | 'push_token' | 'secrets'>;

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

export type NewCourierEntry = Omit<Insertable<CourierEntryTable>, 'sequence'>;

export async function insertCourierEntry(db: Connection, entry: NewCourierEntry): Promise<void> {
  await db.insertInto('courier_entries').values(entry).execute();
}

/** A courier's entries of one name, in order. */
export async function courierEntries(
  db: Connection,
  provider: string,
  name: string,
): Promise<CourierEntryRow[]> {
  return db
    .selectFrom('courier_entries')
    .selectAll()
    .where('provider', '=', provider)
    .where('name', '=', name)
    .orderBy('sequence')
    .execute();
}

/** A courier's entries for one dispatch, in order. */
export async function courierEntriesOf(
  db: Connection,
  provider: string,
  reference: string,
): Promise<CourierEntryRow[]> {
  return db
    .selectFrom('courier_entries')
    .selectAll()
    .where('provider', '=', provider)
    .where('reference', '=', reference)
    .orderBy('sequence')
    .execute();
}

/** Writes what is known of a booking besides its bill. */
export async function writeBooking(db: Connection, booking: Omit<CourierBookingRow, 'bill'>): Promise<void> {
  await db
    .insertInto('courier_bookings')
    .values(booking)
    .onConflict((conflict) => conflict.columns(['dispatch_id', 'order_id']).doUpdateSet(booking))
    .execute();
}

export async function writeBill(
  db: Connection,
  { dispatch_id, order_id }: Pick<CourierBookingRow, 'dispatch_id' | 'order_id'>,
  bill: string,
): Promise<void> {
  await db
    .updateTable('courier_bookings')
    .set({ bill })
    .where('dispatch_id', '=', dispatch_id)
    .where('order_id', '=', order_id)
    .execute();
}

export async function bookingsOfDispatch(db: Connection, dispatch_id: string): Promise<CourierBookingRow[]> {
  return db
    .selectFrom('courier_bookings')
    .selectAll()
    .where('dispatch_id', '=', dispatch_id)
    .orderBy('key')
    .execute();
}

/** The booking that a courier names by our key or by its own reference. */
export async function findBooking(
  db: Connection,
  { provider, ...scope }: Scope & Pick<CourierBookingRow, 'provider'>,
  named: { key: string | null; reference: string | null },
): Promise<CourierBookingRow | undefined> {
  const bookings = db
    .selectFrom('courier_bookings')
    .selectAll()
    .where(inScope(scope))
    .where('provider', '=', provider);
  const byKey =
    named.key === null ? undefined : await bookings.where('key', '=', named.key).executeTakeFirst();
  if (byKey !== undefined || named.reference === null) return byKey;
  return bookings.where('reference', '=', named.reference).executeTakeFirst();
}

/** A booking as it is now, locked until the transaction ends. */
export async function lockBooking(
  db: Connection,
  { dispatch_id, order_id }: Pick<CourierBookingRow, 'dispatch_id' | 'order_id'>,
): Promise<CourierBookingRow | undefined> {
  const bookings = db.selectFrom('courier_bookings').selectAll().where('order_id', '=', order_id);
  return withLock(bookings.where('dispatch_id', '=', dispatch_id), db, 'all').executeTakeFirst();
}

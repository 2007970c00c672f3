import type { Connection, CourierBookingRow } from './database.ts';
import { withLock } from './rows.ts';

/** Writes what is known of a booking besides its bill. */
export async function writeBooking(db: Connection, booking: Omit<CourierBookingRow, 'bill'>): Promise<void> {
  const { dispatch_id: _, order_id: __, account_id: ___, test_mode: ____, ...change } = booking;
  await db
    .insertInto('courier_bookings')
    .values(booking)
    .onConflict((conflict) => conflict.columns(['dispatch_id', 'order_id']).doUpdateSet(change))
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

/** What was booked for a dispatch, by our keys. */
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
  { account_id, test_mode, provider }: Pick<CourierBookingRow, 'account_id' | 'test_mode' | 'provider'>,
  named: { key: string | null; reference: string | null },
): Promise<CourierBookingRow | undefined> {
  const bookings = db
    .selectFrom('courier_bookings')
    .selectAll()
    .where('account_id', '=', account_id)
    .where('test_mode', '=', test_mode)
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

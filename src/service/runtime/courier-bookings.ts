import type { BookingEntry, CourierBookings } from '../../providers/courier-bookings.ts';
import { bookingsOfDispatch, writeBooking } from '../../storage/courier-bookings.ts';
import type { CourierBookingRow } from '../../storage/database.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Clock } from './time.ts';

/** The bookings at couriers in the service's database, each written on its own. */
export function createCourierBookings(storage: Storage, clock: Clock): CourierBookings {
  return {
    ofDispatch: async (dispatch_id) =>
      (await storage.run((db) => bookingsOfDispatch(db, dispatch_id))).map(entryOf),
    write: ({ test_mode, ...entry }) =>
      storage.run((db) =>
        writeBooking(db, { ...entry, test_mode: test_mode ? 1 : 0, updated_at: clock.now() }),
      ),
  };
}

function entryOf({ updated_at: _, bill: __, test_mode, ...row }: CourierBookingRow): BookingEntry {
  return { ...row, test_mode: test_mode === 1 };
}

import type { BookingEntry, CourierBookings } from '../../providers/courier-bookings.ts';
import type { CourierRecords, RecordEntry } from '../../providers/port.ts';
import {
  bookingsOfDispatch,
  courierEntries,
  courierEntriesOf,
  insertCourierEntry,
  writeBooking,
} from '../../storage/couriers.ts';
import type { CourierBookingRow, CourierEntryRow } from '../../storage/database.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Clock } from './time.ts';

/** The simulated couriers' records in a database, which may be separate from the service's. */
export function createCourierRecords(storage: Storage): CourierRecords {
  return {
    named: async (provider, name) =>
      (await storage.read((db) => courierEntries(db, provider, name))).map(recordEntry),
    about: async (provider, reference) =>
      (await storage.read((db) => courierEntriesOf(db, provider, reference))).map(recordEntry),
    enter: ({ answer, ...entry }) =>
      storage.write((db) => insertCourierEntry(db, { ...entry, answer: JSON.stringify(answer) })),
  };
}

function recordEntry({ sequence: _, answer, ...row }: CourierEntryRow): RecordEntry {
  return { ...row, answer: JSON.parse(answer) };
}

/** The bookings at couriers in the service's database, each written on its own. */
export function createCourierBookings(storage: Storage, clock: Clock): CourierBookings {
  return {
    ofDispatch: async (dispatch_id) =>
      (await storage.run((db) => bookingsOfDispatch(db, dispatch_id))).map(bookingEntry),
    write: ({ test_mode, ...entry }) =>
      storage.run((db) =>
        writeBooking(db, { ...entry, test_mode: test_mode ? 1 : 0, updated_at: clock.now() }),
      ),
  };
}

function bookingEntry({ updated_at, bill, test_mode, ...row }: CourierBookingRow): BookingEntry {
  return { ...row, test_mode: test_mode === 1 };
}

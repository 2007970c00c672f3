import type { CourierRecords, RecordEntry } from '../../providers/port.ts';
import { courierEntries, courierEntriesOf, insertCourierEntry } from '../../storage/courier-entries.ts';
import type { CourierEntryRow } from '../../storage/database.ts';
import type { Storage } from '../../storage/storage.ts';

/** The simulated couriers' records in a database, which may be separate from the service's. */
export function createCourierRecords(storage: Storage): CourierRecords {
  return {
    named: async (provider, name) =>
      (await storage.read((db) => courierEntries(db, provider, name))).map(entryOf),
    about: async (provider, reference) =>
      (await storage.read((db) => courierEntriesOf(db, provider, reference))).map(entryOf),
    enter: ({ answer, ...entry }) =>
      storage.write((db) => insertCourierEntry(db, { ...entry, answer: JSON.stringify(answer) })),
  };
}

function entryOf({ sequence: _, answer, ...row }: CourierEntryRow): RecordEntry {
  return { ...row, answer: JSON.parse(answer) };
}

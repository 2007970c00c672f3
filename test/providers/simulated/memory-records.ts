import type { CourierRecords, RecordEntry } from '../../../src/providers/port.ts';

/** Courier records in memory; `entries` are all that were written. */
export function memoryRecords(entries: RecordEntry[] = []): CourierRecords {
  return {
    named: async (provider, name) =>
      entries.filter((entry) => entry.provider === provider && entry.name === name),
    about: async (provider, reference) =>
      entries.filter((entry) => entry.provider === provider && entry.reference === reference),
    enter: async (entry) => void entries.push(entry),
  };
}

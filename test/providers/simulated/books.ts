import type { BookEntry, CourierBooks } from '../../../src/providers/port.ts';

/** Couriers' books that last as long as the test; `entries` is all that was written into them. */
export function memoryBooks(entries: BookEntry[] = []): CourierBooks {
  return {
    named: async (provider, name) =>
      entries.filter((entry) => entry.provider === provider && entry.name === name),
    about: async (provider, reference) =>
      entries.filter((entry) => entry.provider === provider && entry.reference === reference),
    enter: async (entry) => void entries.push(entry),
  };
}

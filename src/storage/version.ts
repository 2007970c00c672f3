import { StorageUnavailable } from './errors.ts';

/** The number of migrations, in a separate file so that opening a current database loads none. */
export const schemaVersion = 1;

/**
 * The oldest schema version whose programs can work with a PostgreSQL database of the newest, so that both run side by
 * side during an upgrade. A migration that they cannot work with raises it to its own number; one that only adds
 * tables, indexes, and columns that may be left out, or drops an index that no query of them needs, does not.
 */
export const compatibleVersion = 1;

/**
 * Rejects a database that a newer version has migrated, unless it is compatible with this one: `compatible` is the
 * `compatibleVersion` of the program that has migrated it, its own version if unknown.
 */
export function requireUsable(version: number, compatible = version): void {
  if (version > schemaVersion && compatible > schemaVersion) {
    throw new StorageUnavailable('the database was created by a newer version of waybill');
  }
}

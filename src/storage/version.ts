import { StorageUnavailable } from './errors.ts';

/** The number of migrations, in a separate file so that opening a current database loads none. */
export const schemaVersion = 19;

/** Rejects a database that a newer version has migrated. */
export function requireKnownVersion(version: number): void {
  if (version > schemaVersion) {
    throw new StorageUnavailable('the database was created by a newer version of waybill');
  }
}

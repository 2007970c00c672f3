import { StorageUnavailable } from './errors.ts';

/** How many migrations there are: apart from them, so that opening a current database loads none. */
export const schemaVersion = 9;

/** Refuses a database that a newer program has migrated. */
export function requireKnownVersion(version: number): void {
  if (version > schemaVersion) {
    throw new StorageUnavailable('the database was made by a newer version of this program');
  }
}

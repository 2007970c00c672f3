/** Opens a storage by its location, and reads the schema version of one without opening it. */
import { isPostgresUrl } from '../domain/operator-settings.ts';
import { type Storage, StorageUnavailable } from './storage.ts';

/**
 * Opens the database at a file path, `:memory:` or a `postgres://` URL, and creates or migrates it if needed; with
 * `mustExist` only one that has its tables. Only the requested engine is loaded. @throws StorageUnavailable
 */
export async function openStorage(location: string, { mustExist = false } = {}): Promise<Storage> {
  if (mustExist && (await readSchemaVersion(location)) === 0)
    throw new StorageUnavailable(
      'there is none yet, or it is empty, and --must-exist is set: look whether its volume is mounted and its name right',
    );
  if (isPostgresUrl(location)) {
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres(location);
  }
  const { openSqlite } = await import('./sqlite.ts');
  return openSqlite(location);
}

/**
 * Reads the schema version of a database without creating or changing it; 0 without a database. Throws
 * `StorageUnavailable` if it cannot be opened, or has a schema that this version cannot use.
 */
export async function readSchemaVersion(location: string): Promise<number> {
  if (isPostgresUrl(location)) {
    const { readPostgresVersion } = await import('./postgres.ts');
    return readPostgresVersion(location);
  }
  const { readSqliteVersion } = await import('./sqlite-backup.ts');
  return readSqliteVersion(location);
}

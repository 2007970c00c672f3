import type { Storage } from './storage.ts';

/**
 * Opens the database at a file path, `:memory:` or a `postgres://` URL, and creates or migrates it if needed. Only
 * the requested engine is loaded. @throws StorageUnavailable
 */
export async function openStorage(location: string): Promise<Storage> {
  if (isPostgres(location)) {
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
  if (isPostgres(location)) {
    const { readPostgresVersion } = await import('./postgres.ts');
    return readPostgresVersion(location);
  }
  const { readSqliteVersion } = await import('./sqlite-backup.ts');
  return readSqliteVersion(location);
}

function isPostgres(location: string): boolean {
  return location.startsWith('postgres://') || location.startsWith('postgresql://');
}

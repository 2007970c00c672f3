import type { Storage } from './storage.ts';

/**
 * Opens the database at a file path, `:memory:` or a `postgres://` URL, creating or migrating it
 * where needed. Only the engine that is asked for is loaded.
 * @throws StorageUnavailable
 */
export async function openStorage(location: string): Promise<Storage> {
  if (location.startsWith('postgres://') || location.startsWith('postgresql://')) {
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres(location);
  }
  const { openSqlite } = await import('./sqlite.ts');
  return openSqlite(location);
}

import type { Storage } from './storage.ts';

/**
 * Opens the database at a file path, `:memory:` or a `postgres://` URL, and creates or migrates it if needed. Only
 * the requested engine is loaded. @throws StorageUnavailable
 */
export async function openStorage(location: string): Promise<Storage> {
  if (location.startsWith('postgres://') || location.startsWith('postgresql://')) {
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres(location);
  }
  const { openSqlite } = await import('./sqlite.ts');
  return openSqlite(location);
}

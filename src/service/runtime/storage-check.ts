import type { ServiceConfig } from './context.ts';

const interval_ms = 10 * 60_000;
/** Work becomes due by the clock of any worker: a larger difference is reported. */
const max_skew_ms = 5_000;

type Parts = Pick<ServiceConfig, 'storage' | 'wall' | 'monotonic' | 'onFault'>;

/**
 * The check before background work. Throws `StorageUnavailable` if the database file was deleted or replaced.
 * Compares this machine's clock with that of the PostgreSQL server every ten minutes, and reports a difference of
 * more than five seconds.
 */
export function createStorageCheck({ storage, wall, monotonic, onFault }: Parts): () => Promise<void> {
  let compared_at: number | null = null;
  return async () => {
    if (storage.engine !== 'postgres') return storage.check();
    if (compared_at !== null && monotonic.now() - compared_at < interval_ms) return;
    // Both modes of a service start at the same time: only one of them compares.
    compared_at = monotonic.now();
    const { readDatabaseTime } = await import('../../storage/lease-time.ts');
    const before = wall.now();
    const database_now = await storage.run(readDatabaseTime);
    const after = wall.now();
    const skew_ms = database_now < before ? before - database_now : Math.max(0, database_now - after);
    if (skew_ms <= max_skew_ms) return;
    const direction = database_now < before ? 'ahead of' : 'behind';
    const message = `the clock of this machine is ${Math.round(skew_ms / 1_000)} s ${direction} the clock of the database server`;
    onFault?.(new Error(`${message}: synchronize both with NTP`), null);
  };
}

import { databaseTime, type LeaseTime } from '../../storage/lease-time.ts';
import type { ServiceConfig } from './context.ts';

/**
 * The clock of leases: wall time for a database file, which the processes of one machine share; the server's time for
 * PostgreSQL, because the clocks of workers may differ by more than a lease.
 */
export function leaseTime({ storage, wall }: Pick<ServiceConfig, 'storage' | 'wall'>): LeaseTime {
  return storage.engine === 'postgres' ? databaseTime() : wall.now();
}

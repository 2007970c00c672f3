import { databaseTime, type LeaseTime } from '../../storage/lease-time.ts';
import type { ServiceConfig } from './context.ts';

/**
 * The time by which leases are given and end: wall time on a database file, which the processes of one machine share;
 * the server's own on PostgreSQL, as the clocks of its workers may differ by more than a lease.
 */
export function leaseTime({ storage, wall }: Pick<ServiceConfig, 'storage' | 'wall'>): LeaseTime {
  return storage.engine === 'postgres' ? databaseTime() : wall.now();
}

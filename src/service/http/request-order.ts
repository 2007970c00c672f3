import type { Flag } from '../../storage/database.ts';
import type { Storage } from '../../storage/storage.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { requestOf } from '../runtime/ids.ts';
import type { ServiceClock } from '../runtime/service-clock.ts';

/**
 * Records of the same millisecond are listed in the order of their requests. While the clock stands still, other
 * processes may have created records in the same millisecond: then the latest is read from the database.
 */
export function createRequestOrder(
  storage: Storage,
  test_mode: Flag,
  clock: ServiceClock,
): ServiceContext['requestOrder'] {
  let latest = { now: Number.NEGATIVE_INFINITY, number: -1 };
  return async (now) => {
    const stored = clock.state().mode === 'manual' ? await latestStored(storage, test_mode, now) : -1;
    const before = latest.now === now ? latest.number : -1;
    latest = { now, number: Math.max(before, stored) + 1 };
    return latest.number;
  };
}

async function latestStored(storage: Storage, test_mode: Flag, now: number): Promise<number> {
  const { latestIds } = await import('../../storage/latest-ids.ts');
  const ids = await storage.read((db) => latestIds(db, test_mode, now));
  return Math.max(-1, ...ids.map(requestOf));
}

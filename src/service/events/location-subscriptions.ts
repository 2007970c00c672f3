/**
 * A courier's position is published each minute only while there are subscribers by name: a webhook endpoint, or an
 * open stream, possibly of another process that may crash. A stream therefore holds a lease in the database, in wall
 * time.
 */
import { minute_ms } from '../../domain/durations.ts';
import type { Connection, Scope } from '../../storage/database.ts';
import { deleteExpiredFollowers, isSubscribedOrFollowed } from '../../storage/events.ts';
import { writeSetting } from '../../storage/settings.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { instant } from '../runtime/time.ts';

const location_type = 'delivery.location_updated';
/** The duration of a stream's lease unless renewed. */
const lease_ms = minute_ms;

const keyOf = ({ account_id, test_mode }: Scope) => `followed ${location_type} ${account_id} ${test_mode}`;

/** Takes or renews a stream's lease on the positions of a scope's couriers. To be called every few seconds. */
export async function renewLocationSubscription(
  { storage, wall }: Pick<ServiceContext, 'storage' | 'wall'>,
  scope: Scope,
): Promise<void> {
  await storage.run((db) => writeSetting(db, keyOf(scope), instant(wall.now() + lease_ms)));
}

/** Whether there may be subscribers to positions, without checking leases, in one statement. */
export async function mayHaveSubscribers(db: Connection, scope: Scope): Promise<boolean> {
  return isSubscribedOrFollowed(db, { ...scopeOf(scope), type: location_type, key: keyOf(scope) });
}

/** Whether there are subscribers to positions now. Deletes expired leases. */
export async function hasSubscribers(
  db: Connection,
  scope: Scope,
  { wall }: Pick<ServiceContext, 'wall'>,
): Promise<boolean> {
  const key = keyOf(scope);
  const wall_now = instant(wall.now());
  if (await isSubscribedOrFollowed(db, { ...scopeOf(scope), type: location_type, key, wall_now }))
    return true;
  await deleteExpiredFollowers(db, key, wall_now);
  return false;
}

const scopeOf = ({ account_id, test_mode }: Scope): Scope => ({ account_id, test_mode });

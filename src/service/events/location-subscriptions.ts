import type { Connection, Scope } from '../../storage/database.ts';
import { forgetFollowers, isAskedOrFollowed } from '../../storage/location-interest.ts';
import { writeSetting } from '../../storage/settings.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { instant } from '../runtime/timestamps.ts';

// The position of a courier is published each minute only while somebody subscribes to it by name: a webhook endpoint, or
// an open stream, whose process may be another one and may die. So a stream keeps a lease in the database, in wall time.

const type = 'delivery.location_updated';
/** The lease of a stream; one that is not renewed has ended. */
const lease_ms = 60_000;

const keyOf = ({ account_id, test_mode }: Scope) => `followed ${type} ${account_id} ${test_mode}`;

/** Takes or renews the lease of a stream on the positions of a scope's couriers. To be called every few seconds. */
export async function renewLocationSubscription(
  { storage, wall }: Pick<ServiceContext, 'storage' | 'wall'>,
  scope: Scope,
): Promise<void> {
  await storage.run((db) => writeSetting(db, keyOf(scope), instant(wall.now() + lease_ms)));
}

/** Whether somebody may subscribe to positions, leases not checked: one statement. */
export async function mayHaveSubscribers(db: Connection, scope: Scope): Promise<boolean> {
  return isAskedOrFollowed(db, { ...scopeOf(scope), type, key: keyOf(scope) });
}

/** Whether somebody subscribes to positions now. Deletes leases that have ended. */
export async function hasSubscribers(
  db: Connection,
  scope: Scope,
  { wall }: Pick<ServiceContext, 'wall'>,
): Promise<boolean> {
  const key = keyOf(scope);
  const wall_now = instant(wall.now());
  if (await isAskedOrFollowed(db, { ...scopeOf(scope), type, key, wall_now })) return true;
  await forgetFollowers(db, key, wall_now);
  return false;
}

const scopeOf = ({ account_id, test_mode }: Scope): Scope => ({ account_id, test_mode });

import type { Connection, Scope } from '../../storage/database.ts';
import { forgetFollowers, isAskedOrFollowed } from '../../storage/location-interest.ts';
import { writeSetting } from '../../storage/settings.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { instant } from '../runtime/timestamps.ts';

// Where a courier is at each minute is told only while somebody asks for it by name: an endpoint, or an open stream,
// whose process may be another one and may die. So a stream writes down until when it is there, in wall time.

const type = 'delivery.location_updated';
/** An open stream that is not heard of for so long is gone. */
const life_ms = 60_000;

const keyOf = ({ account_id, test_mode }: Scope) => `followed ${type} ${account_id} ${test_mode}`;

/** Notes that somebody follows the positions of a scope's couriers: when that begins, and every few seconds. */
export async function renewLocationSubscription(
  { storage, wall }: Pick<ServiceContext, 'storage' | 'wall'>,
  scope: Scope,
): Promise<void> {
  await storage.run((db) => writeSetting(db, keyOf(scope), instant(wall.now() + life_ms)));
}

/** Whether somebody may ask for positions: all that it costs where nobody does is one statement. */
export async function mayHaveSubscribers(db: Connection, scope: Scope): Promise<boolean> {
  return isAskedOrFollowed(db, { ...scopeOf(scope), type, key: keyOf(scope) });
}

/** Whether somebody asks for positions now. Who no longer does is forgotten. */
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

import type { TaskRow } from '../../storage/database.ts';
import { isLater, type LeaseTime } from '../../storage/lease-time.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { leaseTime } from '../runtime/lease-time.ts';

// Which tasks somebody is at. Of other processes their claims tell that, while their leases last; of this one what
// it has in hand. The owner of the background work knows that no other process is at any.

/** Claims that last longer than this instant are believed; undefined where none is. */
export function claimsBelieved(
  service: Pick<ServiceContext, 'ownership' | 'storage' | 'wall'>,
): LeaseTime | undefined {
  return service.ownership === undefined ? leaseTime(service) : undefined;
}

/** Whether a task must be left to the one that is at it. */
export async function isInHand(service: ServiceContext, { id, claimed_until }: TaskRow): Promise<boolean> {
  if (service.hand.has(id)) return true;
  const believed = claimsBelieved(service);
  if (believed === undefined || claimed_until === null) return false;
  return service.storage.run((db) => isLater(db, claimed_until, believed));
}

/** Does something with a task, unless this process is at it already; tells what came of it. */
export async function holding(
  { hand }: Pick<ServiceContext, 'hand'>,
  { id }: Pick<TaskRow, 'id'>,
  work: () => Promise<boolean>,
): Promise<boolean> {
  if (hand.has(id)) return false;
  // Before the claim is written: whoever reads it must find it here.
  hand.add(id);
  try {
    return await work();
  } finally {
    hand.delete(id);
  }
}

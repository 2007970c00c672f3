import type { TaskRow } from '../storage/database.ts';
import type { ServiceContext } from './context.ts';

// Which tasks somebody is at. Of other processes their claims tell that, while their leases last; of this one what
// it has in hand. The owner of the background work knows that no other process is at any.

/** Claims that last longer than this instant of wall time are believed; undefined where none is. */
export function claimsBelieved({
  ownership,
  wall,
}: Pick<ServiceContext, 'ownership' | 'wall'>): number | undefined {
  return ownership === undefined ? wall.now() : undefined;
}

/** Whether a task must be left to the one that is at it. */
export function isInHand(service: ServiceContext, { id, claimed_until }: TaskRow): boolean {
  const believed = claimsBelieved(service);
  return service.hand.has(id) || (believed !== undefined && (claimed_until ?? 0) > believed);
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

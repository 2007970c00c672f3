import type { TaskRow } from '../../storage/database.ts';
import { isLater, type LeaseTime } from '../../storage/lease-time.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { leaseTime } from '../runtime/lease-time.ts';

// Who is executing a task: this process keeps the ids of its own running tasks; other processes hold leases in the
// database. The owner of the background work ignores leases: no other process executes tasks while it is the owner.

/** Leases that end after this instant are respected; undefined where none is, as this process is the owner. */
export function leaseCutoff(
  service: Pick<ServiceContext, 'ownership' | 'storage' | 'wall'>,
): LeaseTime | undefined {
  return service.ownership === undefined ? leaseTime(service) : undefined;
}

/** Whether a task is being executed, by this process or by another. */
export async function isLeased(service: ServiceContext, { id, claimed_until }: TaskRow): Promise<boolean> {
  if (service.running_tasks.has(id)) return true;
  const cutoff = leaseCutoff(service);
  if (cutoff === undefined || claimed_until === null) return false;
  return service.storage.run((db) => isLater(db, claimed_until, cutoff));
}

/** Executes a task unless this process is executing it already, and resolves with the result; false where it is. */
export async function executeOnce(
  { running_tasks }: Pick<ServiceContext, 'running_tasks'>,
  { id }: Pick<TaskRow, 'id'>,
  work: () => Promise<boolean>,
): Promise<boolean> {
  if (running_tasks.has(id)) return false;
  // Before the lease is written: whoever reads the lease must find the id here.
  running_tasks.add(id);
  try {
    return await work();
  } finally {
    running_tasks.delete(id);
  }
}

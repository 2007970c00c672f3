/**
 * Who executes a task: this process keeps the ids of its own running tasks; other processes hold leases in the
 * database. The owner of the background work ignores leases, because no other process executes tasks while it is the
 * owner.
 */
import type { TaskRow } from '../../storage/database.ts';
import { isLater, type LeaseTime, leaseTime } from '../../storage/locks.ts';
import type { ServiceContext } from '../runtime/context.ts';

/** Leases that end after this time are respected; undefined if this process is the owner and respects none. */
export function leaseCutoff(
  service: Pick<ServiceContext, 'ownership' | 'storage' | 'wall'>,
): LeaseTime | undefined {
  return service.ownership === undefined ? leaseTime(service) : undefined;
}

/** Whether a task is being executed, by this process or another. */
export async function isLeased(service: ServiceContext, { id, claimed_until }: TaskRow): Promise<boolean> {
  if (service.running_tasks.has(id)) return true;
  const cutoff = leaseCutoff(service);
  if (cutoff === undefined || claimed_until === null) return false;
  return service.storage.run((db) => isLater(db, claimed_until, cutoff));
}

/**
 * Executes tasks unless this process is already executing one of them, and resolves with the result; otherwise false.
 */
export async function executeOnce(
  { running_tasks }: Pick<ServiceContext, 'running_tasks'>,
  tasks: readonly Pick<TaskRow, 'id'>[],
  work: () => Promise<boolean>,
): Promise<boolean> {
  if (tasks.some(({ id }) => running_tasks.has(id))) return false;
  // Before the lease is written, so that a reader of the lease finds the ids here.
  for (const { id } of tasks) running_tasks.add(id);
  try {
    return await work();
  } finally {
    for (const { id } of tasks) running_tasks.delete(id);
  }
}

/** The work of the background loop of a mode: due tasks, and in a sandbox an interrupted clock advance before them. */
import { StorageUnavailable } from '../storage/storage.ts';
import type { ServiceContext } from './runtime/context.ts';
import { finishAdvance } from './sandbox/advance.ts';
import { executeTasks } from './tasks/task-loop.ts';

/** How long an interrupted advance runs before other work gets its turn. */
const share_ms = 1_000;

/**
 * Executes everything that is due now once; returns the number of tasks. An interrupted clock advance is continued
 * first, because later tasks are not due yet. With `max_duration_ms`, the rest is left for the next call.
 */
export async function runDueWork(service: ServiceContext, max_duration_ms?: number): Promise<number> {
  if (service.mutex.isInterrupted()) return 0;
  if (!service.sandbox) return executeTasks(service, max_duration_ms);
  await service.clock.refresh();
  const done = await finishAdvance(service, max_duration_ms ?? share_ms).catch(async (fault: unknown) => {
    // The clock is stopped until the advance can be finished, but tasks that are already due still run.
    if (!(fault instanceof StorageUnavailable)) await executeTasks(service, max_duration_ms);
    throw fault;
  });
  if (service.clock.state().advance === null) return done + (await executeTasks(service, max_duration_ms));
  // Other work may run before the advance continues.
  service.wakeup.notify();
  return done;
}

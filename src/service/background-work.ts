import { StorageUnavailable } from '../storage/storage.ts';
import type { ServiceContext } from './runtime/context.ts';
import { finishAdvance } from './sandbox/advance.ts';
import { runInOrder } from './tasks/run-in-order.ts';
import { deleteOldIdempotencyKeys } from './tasks/task-runner.ts';

/** How long an interrupted advance runs before other work gets its turn. */
const share_ms = 1_000;

/**
 * Executes everything that is due now once; returns the number of tasks. An interrupted clock advance is continued
 * first, because later tasks are not due yet. With `max_duration_ms`, the rest is left for the next call.
 */
export async function runDueWork(context: ServiceContext, max_duration_ms?: number): Promise<number> {
  if (context.mutex.isInterrupted()) return 0;
  if (!context.sandbox) return executeDueTasks(context, max_duration_ms);
  await context.clock.refresh();
  const done = await finishAdvance(context, max_duration_ms ?? share_ms).catch(async (fault: unknown) => {
    // The clock is stopped until the advance can be finished, but tasks that are already due still run.
    if (!(fault instanceof StorageUnavailable)) await executeDueTasks(context, max_duration_ms);
    throw fault;
  });
  if (context.clock.state().advance === null) return done + (await executeDueTasks(context, max_duration_ms));
  // Other work may run before the advance continues.
  context.wakeup.notify();
  return done;
}

/** If all providers respond within this process, and no mail server may be slow, nothing needs to run concurrently. */
async function executeDueTasks(context: ServiceContext, max_duration_ms?: number): Promise<number> {
  const { connections, providers, test_mode, sendMail } = context;
  const mayWait = sendMail !== undefined || (await connections.hasRemote(providers, test_mode));
  const done = mayWait ? await runSideBySide(context) : await runInOrder(context, max_duration_ms);
  if (done > 0) await deleteOldIdempotencyKeys(context);
  return done;
}

async function runSideBySide(context: ServiceContext): Promise<number> {
  const { runInLanes } = await import('./tasks/concurrency.ts');
  return runInLanes(context);
}

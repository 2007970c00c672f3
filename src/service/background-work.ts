import type { Connection, TaskRow } from '../storage/database.ts';
import { StorageUnavailable } from '../storage/storage.ts';
import { type DueTasks, lockDueTasks } from '../storage/tasks.ts';
import type { ServiceContext } from './runtime/context.ts';
import { createYielder } from './runtime/time.ts';
import { finishAdvance } from './sandbox/advance.ts';
import { callsOf, groupOf, max_concurrent_calls, max_group_size, readTasks } from './tasks/backlog.ts';
import { runGroup } from './tasks/task-group.ts';
import { leaseCutoff } from './tasks/task-leases.ts';
import { deleteOldIdempotencyKeys, runTask, runTasks } from './tasks/task-runner.ts';

/** How long an interrupted advance runs before other work gets its turn. */
const share_ms = 1_000;

/**
 * Executes everything that is due now once; returns the number of tasks. An interrupted clock advance is continued
 * first, because later tasks are not due yet. With `max_duration_ms`, the rest is left for the next call.
 */
export async function runDueWork(service: ServiceContext, max_duration_ms?: number): Promise<number> {
  if (service.mutex.isInterrupted()) return 0;
  if (!service.sandbox) return executeDueTasks(service, max_duration_ms);
  await service.clock.refresh();
  const done = await finishAdvance(service, max_duration_ms ?? share_ms).catch(async (fault: unknown) => {
    // The clock is stopped until the advance can be finished, but tasks that are already due still run.
    if (!(fault instanceof StorageUnavailable)) await executeDueTasks(service, max_duration_ms);
    throw fault;
  });
  if (service.clock.state().advance === null) return done + (await executeDueTasks(service, max_duration_ms));
  // Other work may run before the advance continues.
  service.wakeup.notify();
  return done;
}

/** If all providers respond within this process, and no mail server may be slow, nothing needs to run concurrently. */
async function executeDueTasks(service: ServiceContext, max_duration_ms?: number): Promise<number> {
  const { connections, providers, test_mode, sendMail } = service;
  const mayWait = sendMail !== undefined || (await connections.hasRemote(providers, test_mode));
  const done = mayWait ? await runSideBySide(service) : await runInOrder(service, max_duration_ms);
  if (done > 0) await deleteOldIdempotencyKeys(service);
  return done;
}

async function runSideBySide(service: ServiceContext): Promise<number> {
  const { runInLanes } = await import('./tasks/concurrency.ts');
  return runInLanes(service);
}

/**
 * The number of tasks read to see whether there is a group: two are enough. On PostgreSQL several workers compete for
 * them, and one that loses the first task continues with the next of its page.
 */
const page_size = { sqlite: 2, postgres: 10 } as const;

/**
 * Executes due tasks in order of due time, those that can in groups, until none is left, the service stops, or the
 * time is up. Returns their number.
 */
async function runInOrder(
  service: ServiceContext,
  max_duration_ms = Number.POSITIVE_INFINITY,
): Promise<number> {
  const { monotonic } = service;
  const yieldToEventLoop = createYielder(service);
  const began_at = monotonic.now();
  let done = 0;
  /** The number of tasks to run on their own, after a group of them has failed. */
  let singles = 0;
  while (!service.mutex.isInterrupted() && monotonic.now() - began_at < max_duration_ms) {
    const due = dueNow(service, page_size[service.storage.engine]);
    const rows = (await readTasks(service, due)).filter(({ id }) => !service.running_tasks.has(id));
    const group = singles > 0 ? [] : groupOf(service, rows);
    const lock = (db: Connection) => lockDueTasks(db, dueNow(service, max_group_size));
    const executed = group.length > 1 ? await runGroup(service, { lock }) : null;
    if (executed !== null) {
      // The others are locked by other workers, or gone.
      if (executed.length === 0) break;
      done += executed.length;
    } else {
      if (rows.length === 0) break;
      singles = group.length > 1 ? max_group_size : Math.max(0, singles - 1);
      const calls = await concurrentCalls(service, rows);
      if (calls.length > 1) done += await runTasks(service, calls);
      else if (await runFirst(service, rows)) done++;
    }
    service.heartbeat.beat('tasks');
    await yieldToEventLoop();
  }
  return done;
}

/** Selects the first due tasks that no other worker is executing. */
function dueNow(service: ServiceContext, count: number): DueTasks {
  const { clock, test_mode, running_tasks, quarantine } = service;
  const limit = running_tasks.size + quarantine.size() + count;
  return { test_mode, now: clock.now(), limit, wall_now: leaseCutoff(service) };
}

/** The first due tasks, if they can run side by side. */
async function concurrentCalls(service: ServiceContext, rows: readonly TaskRow[]): Promise<TaskRow[]> {
  if (callsOf(service, rows).length === 0) return [];
  const due = await readTasks(service, dueNow(service, max_concurrent_calls));
  return callsOf(
    service,
    due.filter(({ id }) => !service.running_tasks.has(id)),
  );
}

async function runFirst(service: ServiceContext, rows: readonly TaskRow[]): Promise<boolean> {
  for (const row of rows) if (await runTask(service, row)) return true;
  return false;
}

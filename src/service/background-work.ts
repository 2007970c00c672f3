import type { Connection, TaskRow } from '../storage/database.ts';
import { StorageUnavailable } from '../storage/storage.ts';
import { type DueTasks, lockDueTasks } from '../storage/tasks.ts';
import type { ServiceContext } from './runtime/context.ts';
import { createYielder } from './runtime/time.ts';
import { finishAdvance } from './sandbox/advance.ts';
import { readTasks } from './tasks/backlog.ts';
import { callsOf, createWorkPlan, max_concurrent_calls, max_group_size, type Work } from './tasks/next-work.ts';
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
  const plan = createWorkPlan(service);
  const lock = (db: Connection) => lockDueTasks(db, dueNow(service, max_group_size));
  let done = 0;
  while (!service.mutex.isInterrupted() && monotonic.now() - began_at < max_duration_ms) {
    const rows = await readFree(service, page_size[service.storage.engine]);
    const work = plan.nextWork(rows);
    if (work === null) break;
    if (work.kind === 'group') {
      const executed = await runGroup(service, { lock });
      if (executed === null) plan.leaveGroups();
      // The others are locked by other workers, or gone.
      else if (executed.length === 0) break;
      done += executed?.length ?? 0;
    } else done += await runAlone(service, work, rows);
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

/** The first due tasks that this process is not executing. */
async function readFree(service: ServiceContext, count: number): Promise<TaskRow[]> {
  const rows = await readTasks(service, dueNow(service, count));
  return rows.filter(({ id }) => !service.running_tasks.has(id));
}

/** Executes calls side by side, or the first task that no other worker is executing; resolves with their number. */
async function runAlone(service: ServiceContext, { kind }: Work, rows: readonly TaskRow[]): Promise<number> {
  if (kind === 'calls') {
    const calls = callsOf(service, await readFree(service, max_concurrent_calls));
    return runTasks(service, calls);
  }
  for (const row of rows) if (await runTask(service, row)) return 1;
  return 0;
}

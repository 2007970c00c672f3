import type { TaskRow } from '../../storage/database.ts';
import type { DueTasks } from '../../storage/tasks.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { createYielder } from '../runtime/yield-to-event-loop.ts';
import { readTasks } from './readable-tasks.ts';
import { groupOf, max_group_size, runGroup } from './task-group.ts';
import { leaseCutoff } from './task-leases.ts';
import { runTask } from './task-runner.ts';

/**
 * The number of tasks read to see whether there is a group: two are enough. On PostgreSQL several workers compete for
 * them, and one that loses the first task continues with the next of its page.
 */
const page_size = { sqlite: 2, postgres: 10 } as const;
const max_concurrent_calls = 32;

/**
 * Executes due tasks in order of due time, those that can in groups, until none is left, the service stops, or the
 * time is up. Returns their number.
 */
export async function runInOrder(
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
    const executed =
      group.length > 1 ? await runGroup(service, { due: dueNow(service, max_group_size) }) : null;
    if (executed !== null) {
      // The others are locked by other workers, or gone.
      if (executed.length === 0) break;
      done += executed.length;
    } else {
      if (rows.length === 0) break;
      singles = group.length > 1 ? max_group_size : Math.max(0, singles - 1);
      const calls = await concurrentCalls(service, rows);
      if (calls.length > 1) done += await runTogether(service, calls);
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

/**
 * Returns the first due tasks if they act outside of the database and are due at the same time. They run side by side:
 * they are claimed together, and the answers that arrive at the same time are written together.
 */
async function concurrentCalls(service: ServiceContext, [first]: readonly TaskRow[]): Promise<TaskRow[]> {
  const isCall = ({ kind, attempts }: TaskRow) =>
    service.task_kinds[kind]?.acts_outside === true && attempts === 0;
  if (first === undefined || !isCall(first)) return [];
  const rows = await readTasks(service, dueNow(service, max_concurrent_calls));
  const free = rows.filter(({ id }) => !service.running_tasks.has(id));
  const subjects = new Set<string>();
  const end = free.findIndex((row) => {
    const isKnown = subjects.has(row.subject);
    subjects.add(row.subject);
    return !isCall(row) || row.due_at !== first.due_at || isKnown;
  });
  return end < 0 ? free : free.slice(0, end);
}

async function runTogether(service: ServiceContext, rows: readonly TaskRow[]): Promise<number> {
  const outcomes = await Promise.all(rows.map((row) => runTask(service, row)));
  return outcomes.filter((isRun) => isRun).length;
}

async function runFirst(service: ServiceContext, rows: readonly TaskRow[]): Promise<boolean> {
  for (const row of rows) if (await runTask(service, row)) return true;
  return false;
}

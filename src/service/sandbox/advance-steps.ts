/**
 * A clock advance executes due tasks in order, each at its own time, and moves the clock along. Every step is written
 * together with the claim of its task, or with the results of its group of tasks, so that concurrent processes execute
 * different tasks, and after a crash the next process continues.
 */
import type { Connection, TaskRow } from '../../storage/database.ts';
import { StorageUnavailable } from '../../storage/storage.ts';
import { lockDueTasks } from '../../storage/tasks.ts';
import { hasEnabledEndpoints } from '../../storage/webhook-endpoints.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { type Advance, ClockChanged, type ClockState } from '../runtime/service-clock.ts';
import { readTasks } from '../tasks/backlog.ts';
import { groupOf, max_concurrent_calls, max_group_size, simulatedCallsOf } from '../tasks/next-tasks.ts';
import { runGroup } from '../tasks/task-group.ts';
import { executeOnce } from '../tasks/task-leases.ts';
import { isClaimable, runAllTaken, takeTasks } from '../tasks/task-runner.ts';

/** The maximum number of steps of one advance. */
export const max_steps = 10_000;
/** Later than any due time. */
export const never = Number.MAX_SAFE_INTEGER;

interface Next {
  state: ClockState;
  advance: Advance;
}

interface NextSteps extends Next {
  /** The first of the next tasks; the second shows whether several can be executed together. */
  rows: readonly TaskRow[];
}

/**
 * Executes the next steps: several together if nothing has to happen between them, because no webhook is sent and no
 * status is awaited.
 */
export function createSteps(service: ServiceContext): (next: NextSteps) => Promise<void> {
  /** The number of steps to execute on their own, after a group of them has failed. */
  let singles = 0;
  return async ({ rows, ...next }) => {
    const isGroup = groupOf(service, rows).length > 1;
    const isCall = simulatedCallsOf(service, rows).length > 1;
    if (singles > 0) singles -= 1;
    else if ((isGroup || isCall) && (await mayShare(service, next))) {
      if (isCall) return step(service, { ...next, tasks: await nextCalls(service, next) });
      const executed = await stepInGroup(service, next);
      if (executed === null) singles = groupSize(next);
      else if (executed) return;
    }
    // Tasks that other workers have locked are waited for one by one.
    await step(service, { ...next, tasks: rows.slice(0, 1) });
  };
}

async function mayShare({ storage, test_mode }: ServiceContext, { advance }: Next): Promise<boolean> {
  return advance.until === null && !(await storage.run((db) => hasEnabledEndpoints(db, test_mode)));
}

function groupSize({ advance }: Next): number {
  return Math.min(max_group_size, max_steps - advance.steps);
}

/**
 * Executes the next group; false if there was none, or other workers have locked its tasks, and null if one of them
 * failed.
 */
async function stepInGroup(service: ServiceContext, next: Next): Promise<boolean | null> {
  const { clock, test_mode } = service;
  const { state, advance } = next;
  if (advance.steps > 0) service.crash('clock.between_steps');
  let written = state;
  const record = async (db: Connection, executed: readonly TaskRow[]) => {
    written = await clock.write(db, state, afterSteps(next, executed));
  };
  const due = { test_mode, now: advance.target ?? never, limit: groupSize(next) };
  const lock = (db: Connection) => lockDueTasks(db, due);
  const group = await unlessChanged(async () => ({ executed: await runGroup(service, { lock, record }) }));
  if (group === null) {
    await clock.refresh();
    return true;
  }
  clock.adopt(written);
  return group.executed === null ? null : group.executed.length > 0;
}

/** The next tasks that couriers of this process answer side by side. */
async function nextCalls(service: ServiceContext, { advance }: Next): Promise<TaskRow[]> {
  const { test_mode, quarantine } = service;
  const now = advance.target ?? never;
  const rows = await readTasks(service, { test_mode, now, limit: quarantine.size() + max_concurrent_calls });
  return simulatedCallsOf(service, rows).slice(0, max_steps - advance.steps);
}

interface Step extends Next {
  /** One task, or several that run side by side. */
  tasks: readonly TaskRow[];
}

async function step(service: ServiceContext, next: Step): Promise<void> {
  if (next.advance.steps > 0) service.crash('clock.between_steps');
  await executeOnce(service, next.tasks, () => stepTo(service, next));
}

/** Whether this process executed the step. */
async function stepTo(service: ServiceContext, { tasks, ...next }: Step): Promise<boolean> {
  const { storage, clock } = service;
  const take = () =>
    storage.transaction(async (db) => {
      const claims = await takeTasks(db, service, tasks);
      if (claims.size < tasks.length) throw new ClockChanged();
      return { claims, written: await clock.write(db, next.state, afterSteps(next, tasks)) };
    });
  const taken = await unlessChanged(take).catch(async (fault: unknown) => {
    if (fault instanceof StorageUnavailable) throw fault;
    // If each task can be claimed, it is the clock that cannot be written.
    for (const row of tasks) if (!(await isClaimable(service, row))) return null;
    throw fault;
  });
  if (taken === null) {
    await clock.refresh();
    return false;
  }
  clock.adopt(taken.written);
  await runAllTaken(service, tasks, taken.claims);
  return true;
}

/** The clock after tasks, the last of which is due last. */
function afterSteps({ state, advance }: Next, tasks: readonly TaskRow[]) {
  return {
    service_at: Math.max(state.service_at, tasks.at(-1)?.due_at ?? 0),
    advance: { ...advance, steps: advance.steps + tasks.length },
  };
}

/** Null if another process has changed the clock. */
export async function unlessChanged<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (fault) {
    if (fault instanceof ClockChanged) return null;
    throw fault;
  }
}

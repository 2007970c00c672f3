import type { TaskRow } from '../../storage/database.ts';
import { lockFreeTasks } from '../../storage/tasks.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { createYielder } from '../runtime/time.ts';
import { type Backlog, createBacklog, laneNames } from './backlog.ts';
import { createWorkPlan } from './next-work.ts';
import { runGroup } from './task-group.ts';
import { leaseCutoff } from './task-leases.ts';
import { runTask, runTasks } from './task-runner.ts';

// Tasks that wait for a remote provider or a mail server run concurrently, so that they do not delay others: each
// provider has a lane of its own, and one that hangs only fills that lane. All other tasks run sequentially, or in
// groups.

/** The maximum number of concurrent calls to one provider. */
const lane_width = 10;
/** The maximum wait before reading tasks of other workers again. */
const poll_interval_ms = 500;

interface Lane {
  name: string;
  /** The running calls. */
  out: Set<Promise<void>>;
}

/** Running calls, and the results of completed ones. */
interface Lanes {
  /** Starts as many tasks as the lanes have room for. */
  fill: (backlog: Backlog) => void;
  isEmpty: () => boolean;
  /** Resolves when all calls have returned. */
  drain: () => Promise<void>;
  hasFailed: () => boolean;
  /** The number of executed tasks. Throws the error of a failed one. */
  done: () => number;
}

function createLanes(service: ServiceContext): Lanes {
  const lanes: Lane[] = laneNames(service).map((name) => ({ name, out: new Set() }));
  const faults: unknown[] = [];
  let isDraining = false;
  let done = 0;
  const send = async (row: TaskRow) => {
    try {
      if (await runTask(service, row)) done++;
    } catch (fault) {
      faults.push(fault);
    }
  };
  const fillLane = (lane: Lane, backlog: Backlog) => {
    const { name, out } = lane;
    while (!isDraining && out.size < lane_width && faults.length === 0 && mayGoOn(service)) {
      const row = backlog.nextOf(name);
      if (row === undefined) break;
      const call = send(row).finally(() => {
        out.delete(call);
        // At once: the sequential tasks may take a while.
        fillLane(lane, backlog);
        service.wakeup.notify();
      });
      out.add(call);
    }
  };
  const isEmpty = () => lanes.every(({ out }) => out.size === 0);
  return {
    fill: (backlog) => {
      for (const lane of lanes) fillLane(lane, backlog);
    },
    isEmpty,
    drain: async () => {
      isDraining = true;
      await Promise.all(lanes.flatMap(({ out }) => [...out]));
    },
    hasFailed: () => faults.length > 0,
    done: () => {
      if (faults.length > 0) throw faults[0];
      return done;
    },
  };
}

/**
 * Executes due tasks until none is left, the service stops, or other work waits for the mutex. Returns their number.
 */
export async function runInLanes(service: ServiceContext): Promise<number> {
  const lanes = createLanes(service);
  let done = 0;
  try {
    done = await executeAll(service, lanes);
  } finally {
    // Running calls are awaited in any case.
    await lanes.drain();
  }
  return done + lanes.done();
}

async function executeAll(service: ServiceContext, lanes: Lanes): Promise<number> {
  const { monotonic } = service;
  const backlog = await createBacklog(service);
  const runSequential = createSequentialRun(service, backlog);
  const yieldToEventLoop = createYielder(service);
  let polled_at = monotonic.now();
  /** The number of executed tasks when the last full read started. */
  let seen = 0;
  let done = 0;
  const startOver = () => {
    polled_at = monotonic.now();
    seen = done + lanes.done();
    backlog.startOver();
  };
  while (mayGoOn(service) && !lanes.hasFailed()) {
    await yieldToEventLoop();
    if (monotonic.now() - polled_at >= poll_interval_ms) startOver();
    await backlog.readNew();
    service.heartbeat.beat('tasks');
    lanes.fill(backlog);
    if (backlog.sequential().length > 0) done += await runSequential();
    else if (await backlog.readMore()) continue;
    else if (!lanes.isEmpty()) {
      if (!(await waitForChange(service, backlog))) startOver();
    } else if (done + lanes.done() > seen) startOver();
    else break;
  }
  return done;
}

/** Executes the first sequential tasks of a backlog, several together if possible; resolves with their number. */
function createSequentialRun(service: ServiceContext, backlog: Backlog): () => Promise<number> {
  const plan = createWorkPlan(service);
  return async () => {
    const work = plan.nextWork(backlog.sequential());
    if (work === null) return 0;
    const { kind, tasks } = work;
    if (kind !== 'group') {
      backlog.remove(tasks);
      return runTasks(service, tasks);
    }
    const free = { tasks, wall_now: leaseCutoff(service) };
    const executed = await runGroup(service, { lock: (db) => lockFreeTasks(db, free) });
    // If none was executed, other workers have locked them, or have executed them.
    if (executed !== null) backlog.remove(executed.length > 0 ? executed : tasks);
    else plan.leaveGroups(tasks.length);
    return executed?.length ?? 0;
  };
}

function mayGoOn({ mutex, clock }: ServiceContext): boolean {
  return !mutex.isInterrupted() && !mutex.isContended() && clock.state().advance === null;
}

/** Waits until a call has returned, a task was added or one is due; false when it is time for a full read. */
async function waitForChange({ wakeup, clock }: ServiceContext, backlog: Backlog): Promise<boolean> {
  await clock.refresh();
  const due_at = await backlog.nextDueAt();
  const wait_ms = due_at === null ? poll_interval_ms : clock.wait_ms(due_at);
  // Due tasks that were not taken are claimed by other workers.
  if (wait_ms <= 0 || wait_ms >= poll_interval_ms) return wakeup.wait(poll_interval_ms);
  await wakeup.wait(wait_ms);
  return true;
}

/** Executes the tasks that are due: groups that use the database, and calls beside them, until none is left. */
import type { TaskRow } from '../../storage/database.ts';
import { nextDueAfter } from '../../storage/tasks.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { readTaskTraits } from '../runtime/task-kinds.ts';
import { createYielder } from '../runtime/time.ts';
import { createDueReader, type DuePage } from './due-tasks.ts';
import { findLane } from './lanes.ts';
import {
  createFairPlan,
  createTurns,
  groupInTurn,
  max_group_size,
  type Work,
  type WorkPlan,
} from './next-work.ts';
import { runGroup } from './task-group.ts';
import { runTask, runTasks } from './task-runner.ts';

/** The maximum wait before reading tasks of other workers again. */
const poll_interval_ms = 500;
/** How long a group is to take: as long as the task of another account waits for it. */
const group_ms = 50;
const min_group_size = 10;

/**
 * Executes the tasks that are due now, those of accounts in turn, until none is left, the service stops, other work waits
 * for the mutex, or the time is up. Returns their number.
 */
export async function executeTasks(
  service: ServiceContext,
  max_duration_ms = Number.POSITIVE_INFINITY,
): Promise<number> {
  const { mutex, clock, monotonic } = service;
  const began_at = monotonic.now();
  const request = clock.state().advance?.request;
  const mayGoOn = () => {
    const isWanted = mutex.isInterrupted() || mutex.isContended();
    const isUp = monotonic.now() - began_at >= max_duration_ms;
    return !isWanted && !isUp && clock.state().advance?.request === request;
  };
  const calls = createCalls(service, mayGoOn);
  let done = 0;
  try {
    done = await executeAll(service, calls, mayGoOn);
  } finally {
    // Running calls are awaited in any case.
    await calls.drain();
  }
  return done + calls.done();
}

/** Running calls, and the results of completed ones. */
interface Calls {
  /**
   * Starts as many of these tasks as there is room for, those of accounts in turn. The others are started when a call
   * returns, unless others are given before.
   */
  start: (rows: readonly TaskRow[]) => void;
  isEmpty: () => boolean;
  /** Starts no more; resolves when all calls have returned. */
  drain: () => Promise<void>;
  hasFailed: () => boolean;
  /** The number of executed tasks. Throws the error of a failed one. */
  done: () => number;
}

async function executeAll(service: ServiceContext, calls: Calls, mayGoOn: () => boolean): Promise<number> {
  const plan = createFairPlan(service);
  const readPage = createDueReader(service);
  const yieldToEventLoop = createYielder(service);
  /** Tasks that other workers are executing. */
  const skipped = new Set<string>();
  let group_size = max_group_size;
  let done = 0;
  while (mayGoOn() && !calls.hasFailed()) {
    await yieldToEventLoop();
    const now = service.clock.now();
    const page = await readPage(skipped);
    service.heartbeat.beat('tasks');
    calls.start(page.rows.filter((row) => findLane(service, row) !== ''));
    const work = plan.nextWork(
      page.rows.filter((row) => findLane(service, row) === ''),
      group_size,
    );
    if (work !== null) {
      const began_at = service.monotonic.now();
      const executed = await execute(service, plan, { page, work, group_size });
      if (work.kind === 'group' && executed !== null)
        group_size = nextSize(group_size, executed, service.monotonic.now() - began_at);
      if (executed === 0) for (const { id } of work.tasks) skipped.add(id);
      done += executed ?? 0;
    } else if (page.isLast) {
      if (calls.isEmpty()) break;
      await waitForChange(service, now);
      skipped.clear();
    }
  }
  return done;
}

/** The maximum size of the group after one that took some time. */
function nextSize(size: number, executed: number, took_ms: number): number {
  if (took_ms <= group_ms) return Math.min(max_group_size, size * 2);
  return Math.max(min_group_size, Math.min(size, Math.floor((executed * group_ms) / took_ms)));
}

interface PlannedWork {
  page: DuePage;
  work: Work;
  group_size: number;
}

/** Executes work and returns the number of tasks; null if a task of a group has failed. */
async function execute(
  service: ServiceContext,
  plan: WorkPlan,
  { page, work: { kind, tasks }, group_size }: PlannedWork,
): Promise<number | null> {
  if (kind !== 'group') return runTasks(service, tasks);
  const accounts = [...new Set(tasks.map(({ account_id }) => account_id))];
  const executed = await runGroup(service, {
    select: async (db) => groupInTurn(service, await page.lock(db, accounts, group_size)),
    isOvertaken: (row, inserted) => (inserted.get(row.account_id) ?? row.due_at) < row.due_at,
  });
  if (executed === null) plan.leaveGroups(tasks.length);
  return executed?.length ?? null;
}

/** Waits until a call has returned, a task was added, one is due, or others may have ended tasks. */
async function waitForChange(
  { storage, wakeup, clock, test_mode }: ServiceContext,
  now: number,
): Promise<void> {
  await clock.refreshAfter(poll_interval_ms);
  const due_at = await storage.run((db) => nextDueAfter(db, { test_mode, now }));
  const wait_ms = due_at === null ? poll_interval_ms : clock.wait_ms(due_at);
  if (wait_ms > 0) await wakeup.wait(Math.min(wait_ms, poll_interval_ms));
}

// Tasks with a lane run side by side, beside all other tasks, so that what is slow outside of the service does not delay
// them. Calls that never answer fill the lanes of one account and leave room for those of others.

function createCalls(service: ServiceContext, mayGoOn: () => boolean): Calls {
  const { call_shares, wakeup } = service;
  const turns = createTurns();
  const running = new Set<Promise<void>>();
  const faults: unknown[] = [];
  let waiting: readonly TaskRow[] = [];
  let isDraining = false;
  let done = 0;
  const shareOf = ({ kind }: TaskRow) => call_shares(readTaskTraits(kind)?.lane ?? 'couriers');
  const send = async (row: TaskRow) => {
    try {
      if (await runTask(service, row)) done++;
    } catch (fault) {
      faults.push(fault);
    }
  };
  const begin = (row: TaskRow) => {
    const call = send(row).finally(() => {
      running.delete(call);
      shareOf(row).release(row);
      // At once: the other tasks may take a while.
      fill();
      wakeup.notify();
    });
    running.add(call);
  };
  /** Starts one call of each account and lane that has room; false if none has. */
  const startRound = (): boolean => {
    const rows = turns.inTurn(waiting, nameOf).flatMap(([, queue]) => queue.slice(0, 1));
    const started = rows.filter((row) => shareOf(row).take(row));
    waiting = waiting.filter((row) => !started.includes(row));
    turns.take(started.map(nameOf));
    for (const row of started) begin(row);
    return started.length > 0;
  };
  const fill = () => {
    const isOpen = () => !isDraining && faults.length === 0 && mayGoOn();
    while (isOpen() && startRound());
  };
  return {
    start: (rows) => {
      waiting = rows;
      fill();
    },
    isEmpty: () => running.size === 0,
    drain: async () => {
      isDraining = true;
      await Promise.all(running);
    },
    hasFailed: () => faults.length > 0,
    done: () => {
      if (faults.length > 0) throw faults[0];
      return done;
    },
  };
}

function nameOf({ account_id, test_mode, lane, kind }: TaskRow): string {
  return [account_id, test_mode, lane, kind].join(' ');
}

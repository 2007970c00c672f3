import type { TaskRow } from '../../storage/database.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { createYielder } from '../runtime/yield-to-event-loop.ts';
import { type Backlog, createBacklog, laneNames } from './backlog.ts';
import { runTask } from './task-runner.ts';

// Tasks that wait for a remote provider or a mail server run concurrently, so that they do not delay others: each
// provider has a lane of
// its own, and one that hangs only fills that lane. All other tasks run sequentially.

/** The maximum number of concurrent calls to one provider. */
const lane_width = 10;
/** The maximum wait before reading tasks of other workers again. */
const poll_interval_ms = 500;

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
  const lanes = laneNames(service).map((name) => ({ name, out: new Set<Promise<void>>() }));
  const faults: unknown[] = [];
  let done = 0;
  const send = async (row: TaskRow) => {
    try {
      if (await runTask(service, row)) done++;
    } catch (fault) {
      faults.push(fault);
    }
  };
  return {
    fill: (backlog) => {
      for (const { name, out } of lanes) {
        while (out.size < lane_width) {
          const row = backlog.nextOf(name);
          if (row === undefined) break;
          const call = send(row).finally(() => {
            out.delete(call);
            service.wakeup.notify();
          });
          out.add(call);
        }
      }
    },
    isEmpty: () => lanes.every(({ out }) => out.size === 0),
    drain: async () => {
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
    const row = backlog.next();
    if (row !== undefined) {
      if (await runTask(service, row)) done++;
    } else if (await backlog.readMore()) continue;
    else if (!lanes.isEmpty()) {
      if (!(await waitForChange(service, backlog))) startOver();
    } else if (done + lanes.done() > seen) startOver();
    else break;
  }
  return done;
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

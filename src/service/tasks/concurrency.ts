import type { TaskRow } from '../../storage/database.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { createYielder } from '../runtime/yield-to-event-loop.ts';
import { type Backlog, createBacklog } from './backlog.ts';
import { runTask } from './task-runner.ts';

// Work that waits for a remote provider goes on side by side, so that it holds up nothing else: each provider has a
// lane of its own, and one that hangs fills that lane only. All other work goes one by one, as if there were none.

/** So many calls to one provider are out at once. */
const lane_width = 10;
/** The longest wait before the tasks that others were executing are read again. */
const poll_interval_ms = 500;

/** Calls that are out, and what came of those that are back. */
interface Lanes {
  /** Sends out what a lane has room for. */
  fill: (backlog: Backlog) => void;
  isEmpty: () => boolean;
  /** Ends when all are back. */
  empty: () => Promise<void>;
  hasFailed: () => boolean;
  /** How many were run. Throws what ended one of them. */
  done: () => number;
}

function createLanes(service: ServiceContext): Lanes {
  const remote = service.providers.filter(({ is_remote }) => is_remote);
  const lanes = remote.map(({ name }) => ({ name, out: new Set<Promise<void>>() }));
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
    empty: async () => {
      await Promise.all(lanes.flatMap(({ out }) => [...out]));
    },
    hasFailed: () => faults.length > 0,
    done: () => {
      if (faults.length > 0) throw faults[0];
      return done;
    },
  };
}

/** Does what is due until nothing is, the service stops, or others wait for their turn. Tells how much was done. */
export async function runInLanes(service: ServiceContext): Promise<number> {
  const lanes = createLanes(service);
  let done = 0;
  try {
    done = await workThrough(service, lanes);
  } finally {
    // Whatever ended the work, what is out is waited for.
    await lanes.empty();
  }
  return done + lanes.done();
}

async function workThrough(service: ServiceContext, lanes: Lanes): Promise<number> {
  const { monotonic } = service;
  const backlog = await createBacklog(service);
  const yieldToEventLoop = createYielder(service);
  let looked_at = monotonic.now();
  /** How much had been done when it was begun to look at everything. */
  let seen = 0;
  let done = 0;
  const startOver = () => {
    looked_at = monotonic.now();
    seen = done + lanes.done();
    backlog.startOver();
  };
  while (mayGoOn(service) && !lanes.hasFailed()) {
    await yieldToEventLoop();
    if (monotonic.now() - looked_at >= poll_interval_ms) startOver();
    await backlog.readNew();
    service.heartbeat.beat('tasks');
    lanes.fill(backlog);
    const row = backlog.next();
    if (row !== undefined) {
      if (await runTask(service, row)) done++;
    } else if (await backlog.readOn()) continue;
    else if (!lanes.isEmpty()) {
      if (!(await changed(service, backlog))) startOver();
    } else if (done + lanes.done() > seen) startOver();
    else break;
  }
  return done;
}

function mayGoOn({ mutex, clock }: ServiceContext): boolean {
  return !mutex.isInterrupted() && !mutex.isContended() && clock.state().advance === null;
}

/** Waits until a call is back, work has come or something is due; false when it is time to look at everything. */
async function changed({ wakeup, clock }: ServiceContext, backlog: Backlog): Promise<boolean> {
  await clock.refresh();
  const due_at = await backlog.nextDueAt();
  const wait_ms = due_at === null ? poll_interval_ms : clock.wait_ms(due_at);
  // What is due and was not taken is in the hands of others.
  if (wait_ms <= 0 || wait_ms >= poll_interval_ms) return wakeup.wait(poll_interval_ms);
  await wakeup.wait(wait_ms);
  return true;
}

import type { TaskRow } from '../../storage/database.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { breathing } from '../runtime/yield-to-event-loop.ts';
import { type Backlog, createBacklog } from './backlog.ts';
import { runTask } from './task-runner.ts';

// Work that waits for a remote provider goes on side by side, so that it holds up nothing else: each provider has a
// lane of its own, and one that hangs fills that lane only. All other work goes one by one, as if there were none.

/** So many calls to one provider are out at once. */
const lane_width = 10;
/** The longest wait before looking again at what others had in hand. */
const look_ms = 500;

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
            service.bell.ring();
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
  const breathe = breathing(service);
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
    await breathe();
    if (monotonic.now() - looked_at >= look_ms) startOver();
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

function mayGoOn({ turns, clock }: ServiceContext): boolean {
  return !turns.isInterrupted() && !turns.isAwaited() && clock.state().advance === null;
}

/** Waits until a call is back, work has come or something is due; false when it is time to look at everything. */
async function changed({ bell, clock }: ServiceContext, backlog: Backlog): Promise<boolean> {
  await clock.refresh();
  const due_at = await backlog.nextDueAt();
  const wait_ms = due_at === null ? look_ms : clock.wait_ms(due_at);
  // What is due and was not taken is in the hands of others.
  if (wait_ms <= 0 || wait_ms >= look_ms) return bell.heard(look_ms);
  await bell.heard(wait_ms);
  return true;
}

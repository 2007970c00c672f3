import { hasReached, isEnded } from '../../domain/delivery-states.ts';
import type { TaskRow } from '../../storage/database.ts';
import { loadDelivery } from '../../storage/deliveries.ts';
import { StorageUnavailable } from '../../storage/errors.ts';
import { latestPosition } from '../../storage/events.ts';
import { whileOwner } from '../runtime/background-owner.ts';
import type { Advance, AdvanceEnd, ClockState } from '../runtime/clock-state.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { ClockChanged } from '../runtime/service-clock.ts';
import { createYielder } from '../runtime/yield-to-event-loop.ts';
import { readTasks } from '../tasks/readable-tasks.ts';
import { executeOnce, isLeased } from '../tasks/task-leases.ts';
import { isClaimable, runTaken, takeTask } from '../tasks/task-runner.ts';
import { type Arrival, giveUpAdvance, settleAdvance } from './end-advance.ts';

// An advance of the clock: due work is done one by one, in order, each piece at its own time, and the clock goes
// along. Every step is written with the claim of its task, so that of several processes at one advance each does
// another piece, and after a crash whoever comes next goes on where it stopped.

/** The most steps that one advance takes, and about the longest that one call works at it. */
const most_steps = 10_000;
const max_duration_ms = 20_000;
/** For so long an advance is left to another process that does not end it. */
const furthest_wait_ms = 2 * max_duration_ms;
/** How long to wait before polling again a task that another worker is executing. */
const poll_interval_ms = 20;
/** Later than all that can be due. */
const never = Number.MAX_SAFE_INTEGER;

/** Writes an advance down, from where the clock is. Throws `ClockChanged`. */
export async function beginAdvance(
  { storage, clock }: ServiceContext,
  request: string,
  end: AdvanceEnd,
): Promise<void> {
  const from = clock.state();
  const service_at = clock.now();
  const written = await storage.transaction(async (db) => {
    const advance = { ...end, request, position: await latestPosition(db), steps: 0 };
    return clock.write(db, from, { service_at, advance });
  });
  clock.adopt(written);
}

/**
 * Does the work of the advance under way, as far as it goes; null where another process has ended it, as the owner of
 * the background work does with every advance that it finds. Throws `StorageUnavailable` where the service stops:
 * whoever opens it next goes on.
 */
export async function pursueAdvance(
  service: ServiceContext,
  limit_ms = max_duration_ms,
): Promise<Arrival | null> {
  const request = service.clock.state().advance?.request;
  const isOver = () => service.clock.state().advance?.request !== request;
  let arrival: Arrival | null = null;
  const pursue = async () => {
    arrival = await pursueOwned(service, limit_ms);
  };
  for (let waited_ms = 0; !isOver() && !(await whileOwner(service, pursue)); ) {
    requireGoingOn(service);
    if (waited_ms > furthest_wait_ms)
      throw new StorageUnavailable('the process that does the background work does not get on with it');
    waited_ms += await waitForOthers(service);
  }
  return arrival;
}

function requireGoingOn({ mutex }: ServiceContext): void {
  if (mutex.isInterrupted()) throw new StorageUnavailable('the service stopped in the middle of an advance');
}

async function pursueOwned(service: ServiceContext, limit_ms: number): Promise<Arrival | null> {
  const { clock, monotonic } = service;
  const request = clock.state().advance?.request;
  const yieldToEventLoop = createYielder(service);
  const started_at = monotonic.now();
  const sending = createSending(service);
  let waited_ms = 0;
  for (;;) {
    await yieldToEventLoop();
    requireGoingOn(service);
    service.heartbeat.beat('tasks');
    const state = clock.state();
    const { advance } = state;
    if (advance === null || advance.request !== request) return null;
    const row = await nextTask(service, advance);
    const worked_ms = Math.max(monotonic.now() - started_at, waited_ms);
    const isPaused = advance.steps < most_steps && worked_ms >= limit_ms;
    const isSpent = isPaused || advance.steps >= most_steps;
    const send_at = await sending.timeOf(state, { advance, row });
    if (isSpent || (row === undefined && send_at === null)) {
      const more = row !== undefined || send_at !== null;
      return { state, advance, more, isPaused: more && isPaused };
    }
    if (send_at !== null) waited_ms += await sending.sendAt(state, send_at);
    else if (row === undefined || (await isLeased(service, row))) waited_ms += await waitForOthers(service);
    else await step(service, { state, advance, row });
  }
}

interface Sending {
  /**
   * When the next events are to be sent, where that is before the next task and within the advance; null where none
   * are. Where an advance ends with its work, an attempt that is due later does not make it go on.
   */
  timeOf: (state: ClockState, next: { advance: Advance; row: TaskRow | undefined }) => Promise<number | null>;
  /** Goes on to an instant and sends what is due then; tells how long it had to wait for others that are at it. */
  sendAt: (state: ClockState, service_at: number) => Promise<number>;
}

/** The sending of an advance. Once it fails, the advance goes on without it: what is to be sent is sent later. */
function createSending(service: ServiceContext): Sending {
  const { storage, clock, sender, onFault } = service;
  let hasFailed = false;
  const tried = async <T>(work: () => Promise<T>, otherwise: T): Promise<T> => {
    if (hasFailed) return otherwise;
    try {
      return await work();
    } catch (fault) {
      if (fault instanceof StorageUnavailable) throw fault;
      onFault?.(fault, null);
      hasFailed = true;
      return otherwise;
    }
  };
  return {
    timeOf: async ({ service_at }, { advance, row }) => {
      const due_at = await tried(sender.nextDueAt, null);
      if (due_at === null) return null;
      const isNext = row === undefined ? due_at <= (advance.target ?? service_at) : due_at < row.due_at;
      return isNext ? Math.max(due_at, service_at) : null;
    },
    sendAt: async (state, service_at) => {
      if (service_at > state.service_at) {
        const change = { service_at };
        const written = await unlessChanged(() =>
          storage.transaction((db) => clock.write(db, state, change)),
        );
        if (written === null) {
          await clock.refresh();
          return 0;
        }
        clock.adopt(written);
      }
      return (await tried(sender.sendPromptly, 0)) > 0 ? 0 : waitForOthers(service);
    },
  };
}

/** What an advance has to do next; claimed or not, as nothing may come before it. */
async function nextTask(service: ServiceContext, { target, until }: Advance): Promise<TaskRow | undefined> {
  if (until !== null) {
    const delivery = await service.storage.run((db) => loadDelivery(db, until.delivery_id));
    if (delivery === undefined || isEnded(delivery.status)) return undefined;
    if (hasReached(delivery.status, until.status)) return undefined;
  }
  const [row] = await readTasks(service, {
    test_mode: service.test_mode,
    now: target ?? never,
    limit: service.quarantine.size() + 1,
  });
  return row;
}

async function waitForOthers({ clock, timers }: ServiceContext): Promise<number> {
  await new Promise<void>((resolve) => {
    timers.after(poll_interval_ms, resolve);
  });
  await clock.refresh();
  return poll_interval_ms;
}

async function step(service: ServiceContext, next: Step): Promise<void> {
  if (next.advance.steps > 0) service.crash('clock.between_steps');
  await executeOnce(service, next.row, () => stepTo(service, next));
}

interface Step {
  state: ClockState;
  advance: Advance;
  row: TaskRow;
}

/** Whether it was this process that took the step. */
async function stepTo(service: ServiceContext, { state, advance, row }: Step): Promise<boolean> {
  const { storage, clock } = service;
  const change = {
    service_at: Math.max(state.service_at, row.due_at),
    advance: { ...advance, steps: advance.steps + 1 },
  };
  const take = () =>
    storage.transaction(async (db) => {
      const claim = await takeTask(db, service, row);
      if (claim === null) throw new ClockChanged();
      return { claim, written: await clock.write(db, state, change) };
    });
  const taken = await unlessChanged(take).catch(async (fault: unknown) => {
    if (fault instanceof StorageUnavailable) throw fault;
    // Where the task can be claimed, it is the clock that cannot be moved.
    if (await isClaimable(service, row)) throw fault;
    return null;
  });
  if (taken === null) {
    await clock.refresh();
    return false;
  }
  clock.adopt(taken.written);
  await runTaken(service, row, taken.claim);
  return true;
}

/** Null where another process has changed the clock meanwhile. */
async function unlessChanged<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (fault) {
    if (fault instanceof ClockChanged) return null;
    throw fault;
  }
}

/**
 * Finishes what another process, or this one in an earlier life, has begun; tells how much work that was. With a
 * limit, what is not done by then is left for the next time. An advance that fails is given up: the clock stays where
 * it came to.
 */
export async function finishAdvance(service: ServiceContext, limit_ms?: number): Promise<number> {
  const { clock } = service;
  const before = clock.state().advance;
  if (before === null) return 0;
  try {
    const arrival = await pursueAdvance(service, limit_ms);
    const done = (arrival?.advance.steps ?? before.steps) - before.steps;
    if (limit_ms !== undefined && arrival?.isPaused === true) return done;
    if (arrival !== null) await settleAdvance(service, arrival);
    return done + (await finishAdvance(service, limit_ms));
  } catch (fault) {
    await giveUpAdvance(service, fault);
    return 0;
  }
}

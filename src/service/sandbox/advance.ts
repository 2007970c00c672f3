/**
 * Advances the sandbox's clock: executes every task that becomes due meanwhile, in order, at its own time, and moves the
 * clock along. `beginAdvance` stores an advance, `runAdvance` executes its steps, `settleAdvance` ends it. Every step is
 * written together with the claim of its task, or with the results of its group of tasks, so that concurrent processes
 * execute different tasks, and after a crash the next process continues (`finishAdvance`).
 */
import { hasReached, isEnded } from '../../domain/delivery-states.ts';
import type { Connection, Scope, TaskRow } from '../../storage/database.ts';
import { loadDelivery } from '../../storage/deliveries.ts';
import { latestPosition } from '../../storage/events.ts';
import { insertFailedTask } from '../../storage/failed-tasks.ts';
import { StorageUnavailable } from '../../storage/storage.ts';
import { lockDueTasks } from '../../storage/tasks.ts';
import { hasEnabledEndpoints } from '../../storage/webhook-endpoints.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { whileOwner } from '../runtime/processes.ts';
import {
  type Advance,
  type AdvanceEnd,
  ClockChanged,
  type ClockState,
  type FinishedAdvance,
} from '../runtime/service-clock.ts';
import { createYielder, pause } from '../runtime/time.ts';
import { readTasks } from '../tasks/due-tasks.ts';
import { failedTaskRow } from '../tasks/failed-work.ts';
import {
  createWorkPlan,
  groupOf,
  max_concurrent_calls,
  max_group_size,
  simulatedCallsOf,
} from '../tasks/next-work.ts';
import { runGroup } from '../tasks/task-group.ts';
import { executeOnce, isLeased } from '../tasks/task-leases.ts';
import { isClaimable, runAllTaken, takeTasks } from '../tasks/task-runner.ts';

/** The approximate duration of one call. */
const max_duration_ms = 20_000;
/** How long to wait for another process that should end the advance. */
const max_wait_ms = 2 * max_duration_ms;
/** How long to wait before polling again a task that another worker is executing. */
const poll_interval_ms = 20;

/** Stores an advance that starts at the current clock. Throws `ClockChanged`. */
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

/** The result of an advance: it has ended, or has `more` to do but no steps or time left. */
export interface AdvanceResult {
  state: ClockState;
  advance: Advance;
  more: boolean;
  /** How many webhooks it has sent in this process. */
  sent: number;
  /** Whether it can continue: only its time was used up. */
  isPaused: boolean;
}

/**
 * Executes the running advance as far as possible; null if another process has ended it, as the owner of the
 * background work does with any advance that it finds. Throws `StorageUnavailable` if the service stops: the next
 * process continues.
 */
export async function runAdvance(
  service: ServiceContext,
  limit_ms = max_duration_ms,
): Promise<AdvanceResult | null> {
  const request = service.clock.state().advance?.request;
  const isOver = () => service.clock.state().advance?.request !== request;
  let arrival: AdvanceResult | null = null;
  const pursue = async () => {
    arrival = await runAdvanceAsOwner(service, limit_ms);
  };
  for (let waited_ms = 0; !isOver() && !(await whileOwner(service, pursue)); ) {
    requireNotInterrupted(service);
    if (waited_ms > max_wait_ms)
      throw new StorageUnavailable('the process that owns the background work makes no progress');
    waited_ms += await waitForOthers(service);
  }
  return arrival;
}

function requireNotInterrupted({ mutex }: ServiceContext): void {
  if (mutex.isInterrupted()) throw new StorageUnavailable('the service stopped during a clock advance');
}

/** The maximum number of tasks that one advance executes; the next request continues. */
const max_steps = 10_000;

async function runAdvanceAsOwner(service: ServiceContext, limit_ms: number): Promise<AdvanceResult | null> {
  const { clock, monotonic } = service;
  const request = clock.state().advance?.request;
  const yieldToEventLoop = createYielder(service);
  const started_at = monotonic.now();
  const sending = createWebhookSending(service);
  const executeSteps = createSteps(service);
  let waited_ms = 0;
  let sent = 0;
  for (;;) {
    await yieldToEventLoop();
    requireNotInterrupted(service);
    service.heartbeat.beat('tasks');
    const state = clock.state();
    const { advance } = state;
    if (advance === null || advance.request !== request) return null;
    const rows = await nextTasks(service, advance);
    const [row] = rows;
    const worked_ms = Math.max(monotonic.now() - started_at, waited_ms);
    const isPaused = advance.steps < max_steps && worked_ms >= limit_ms;
    const isStopping = isPaused || advance.steps >= max_steps;
    const send_at = await sending.nextSendAt(state, { advance, row });
    if (isStopping || (row === undefined && send_at === null)) {
      const more = row !== undefined || send_at !== null;
      return { state, advance, more, sent, isPaused: more && isPaused };
    }
    if (send_at !== null) {
      const attempts = await sending.sendAt(state, send_at);
      sent += attempts;
      if (attempts === 0) waited_ms += await waitForOthers(service);
    } else if (row === undefined || (await isLeased(service, row))) waited_ms += await waitForOthers(service);
    else await executeSteps({ state, advance, rows });
  }
}

interface WebhookSending {
  /**
   * When the next webhooks are due, if that is before the next task and within the advance; otherwise null. An
   * advance that ends when nothing is due does not wait for later retries.
   */
  nextSendAt: (
    state: ClockState,
    next: { advance: Advance; row: TaskRow | undefined },
  ) => Promise<number | null>;
  /** Moves the clock to a time and sends the webhooks due then; resolves with how many were sent. */
  sendAt: (state: ClockState, service_at: number) => Promise<number>;
}

/** The webhooks of an advance. After an error the advance continues without them; they are sent later. */
function createWebhookSending(service: ServiceContext): WebhookSending {
  const { storage, clock, sender, onFault } = service;
  let hasFailed = false;
  const attempt = async <T>(work: () => Promise<T>, otherwise: T): Promise<T> => {
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
    nextSendAt: async ({ service_at }, { advance, row }) => {
      const due_at = await attempt(sender.nextDueAt, null);
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
      return attempt(sender.sendPromptly, 0);
    },
  };
}

/** Later than any due time. */
const never = Number.MAX_SAFE_INTEGER;

/** The next two tasks of an advance, claimed or not, because tasks must run in order. */
async function nextTasks(service: ServiceContext, { target, until }: Advance): Promise<TaskRow[]> {
  if (until !== null) {
    const delivery = await service.storage.run((db) => loadDelivery(db, until.delivery_id));
    if (delivery === undefined || isEnded(delivery.status)) return [];
    if (hasReached(delivery.status, until.status)) return [];
  }
  return readTasks(service, {
    test_mode: service.test_mode,
    now: target ?? never,
    limit: service.quarantine.size() + 2,
  });
}

async function waitForOthers({ clock, timers }: ServiceContext): Promise<number> {
  await pause(timers, poll_interval_ms);
  await clock.refresh();
  return poll_interval_ms;
}

/**
 * Finishes an advance that another process, or this one before a restart, has started; returns the number of steps.
 * With a limit, the rest is left for the next call. An advance that fails is given up: the clock stays where it is.
 */
export async function finishAdvance(service: ServiceContext, limit_ms?: number): Promise<number> {
  const { clock } = service;
  const before = clock.state().advance;
  if (before === null) return 0;
  try {
    const arrival = await runAdvance(service, limit_ms);
    const done = (arrival?.advance.steps ?? before.steps) - before.steps;
    if (limit_ms !== undefined && arrival?.isPaused === true) return done;
    if (arrival !== null) await settleAdvance(service, arrival);
    return done + (await finishAdvance(service, limit_ms));
  } catch (fault) {
    await giveUpAdvance(service, fault);
    return 0;
  }
}

/** The service time after an advance. */
export function arrivalTime({ state, advance, more }: AdvanceResult): number {
  return more ? state.service_at : Math.max(state.service_at, advance.target ?? state.service_at);
}

/**
 * Ends the running advance where it is, and adds it to the failed tasks, once. Throws if the clock cannot be written:
 * then time stands still, and this is to be called again later.
 */
export async function giveUpAdvance(service: ServiceContext, fault: unknown): Promise<void> {
  if (fault instanceof StorageUnavailable) throw fault;
  service.onFault?.(fault, null);
  const state = service.clock.state();
  const { advance } = state;
  if (advance === null) return;
  const [account_id = '', test_mode] = advance.request.split(' ');
  const row = { id: advance.request, due_at: state.service_at, attempts: 1 };
  const failure = await failedTaskRow(service, { row, fault, is_concluded: 1 });
  const scope: Scope = { account_id, test_mode: test_mode === '1' ? 1 : 0 };
  const task = { task_id: '', kind: 'clock.advance', subject: '', payload: '{}' };
  await service.storage
    .run((db) => insertFailedTask(db, { ...failure, ...scope, ...task }))
    .catch((other: unknown) => service.onFault?.(other, null));
  await settleAdvance(service, { state, advance, more: true, sent: 0, isPaused: false });
}

/** The response to the request of an advance that ends here. */
export async function finishedAdvance(
  db: Connection,
  { request, steps, position }: Advance,
  end: Pick<FinishedAdvance, 'more' | 'now' | 'wall_now'>,
): Promise<FinishedAdvance> {
  return { request, steps, positions: [position, await latestPosition(db)], ...end };
}

/** Ends an advance in place of its request, and stores the response for a repeat of that request. */
export async function settleAdvance(service: ServiceContext, arrival: AdvanceResult): Promise<void> {
  const { storage, clock, wall } = service;
  const { advance, more, state } = arrival;
  const now = arrivalTime(arrival);
  try {
    const written = await storage.transaction(async (db) => {
      const finished = await finishedAdvance(db, advance, { more, now, wall_now: wall.now() });
      return clock.write(db, state, { service_at: now, advance: null, finished });
    });
    clock.adopt(written);
  } catch (fault) {
    if (!(fault instanceof ClockChanged)) throw fault;
    await clock.refresh();
  }
}

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
function createSteps(service: ServiceContext): (next: NextSteps) => Promise<void> {
  const plan = createWorkPlan(service, simulatedCallsOf);
  return async ({ rows, ...next }) => {
    const work = plan.nextWork(rows);
    let tasks = rows.slice(0, 1);
    if (work !== null && work.kind !== 'one' && (await mayShare(service, next))) {
      if (work.kind === 'calls') tasks = await nextCalls(service, next);
      else {
        const executed = await stepInGroup(service, next);
        if (executed === true) return;
        if (executed === null) plan.leaveGroups(groupSize(next));
      }
    }
    // Tasks that other workers have locked are waited for one by one.
    await step(service, { ...next, tasks });
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
  const select = async (db: Connection) => groupOf(service, await lockDueTasks(db, due));
  const isOvertaken = ({ due_at }: TaskRow, inserted: ReadonlyMap<string, number>) =>
    Math.min(due_at, ...inserted.values()) < due_at;
  const group = await unlessChanged(async () => ({
    executed: await runGroup(service, { select, isOvertaken, record }),
  }));
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
async function unlessChanged<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (fault) {
    if (fault instanceof ClockChanged) return null;
    throw fault;
  }
}

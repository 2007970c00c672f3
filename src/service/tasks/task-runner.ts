import { ProviderBusy, ProviderFault } from '../../providers/port.ts';
import type { Connection, TaskRow } from '../../storage/database.ts';
import { StorageUnavailable } from '../../storage/errors.ts';
import { type Failure, failTask } from '../../storage/failed-tasks.ts';
import { sweep } from '../../storage/idempotency.ts';
import { shifted } from '../../storage/lease-time.ts';
import { claimTask, findTask, finishTask, postponeTask, renewClaim } from '../../storage/tasks.ts';
import { pollUntil, whileOwner } from '../runtime/background-owner.ts';
import type { ServiceContext, Task, TaskKind } from '../runtime/context.ts';
import { createDeadline, type Deadline } from '../runtime/deadline.ts';
import { leaseTime } from '../runtime/lease-time.ts';
import { createYielder } from '../runtime/yield-to-event-loop.ts';
import { laneOf } from './backlog.ts';
import { expelTask, failureOf } from './failed-work.ts';
import { readTasks } from './readable-tasks.ts';
import { executeOnce, isLeased, leaseCutoff } from './task-leases.ts';

/** Another worker has taken the task over; its result counts, ours does not. */
class ClaimLost extends Error {}

const lease_ms = 10_000;
/** Waits after a failed try, in service time; four tries in all (interface, dispatch). */
const backoff_ms = [1_000, 4_000, 16_000];
/** A task that neither ends nor renews its claim for so long, by real time, is hung: the try has failed. */
const hung_ms = 12_000;

/** Where several workers look at the same tasks, each that was too slow for the first goes on to the next. */
const page_size = { sqlite: 1, postgres: 10 } as const;

/**
 * Does what is due, one by one in order of due time, until nothing is, the service stops, or the time is up.
 * Tells how much was done.
 */
export async function runInOrder(
  service: ServiceContext,
  max_duration_ms = Number.POSITIVE_INFINITY,
): Promise<number> {
  const { monotonic } = service;
  const yieldToEventLoop = createYielder(service);
  const began_at = monotonic.now();
  let done = 0;
  while (!service.mutex.isInterrupted() && monotonic.now() - began_at < max_duration_ms) {
    const rows = await freeTasks(service);
    if (rows.length === 0) break;
    if (await runFirst(service, rows)) done++;
    service.heartbeat.beat('tasks');
    await yieldToEventLoop();
  }
  return done;
}

/** The first tasks that are due and that nobody is executing. */
async function freeTasks(service: ServiceContext): Promise<TaskRow[]> {
  const { storage, clock, running_tasks, quarantine } = service;
  const due = {
    test_mode: service.test_mode,
    now: clock.now(),
    limit: running_tasks.size + quarantine.size() + page_size[storage.engine],
    wall_now: leaseCutoff(service),
  };
  const rows = await readTasks(service, due);
  return rows.filter(({ id }) => !running_tasks.has(id));
}

async function runFirst(service: ServiceContext, rows: readonly TaskRow[]): Promise<boolean> {
  for (const row of rows) if (await runTask(service, row)) return true;
  return false;
}

/** Executes a task for a request, if it is due. Where another worker is executing it, waits for at most a second. */
export async function runAtOnce(service: ServiceContext, id: string, now: number): Promise<void> {
  await pollUntil(service, async () => {
    const row = await service.storage.run((db) => findTask(db, id));
    if (row === undefined || row.due_at > now) return true;
    let isRun = false;
    await whileOwner(service, async () => {
      isRun = !(await isLeased(service, row)) && (await runTask(service, row));
    });
    return isRun;
  });
}

/**
 * Idempotency keys live for a day: where there is work, there is a moment to clear the old ones away. Nothing depends
 * on it, so that nothing fails with it.
 */
export async function tidy(service: ServiceContext): Promise<void> {
  const { storage, onFault } = service;
  await storage.run((db) => sweep(db, leaseTime(service))).catch((fault: unknown) => onFault?.(fault, null));
}

/**
 * Runs one task if nobody else does; tells whether it did. Throws `StorageUnavailable` alone: whatever else is wrong
 * with a task, others do not wait for it.
 */
export async function runTask(service: ServiceContext, row: TaskRow): Promise<boolean> {
  return executeOnce(service, row, async () => {
    const claim = needsClaim(service, row) ? await claimOrExpel(service, row) : row.claim;
    if (claim !== null) await runTaken(service, row, claim);
    return claim !== null;
  });
}

/** Claims a task; null where another was faster, or where it cannot be claimed and so was given up. */
async function claimOrExpel(service: ServiceContext, row: TaskRow): Promise<number | null> {
  try {
    return await service.storage.run((db) => takeTask(db, service, row));
  } catch (fault) {
    await expelTask(service, row, fault);
    return null;
  }
}

/** Whether a task that could not be taken can be claimed at all; one that cannot is given up. The claim ends at once. */
export async function isClaimable(service: ServiceContext, row: TaskRow): Promise<boolean> {
  const claim = await claimOrExpel(service, row);
  const ended = { id: row.id, claim: claim ?? 0, until: leaseTime(service) };
  return claim !== null && service.storage.run((db) => renewClaim(db, ended));
}

/**
 * Whether a task must be claimed before it is begun. In a database that one process works on, what is done in one
 * transaction need not: that ends the task too, or writes nothing.
 */
function needsClaim({ storage, task_kinds }: ServiceContext, { kind }: TaskRow): boolean {
  return storage.engine === 'postgres' || task_kinds[kind]?.acts_outside === true;
}

/** Claims a task for this worker; null where another was faster. */
export async function takeTask(
  db: Connection,
  service: ServiceContext,
  row: TaskRow,
): Promise<number | null> {
  return claimTask(db, row.id, row.claim, leaseTime(service), lease_ms);
}

/** Runs a claimed task; a failed try is put off, or given up after the last. Throws `StorageUnavailable` alone. */
export async function runTaken(service: ServiceContext, row: TaskRow, claim: number): Promise<void> {
  try {
    await carryOut(service, row, claim);
  } catch (fault) {
    await expelTask(service, row, fault);
  }
  service.changes.notify();
}

async function carryOut(service: ServiceContext, row: TaskRow, claim: number): Promise<void> {
  const { storage } = service;
  const registered = service.task_kinds[row.kind];
  if (registered === undefined) {
    const fault = new Error(`this version of waybill does not know tasks of the kind ${row.kind}`);
    return giveUp(service, { row, claim, fault });
  }
  const kind = await registered.load();
  const fault = await faultOf(service, { row, claim }, kind.run);
  if (fault === null) return;
  const wait_ms = waitAfter(fault, row.attempts);
  if (wait_ms !== null) {
    const due_at = triedAt(service, row) + wait_ms;
    await storage.run((db) => postponeTask(db, { id: row.id, claim, due_at }));
    return;
  }
  const tried = { ...row, attempts: row.attempts + 1 };
  if (kind.abandon === undefined) return giveUp(service, { row: tried, claim, fault: fault.cause });
  const isProviders = fault.cause instanceof ProviderFault;
  const failure = isProviders
    ? null
    : await failureOf(service, { row: tried, fault: fault.cause, is_concluded: 1 });
  const second = await faultOf(service, { row, claim, failure }, kind.abandon);
  if (second !== null) await giveUp(service, { row: tried, claim, fault: second.cause });
}

/** Ends the tries of a task that has no outcome: it waits among the failed ones. */
async function giveUp(
  service: ServiceContext,
  { row, claim, fault }: { row: TaskRow; claim: number; fault: unknown },
): Promise<void> {
  const failure = await failureOf(service, { row, fault, is_concluded: 0 });
  await service.storage.transaction((db) => failTask(db, { id: row.id, claim }, failure));
}

interface Try {
  row: TaskRow;
  claim: number;
  /** What is kept of the task when this ends it: for what was not done as it should have been. */
  failure?: Failure | null;
}

/** A task that is being executed; after its deadline it can neither write nor act outside any more. */
function taskOf(service: ServiceContext, { row, claim, failure = null }: Try, deadline: Deadline): Task {
  const requireClaim = (isOurs: boolean) => {
    if (!isOurs || deadline.isReached()) throw new ClaimLost();
  };
  return {
    row,
    now: row.due_at,
    finish: async (transaction) => {
      requireClaim(true);
      const { id } = row;
      requireClaim(
        failure === null
          ? await finishTask(transaction, id, claim)
          : await failTask(transaction, { id, claim }, failure),
      );
    },
    renew: async () => {
      requireClaim(true);
      // The owner has no lease that could end.
      if (leaseCutoff(service) !== undefined) {
        const until = shifted(leaseTime(service), lease_ms);
        requireClaim(await service.storage.run((db) => renewClaim(db, { id: row.id, claim, until })));
      }
      deadline.extend();
    },
  };
}

/** Null once the work is done, by us or by another worker. Throws `StorageUnavailable`; hides all other faults. */
async function faultOf(
  service: ServiceContext,
  tried: Try,
  work: TaskKind['run'],
): Promise<{ cause: unknown } | null> {
  const deadline = createDeadline(
    service.timers,
    hung_ms,
    () => new Error(`it hung for ${hung_ms / 1000} s`),
  );
  try {
    const running = work(service, taskOf(service, tried, deadline));
    // What comes of it after its time is nobody's.
    running.catch(() => {});
    await Promise.race([running, deadline.reached]);
    return null;
  } catch (cause) {
    if (cause instanceof ClaimLost) return null;
    if (cause instanceof StorageUnavailable) throw cause;
    // What a provider failed at needs no trace of our own.
    service.onFault?.(cause instanceof ProviderFault ? cause.message : cause, null);
    return { cause };
  } finally {
    deadline.cancel();
  }
}

/** How long to wait for the next try, which a provider that is busy says itself; null when there is none. */
function waitAfter({ cause }: { cause: unknown }, attempts: number): number | null {
  const wait_ms = backoff_ms[attempts];
  if (wait_ms === undefined) return null;
  return cause instanceof ProviderBusy ? cause.retry_after_seconds * 1000 : wait_ms;
}

/** A remote provider may have been called long after the task was due: its wait begins now. */
function triedAt(service: ServiceContext, row: TaskRow): number {
  return laneOf(service, row) === null ? row.due_at : Math.max(row.due_at, service.clock.now());
}

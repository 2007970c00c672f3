/**
 * The states of a task. It is inserted as waiting, with the time at which it is due.
 * - Waiting: it may be executed once it is due, after all earlier tasks of its record (`storage/tasks.ts`).
 * - Claimed: a worker holds a lease of two seconds, which it extends while the task runs, and a number that grows with
 *   each claim. A worker whose number is no longer the task's has lost it: what it writes for the task has no effect.
 *   In a database of one process, a task that only uses the database is not claimed: its transaction ends it or writes
 *   nothing.
 * - Ended: its transaction deletes it together with what it changes. A task that calls a provider records the answer so.
 * - Postponed: after a failed attempt it waits again, for as long as its kind says.
 * - Given up: after the last attempt its kind records the failure (`abandon`), or it becomes a failed task, which a
 *   person retries.
 * A worker that dies leaves the claim, and any other takes the task over when the lease has ended.
 */
import { task_waits_ms } from '../../domain/retries.ts';
import { ProviderBusy, ProviderFault } from '../../providers/port.ts';
import type { Connection, TaskRow } from '../../storage/database.ts';
import { type Failure, failTask } from '../../storage/failed-tasks.ts';
import { leaseTime, shifted } from '../../storage/locks.ts';
import { StorageUnavailable } from '../../storage/storage.ts';
import {
  claimTasks,
  extendClaim,
  findTask,
  finishTask,
  insertTasks,
  postponeTask,
  renewClaim,
} from '../../storage/tasks.ts';
import { allSettled, combineCalls } from '../runtime/combine-calls.ts';
import type { ServiceContext, Task, TaskHandler } from '../runtime/context.ts';
import { whileOwner } from '../runtime/processes.ts';
import { readTaskTraits } from '../runtime/task-kinds.ts';
import { pollUntil, type Timers } from '../runtime/time.ts';
import { expelTask, failedTaskRow } from './failed-work.ts';
import { findLane } from './lanes.ts';
import { executeOnce, isLeased, leaseCutoff } from './task-leases.ts';

/** Another worker has taken the task over; its result counts, ours does not. */
class ClaimLost extends Error {}

/** The time after which another worker takes over the task of a worker that has died. */
const lease_ms = 2_000;
/** A lease is extended this often while its task runs. */
const extension_ms = 600;
/** A lease younger than this is not renewed. */
const new_lease_ms = 500;
/** A task that neither ends nor renews its claim for this long, in real time, is hung: the attempt has failed. */
const hung_ms = 12_000;

/** Executes a task for a request, if it is due. If another worker is executing it, waits for at most a second. */
export async function runNow(service: ServiceContext, id: string, now: number): Promise<void> {
  await pollUntil(service, async () => {
    const row = await service.storage.read((db) => findTask(db, id));
    if (row === undefined || row.due_at > now) return true;
    let isRun = false;
    await whileOwner(service, async () => {
      isRun = !(await isLeased(service, row)) && (await runTask(service, row));
    });
    return isRun;
  });
}

/**
 * Executes one task unless it is already being executed; returns whether it did. Only throws `StorageUnavailable`:
 * other problems of a task do not affect the others.
 */
export async function runTask(service: ServiceContext, row: TaskRow): Promise<boolean> {
  return executeOnce(service, [row], async () => {
    const claim = needsClaim(service, row) ? await claimOrExpel(service, row) : row.claim;
    if (claim !== null) await runTaken(service, row, claim);
    return claim !== null;
  });
}

/**
 * Executes tasks side by side and waits for all of them; returns the number of those that were not already being
 * executed. Throws `StorageUnavailable`.
 */
export async function runTasks(service: ServiceContext, rows: readonly TaskRow[]): Promise<number> {
  const outcomes = await allSettled(rows.map((row) => runTask(service, row)));
  return outcomes.filter((isRun) => isRun).length;
}

/** Claims a task; null if another worker was faster, or if it cannot be claimed and was given up. */
async function claimOrExpel(service: ServiceContext, row: TaskRow): Promise<number | null> {
  try {
    return await claimTogether(service, row);
  } catch (fault) {
    await expelTask(service, row, fault);
    return null;
  }
}

/**
 * Whether a task can be claimed at all, after taking it failed; an unclaimable task is given up. The claim is
 * released immediately.
 */
export async function isClaimable(service: ServiceContext, row: TaskRow): Promise<boolean> {
  const claim = await claimOrExpel(service, row);
  const ended = { id: row.id, claim: claim ?? 0, until: leaseTime(service) };
  return claim !== null && service.storage.write((db) => renewClaim(db, ended));
}

/**
 * Whether a task must be claimed before it runs. In a single-process database, a task with one transaction need not
 * be: the transaction either ends the task or writes nothing.
 */
function needsClaim({ storage }: ServiceContext, { kind }: TaskRow): boolean {
  return storage.engine === 'postgres' || readTaskTraits(kind)?.acts_outside === true;
}

/** Inserts a task with a claim of this worker, and returns the claim. */
export async function insertTaken(db: Connection, service: ServiceContext, row: TaskRow): Promise<number> {
  await insertTasks(db, [row], shifted(leaseTime(service), lease_ms));
  return 1;
}

/** Claims tasks for this worker; returns the claims by id, without tasks for which another worker was faster. */
export function takeTasks(
  db: Connection,
  service: ServiceContext,
  tasks: readonly TaskRow[],
): Promise<ReadonlyMap<string, number>> {
  const until = shifted(leaseTime(service), lease_ms);
  return claimTasks(db, { tasks, wall_now: leaseCutoff(service), until });
}

/** Claims tasks that start together with one statement. */
const claimTogether = combineCalls(async (service: ServiceContext, rows: readonly TaskRow[]) => {
  const claims = await service.storage.write((db) => takeTasks(db, service, rows));
  return ({ id }) => claims.get(id) ?? null;
});

/**
 * Executes a claimed task; a failed attempt is postponed, or given up after the last. Only throws
 * `StorageUnavailable`.
 */
export async function runTaken(service: ServiceContext, row: TaskRow, claim: number): Promise<void> {
  try {
    await executeTask(service, row, claim);
  } catch (fault) {
    await expelTask(service, { ...row, attempts: row.attempts + 1 }, fault);
  }
  service.changes.notify();
}

/** Executes claimed tasks side by side and waits for all of them. Only throws `StorageUnavailable`. */
export async function runAllTaken(
  service: ServiceContext,
  rows: readonly TaskRow[],
  claims: ReadonlyMap<string, number>,
): Promise<void> {
  await allSettled(
    rows.flatMap((row) => {
      const claim = claims.get(row.id);
      return claim === undefined ? [] : runTaken(service, row, claim);
    }),
  );
}

async function executeTask(service: ServiceContext, row: TaskRow, claim: number): Promise<void> {
  const { storage } = service;
  const handler = await service.loadTaskHandler(row.kind);
  if (handler === null) {
    const fault = new Error(`this version of waybill does not support task kind ${row.kind}`);
    return giveUp(service, { row, claim, fault });
  }
  const fault = await attemptTask(service, { row, claim }, handler.run);
  if (fault === null) return;
  const wait_ms = waitAfter(fault, row.attempts, handler.backoffAfter?.(fault.cause));
  if (wait_ms !== null) {
    const due_at = attemptTime(service, row) + wait_ms;
    await storage.write((db) => postponeTask(db, { id: row.id, claim, due_at }));
    return;
  }
  const tried = { ...row, attempts: row.attempts + 1 };
  if (handler.abandon === undefined) return giveUp(service, { row: tried, claim, fault: fault.cause });
  const isProviders = fault.cause instanceof ProviderFault;
  const failure = isProviders
    ? null
    : await failedTaskRow(service, { row: tried, fault: fault.cause, is_concluded: 1 });
  const second = await attemptTask(service, { row, claim, failure }, handler.abandon);
  if (second !== null) await giveUp(service, { row: tried, claim, fault: second.cause });
}

/** Gives up a task without an outcome: it becomes a failed task. */
async function giveUp(
  service: ServiceContext,
  { row, claim, fault }: { row: TaskRow; claim: number; fault: unknown },
): Promise<void> {
  const failure = await failedTaskRow(service, { row, fault, is_concluded: 0 });
  // Read committed: it locks the task.
  await service.storage.transaction((db) => failTask(db, { id: row.id, claim }, failure), 'read committed');
}

interface TaskAttempt {
  row: TaskRow;
  claim: number;
  /** The failure to store when this attempt ends the task. */
  failure?: Failure | null;
}

/** A time limit. */
interface Deadline {
  /** Rejects with the error once the time is over. */
  reached: Promise<never>;
  /** Restarts the time. */
  extend: () => void;
  /** Removes the limit. */
  cancel: () => void;
  /** Whether the time is over. */
  isReached: () => boolean;
}

/** A task that is being executed; after its deadline it can no longer write or act outside of the database. */
function taskOf(
  service: ServiceContext,
  { row, claim, failure = null }: TaskAttempt,
  deadline: Deadline,
): Task {
  const claimed_at = service.monotonic.now();
  const requireClaim = (isOurs: boolean) => {
    if (!isOurs || deadline.isReached()) throw new ClaimLost();
  };
  return {
    row,
    payload: JSON.parse(row.payload),
    now: row.due_at,
    // The only owner of the database executes the tasks in order.
    is_first: leaseCutoff(service) === undefined,
    finish: async (transaction) => {
      const { id } = row;
      requireClaim(
        failure === null
          ? await finishTask(transaction, id, claim)
          : await failTask(transaction, { id, claim }, failure),
      );
    },
    renew: async () => {
      requireClaim(true);
      // The only owner of the database has no lease that could expire, and a new lease lasts long enough.
      const isNew = service.monotonic.now() - claimed_at < new_lease_ms;
      if (leaseCutoff(service) !== undefined && !isNew) {
        const until = shifted(leaseTime(service), lease_ms);
        requireClaim(await service.storage.write((db) => renewClaim(db, { id: row.id, claim, until })));
      }
      deadline.extend();
    },
  };
}

/** Null once the task is complete, by this or another worker. Throws `StorageUnavailable`; returns all other errors. */
async function attemptTask(
  service: ServiceContext,
  tried: TaskAttempt,
  work: TaskHandler['run'],
): Promise<{ cause: unknown } | null> {
  const deadline = createDeadline(
    service.timers,
    hung_ms,
    () => new Error(`it hung for ${hung_ms / 1000} s`),
  );
  const endLease = keepLease(service, tried);
  try {
    const running = work(service, taskOf(service, tried, deadline));
    // A late result is ignored.
    running.catch(() => {});
    await Promise.race([running, deadline.reached]);
    return null;
  } catch (cause) {
    if (cause instanceof ClaimLost) return null;
    if (cause instanceof StorageUnavailable) throw cause;
    // A provider's failure needs no stack trace.
    const { id, kind, subject } = tried.row;
    const isProviders = cause instanceof ProviderFault;
    service.onFault?.(isProviders ? `task ${id} (${kind} ${subject}): ${cause.message}` : cause, null);
    return { cause };
  } finally {
    deadline.cancel();
    endLease();
  }
}

/** A deadline `limit_ms` of real time from now. */
function createDeadline(timers: Timers, limit_ms: number, fault: () => Error): Deadline {
  const { promise: reached, reject } = Promise.withResolvers<never>();
  // The rejection is handled by whoever awaits it, if anyone.
  reached.catch(() => {});
  let isReached = false;
  const start = () =>
    timers.after(limit_ms, () => {
      isReached = true;
      reject(fault());
    });
  let cancel = start();
  return {
    reached,
    isReached: () => isReached,
    cancel: () => cancel(),
    extend: () => {
      if (isReached) return;
      cancel();
      cancel = start();
    },
  };
}

/**
 * Extends the lease of a running task until the returned function is called. If that fails, another worker may take
 * the task over, and the claim fences this one off.
 */
function keepLease(service: ServiceContext, { row: { id }, claim }: TaskAttempt): () => void {
  // The owner of the background work has no lease to extend: no other process takes its tasks.
  if (leaseCutoff(service) === undefined) return () => {};
  let hasEnded = false;
  const extend = async () => {
    const until = shifted(leaseTime(service), lease_ms);
    // Each running task does so: none must hold a connection while it waits for the transaction that ends the task.
    await service.storage.write((db) => extendClaim(db, { id, claim, until })).catch(() => {});
    if (!hasEnded) cancel = service.timers.after(extension_ms, extend);
  };
  let cancel = service.timers.after(extension_ms, extend);
  return () => {
    hasEnded = true;
    cancel();
  };
}

/**
 * How long to wait for the next attempt, as requested by a busy provider or by the back-off; null after the last
 * attempt.
 */
function waitAfter(
  { cause }: { cause: unknown },
  attempts: number,
  waits_ms: readonly number[] = task_waits_ms.usual,
): number | null {
  const wait_ms = waits_ms[attempts];
  if (wait_ms === undefined) return null;
  return cause instanceof ProviderBusy ? cause.retry_after_seconds * 1000 : wait_ms;
}

/** A remote provider may have been called long after the task was due: the wait starts now. */
function attemptTime(service: ServiceContext, row: TaskRow): number {
  return findLane(service, row) === '' ? row.due_at : Math.max(row.due_at, service.clock.now());
}

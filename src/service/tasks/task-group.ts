import type { Connection, TaskRow } from '../../storage/database.ts';
import { type Storage, StorageUnavailable } from '../../storage/storage.ts';
import {
  type DueTasks,
  earlierTasks,
  earliestInserted,
  finishTasks,
  lockDueTasks,
} from '../../storage/tasks.ts';
import type { ServiceContext, Task, TaskKind } from '../runtime/context.ts';
import type { CrashPoint } from '../runtime/crash-points.ts';
import { createYielder } from '../runtime/together.ts';
import { providerNamed, readTasks } from './backlog.ts';
import { leaseCutoff } from './task-leases.ts';
import { runTask, runTasks } from './task-runner.ts';

// Tasks that only use the database, or compute a simulated courier's quote, run together in one transaction, one after
// the other in order of due time, as each would on its own. If one of them fails, the transaction writes nothing, and
// each runs on its own. The transaction is read committed: it locks the tasks, then the records that they are about.

interface GroupRun {
  /** Reads and locks the first due tasks, without those that other workers have locked. */
  lock: (db: Connection) => Promise<TaskRow[]>;
  /** Writes what belongs to the group, in its transaction. */
  record?: (db: Connection, executed: readonly TaskRow[]) => Promise<void>;
}

/**
 * Executes the first due tasks together and returns them; null if one of them failed and nothing was written. Throws
 * `StorageUnavailable`, and the errors of `record`.
 */
export async function runGroup(service: ServiceContext, run: GroupRun): Promise<TaskRow[] | null> {
  // Randomness is read from the database once: not within the transaction.
  await service.chance();
  let passed: CrashPoint[] = [];
  let isRecording = false;
  try {
    const executed = await service.storage.transaction(async (db) => {
      passed = [];
      isRecording = false;
      const rows = await withFreeSubjects(service, db, groupOf(service, await run.lock(db)));
      const tasks = await inTurn(service, db, rows);
      const done = await executeInOrder(service, { db, tasks, passed });
      if (done.length === 0) return done;
      if ((await finishTasks(db, done)) !== done.length) throw new Error('a task of the group was deleted');
      isRecording = true;
      await run.record?.(db, done);
      return done;
    }, 'read committed');
    for (const point of passed) service.crash(point);
    if (executed.length > 0) service.changes.notify();
    return executed;
  } catch (fault) {
    if (isRecording || fault instanceof StorageUnavailable) throw fault;
    // Each task reports its own failure.
    return null;
  }
}

/** The tasks of a group whose records no other transaction has locked. */
async function withFreeSubjects(
  service: ServiceContext,
  db: Connection,
  rows: readonly TaskRow[],
): Promise<TaskRow[]> {
  const taken = new Set<string>();
  for (const tasks of Map.groupBy(rows, ({ kind }) => kind).values()) {
    const [first] = tasks;
    if (first === undefined) continue;
    const { lockSubjects } = await kindOf(service, first);
    const subjects = tasks.map(({ subject }) => subject);
    for (const id of (await lockSubjects?.(db, subjects)) ?? []) taken.add(id);
  }
  return rows.filter(({ subject }) => !taken.has(subject));
}

/**
 * The tasks of a group, without those before which another one of their kind is left for their record: on PostgreSQL
 * another worker may be executing it in a group. If that worker has claimed the earlier one on its own, the later one
 * runs and decides by `is_first`.
 */
async function inTurn(service: ServiceContext, db: Connection, rows: readonly TaskRow[]): Promise<Task[]> {
  const { quarantine, task_kinds } = service;
  const ordered = rows.filter(({ kind }) => task_kinds[kind]?.shares_subject !== true);
  const found = await earlierTasks(db, ordered);
  const earlier = Map.groupBy(
    found.filter(({ earlier_id }) => !quarantine.has(earlier_id)),
    ({ id }) => id,
  );
  return rows.flatMap((row) => {
    const left = earlier.get(row.id) ?? [];
    return left.some(({ claimed_until }) => claimed_until === null) ? [] : taskOf(row, left.length === 0);
  });
}

interface Execution {
  db: Connection;
  tasks: readonly Task[];
  /** Receives the crash points that a task passes after its transaction. */
  passed: CrashPoint[];
}

/** Executes tasks until a new one is due before the next; returns the executed ones. */
async function executeInOrder(service: ServiceContext, { db, tasks, passed }: Execution): Promise<TaskRow[]> {
  const member = within(service, db, passed);
  const done: TaskRow[] = [];
  await preload(
    service,
    db,
    tasks.map(({ row }) => row),
  );
  for (const task of tasks) {
    const { row } = task;
    if (earliestInserted(db) < row.due_at) break;
    await (await kindOf(service, row)).run(member, task);
    done.push(row);
  }
  return done;
}

/** Reads what the tasks of each kind need together. */
async function preload(service: ServiceContext, db: Connection, rows: readonly TaskRow[]): Promise<void> {
  for (const tasks of Map.groupBy(rows, ({ kind }) => kind).values()) {
    const [first] = tasks;
    if (first !== undefined) await (await kindOf(service, first)).preload?.(db, tasks);
  }
}

/** The service as a task of the group sees it: its transactions are parts of the group's. */
function within(service: ServiceContext, db: Connection, passed: CrashPoint[]): ServiceContext {
  let depth = 0;
  const storage: Storage = {
    ...service.storage,
    first: (lookup, ...parameters) => lookup.query(db, ...parameters).executeTakeFirst(),
    all: (lookup, ...parameters) => lookup.query(db, ...parameters).execute(),
    read: (work) => work(db),
    run: (work) => work(db),
    write: (work) => work(db),
    transaction: async (work) => {
      depth += 1;
      try {
        return await work(db);
      } finally {
        depth -= 1;
      }
    },
  };
  return {
    ...service,
    storage,
    crash: (point) => {
      if (depth > 0) service.crash(point);
      else passed.push(point);
    },
  };
}

async function kindOf({ task_kinds }: ServiceContext, { kind }: TaskRow): Promise<TaskKind> {
  const registered = task_kinds[kind];
  if (registered === undefined) throw new Error(`this version does not support task kind ${kind}`);
  return registered.load();
}

/** The group ends all of its tasks at once, and has locked them. */
function taskOf(row: TaskRow, is_first: boolean): Task {
  return { row, now: row.due_at, is_first, finish: async () => {}, renew: async () => {} };
}

/**
 * The number of tasks read to see whether there is a group: two are enough. On PostgreSQL several workers compete for
 * them, and one that loses the first task continues with the next of its page.
 */
const page_size = { sqlite: 2, postgres: 10 } as const;

/**
 * Executes due tasks in order of due time, those that can in groups, until none is left, the service stops, or the
 * time is up. Returns their number.
 */
export async function runInOrder(
  service: ServiceContext,
  max_duration_ms = Number.POSITIVE_INFINITY,
): Promise<number> {
  const { monotonic } = service;
  const yieldToEventLoop = createYielder(service);
  const began_at = monotonic.now();
  let done = 0;
  /** The number of tasks to run on their own, after a group of them has failed. */
  let singles = 0;
  while (!service.mutex.isInterrupted() && monotonic.now() - began_at < max_duration_ms) {
    const due = dueNow(service, page_size[service.storage.engine]);
    const rows = (await readTasks(service, due)).filter(({ id }) => !service.running_tasks.has(id));
    const group = singles > 0 ? [] : groupOf(service, rows);
    const lock = (db: Connection) => lockDueTasks(db, dueNow(service, max_group_size));
    const executed = group.length > 1 ? await runGroup(service, { lock }) : null;
    if (executed !== null) {
      // The others are locked by other workers, or gone.
      if (executed.length === 0) break;
      done += executed.length;
    } else {
      if (rows.length === 0) break;
      singles = group.length > 1 ? max_group_size : Math.max(0, singles - 1);
      const calls = await concurrentCalls(service, rows);
      if (calls.length > 1) done += await runTasks(service, calls);
      else if (await runFirst(service, rows)) done++;
    }
    service.heartbeat.beat('tasks');
    await yieldToEventLoop();
  }
  return done;
}

/** Selects the first due tasks that no other worker is executing. */
function dueNow(service: ServiceContext, count: number): DueTasks {
  const { clock, test_mode, running_tasks, quarantine } = service;
  const limit = running_tasks.size + quarantine.size() + count;
  return { test_mode, now: clock.now(), limit, wall_now: leaseCutoff(service) };
}

/** The first due tasks, if they can run side by side. */
async function concurrentCalls(service: ServiceContext, rows: readonly TaskRow[]): Promise<TaskRow[]> {
  if (callsOf(service, rows).length === 0) return [];
  const due = await readTasks(service, dueNow(service, max_concurrent_calls));
  return callsOf(
    service,
    due.filter(({ id }) => !service.running_tasks.has(id)),
  );
}

async function runFirst(service: ServiceContext, rows: readonly TaskRow[]): Promise<boolean> {
  for (const row of rows) if (await runTask(service, row)) return true;
  return false;
}

// Which of the first due tasks run next: several in one transaction, several calls side by side, or one on its own.

/** The maximum number of tasks in a group. */
export const max_group_size = 100;

/**
 * The first tasks of a list that can run together: each is about another record, except tasks of a kind that allows
 * several for one record.
 */
export function groupOf(service: ServiceContext, rows: readonly TaskRow[]): TaskRow[] {
  /** The kind of the last task about each record, by the record's id. */
  const subjects = new Map<string, string>();
  const end = rows.findIndex((row) => {
    const other = subjects.get(row.subject);
    const isShared = other === row.kind && service.task_kinds[row.kind]?.shares_subject === true;
    subjects.set(row.subject, row.kind);
    return !isGroupable(service, row) || (other !== undefined && !isShared);
  });
  return rows.slice(0, end < 0 ? max_group_size : Math.min(end, max_group_size));
}

function isGroupable(service: ServiceContext, row: TaskRow): boolean {
  const kind = service.task_kinds[row.kind];
  if (kind === undefined || kind.acts_outside === true || kind.is_serializable === true) return false;
  // A task with a lane waits for something outside of the database, which a transaction must not.
  if (kind.lane !== undefined || !isNew(service, row)) return false;
  return kind.calls_provider !== true || callsAtOnce(service, row);
}

/** A task that failed before, or that a worker has claimed, runs on its own. */
function isNew({ running_tasks, quarantine }: ServiceContext, row: TaskRow): boolean {
  const isSkipped = running_tasks.has(row.id) || quarantine.has(row.id);
  return row.attempts === 0 && row.claimed_until === null && !isSkipped;
}

/** Whether a task calls a simulated courier, which answers at once. */
function callsAtOnce({ task_kinds, providers }: ServiceContext, row: TaskRow): boolean {
  if (task_kinds[row.kind]?.calls_provider !== true) return false;
  const provider = providerNamed(row);
  return providers.some(({ name, quotes_at_once }) => name === provider && quotes_at_once);
}

/** The maximum number of calls that `callsOf` returns. */
export const max_concurrent_calls = 32;

/**
 * The first tasks of a list, if they act outside of the database and are due at the same time. They can run side by
 * side: they are claimed together, and the answers that arrive at the same time are written together.
 */
export function callsOf(service: ServiceContext, rows: readonly TaskRow[]): TaskRow[] {
  const subjects = new Set<string>();
  const end = rows.findIndex((row) => {
    const isKnown = subjects.has(row.subject);
    subjects.add(row.subject);
    const isCall = service.task_kinds[row.kind]?.acts_outside === true && row.attempts === 0;
    return !isCall || row.due_at !== rows[0]?.due_at || isKnown;
  });
  return rows.slice(0, end < 0 ? max_concurrent_calls : Math.min(end, max_concurrent_calls));
}

/** The first of `callsOf` that call simulated couriers. */
export function simulatedCallsOf(service: ServiceContext, rows: readonly TaskRow[]): TaskRow[] {
  const calls = callsOf(service, rows);
  const end = calls.findIndex((row) => !isNew(service, row) || !callsAtOnce(service, row));
  return calls.slice(0, end < 0 ? calls.length : end);
}

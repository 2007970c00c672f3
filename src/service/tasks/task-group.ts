/**
 * Tasks that only use the database, or compute a simulated courier's quote, run together in one transaction, one after
 * the other in order of due time, as each would on its own. If one of them fails, the transaction writes nothing, and
 * each runs on its own. The transaction is read committed: it locks the tasks, then the records that they are about.
 */
import type { Connection, TaskRow } from '../../storage/database.ts';
import { type Storage, StorageUnavailable } from '../../storage/storage.ts';
import { earlierTasks, earliestInserted, finishTasks } from '../../storage/tasks.ts';
import type { ServiceContext, Task, TaskHandler } from '../runtime/context.ts';
import type { CrashPoint } from '../runtime/crash-points.ts';
import { readTaskTraits } from '../runtime/task-kinds.ts';

interface GroupRun {
  /** Reads and locks the tasks of the group, without those that other workers have locked. */
  select: (db: Connection) => Promise<TaskRow[]>;
  /** Whether one of the tasks that were inserted meanwhile is due before a task, by the earliest ones of each account. */
  isOvertaken: (row: TaskRow, inserted: ReadonlyMap<string, number>) => boolean;
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
      const rows = await tasksOfFreeSubjects(service, db, await run.select(db));
      const tasks = await tasksInTurn(service, db, rows);
      const done = await executeInOrder(service, { db, tasks, passed, isOvertaken: run.isOvertaken });
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
async function tasksOfFreeSubjects(
  service: ServiceContext,
  db: Connection,
  rows: readonly TaskRow[],
): Promise<TaskRow[]> {
  const taken = new Set<string>();
  for (const tasks of Map.groupBy(rows, ({ kind }) => kind).values()) {
    const [first] = tasks;
    if (first === undefined) continue;
    const { lockSubjects } = await loadHandler(service, first);
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
async function tasksInTurn(
  service: ServiceContext,
  db: Connection,
  rows: readonly TaskRow[],
): Promise<Task[]> {
  const { quarantine } = service;
  const ordered = rows.filter(({ kind }) => readTaskTraits(kind)?.shares_subject !== true);
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

interface Execution extends Pick<GroupRun, 'isOvertaken'> {
  db: Connection;
  tasks: readonly Task[];
  /** Receives the crash points that a task passes after its transaction. */
  passed: CrashPoint[];
}

/** Executes tasks, without those before which a new one is due; returns the executed ones. */
async function executeInOrder(
  service: ServiceContext,
  { db, tasks, passed, isOvertaken }: Execution,
): Promise<TaskRow[]> {
  const member = serviceInTransaction(service, db, passed);
  const done: TaskRow[] = [];
  await preload(service, db, tasks);
  for (const task of tasks) {
    const { row } = task;
    if (isOvertaken(row, earliestInserted(db))) continue;
    await (await loadHandler(service, row)).run(member, task);
    done.push(row);
  }
  return done;
}

/** Reads what the tasks of each kind need together. */
async function preload(service: ServiceContext, db: Connection, tasks: readonly Task[]): Promise<void> {
  for (const alike of Map.groupBy(tasks, ({ row }) => row.kind).values()) {
    const [first] = alike;
    if (first !== undefined) await (await loadHandler(service, first.row)).preload?.(db, alike);
  }
}

/** The service as a task of the group sees it: its transactions are parts of the group's. */
function serviceInTransaction(service: ServiceContext, db: Connection, passed: CrashPoint[]): ServiceContext {
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

async function loadHandler({ loadTaskHandler }: ServiceContext, { kind }: TaskRow): Promise<TaskHandler> {
  const handler = await loadTaskHandler(kind);
  if (handler === null) throw new Error(`this version does not support task kind ${kind}`);
  return handler;
}

/** The group ends all of its tasks at once, and has locked them. */
function taskOf(row: TaskRow, is_first: boolean): Task {
  const payload = JSON.parse(row.payload);
  return { row, payload, now: row.due_at, is_first, finish: async () => {}, renew: async () => {} };
}

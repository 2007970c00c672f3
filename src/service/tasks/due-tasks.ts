/**
 * Due tasks are read in order of due time. Where there are more than a page of them, each account has its part of a page,
 * and so does each provider that an account waits for: the first tasks alone could all be those of one account.
 */
import type { Connection, TaskRow } from '../../storage/database.ts';
import { StorageUnavailable } from '../../storage/storage.ts';
import {
  type DueTasks,
  dueQueues,
  dueTaskIds,
  dueTasks,
  findTask,
  lockDueTasks,
  lockTasksOfQueues,
  type TaskQueue,
  tasksOfQueues,
} from '../../storage/tasks.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { expelTask, type FailureParts } from './failed-work.ts';
import { leaseCutoff } from './task-leases.ts';

const page_size = 100;
/** The number of queues of which a page has tasks. */
const page_queues = 20;
/** More than an account may have called of one provider, as calls that are running remain due. */
const min_of_queue = 20;

/** A page of due tasks that neither this process nor another is executing. */
export interface DuePage {
  rows: TaskRow[];
  /** Whether no due task comes after it. */
  isLast: boolean;
  /** Locks the first due tasks of some accounts that wait for nothing outside of the service, in equal parts. */
  lock: (db: Connection, accounts: readonly string[], count: number) => Promise<TaskRow[]>;
}

/** A function that reads the next page, and after the last one the first. `skipped` tasks are left out. */
export function createDueReader(service: ServiceContext): (skipped: ReadonlySet<string>) => Promise<DuePage> {
  const { storage, running_tasks, quarantine, test_mode, clock } = service;
  const queues = createQueueReader(storage);
  return async (skipped) => {
    const isFree = ({ id }: TaskRow) => !running_tasks.has(id) && !quarantine.has(id) && !skipped.has(id);
    const left_out = running_tasks.size + quarantine.size() + skipped.size;
    const due = { test_mode, now: clock.now(), wall_now: leaseCutoff(service), limit: page_size + left_out };
    const lockInTurn = lockOfAccounts(due, left_out);
    const all = queues.isAtStart() ? await readTasks(service, due) : null;
    // Fewer than a page need not be divided among accounts.
    if (all !== null && all.length < page_size) {
      const lock: DuePage['lock'] = (db, accounts, count) =>
        count < page_size ? lockInTurn(db, accounts, count) : lockDueTasks(db, { ...due, lane: '' });
      return { rows: all.filter(isFree), isLast: true, lock };
    }
    const page = await queues.next(due);
    const limit = left_out + Math.max(min_of_queue, Math.ceil(page_size / page.length));
    const rows = await readTasks(service, due, (db) => tasksOfQueues(db, { ...due, queues: page, limit }));
    return { rows: rows.filter(isFree), isLast: queues.isAtStart(), lock: lockInTurn };
  };
}

interface QueueReader {
  /** Whether the next page is the first one. */
  isAtStart: () => boolean;
  next: (due: DueTasks) => Promise<TaskQueue[]>;
}

/** Reads the queues that have a due task, some at a time, and begins again after the last ones. */
function createQueueReader(storage: ServiceContext['storage']): QueueReader {
  let after: TaskQueue | undefined;
  return {
    isAtStart: () => after === undefined,
    next: async (due) => {
      const queues = await storage.run((db) =>
        dueQueues(db, { ...due, limit: page_queues, ...(after && { after }) }),
      );
      after = queues.length === page_queues ? queues.at(-1) : undefined;
      return queues;
    },
  };
}

/** Locks the first due tasks of accounts in equal parts; `left_out` more, as they may be running already. */
function lockOfAccounts(due: DueTasks, left_out: number): DuePage['lock'] {
  return (db, accounts, count) => {
    const queues = accounts.map((account_id) => ({ lane: '', account_id }));
    const limit = left_out + Math.ceil(count / accounts.length);
    return lockTasksOfQueues(db, { ...due, queues, limit });
  };
}

/**
 * The first due tasks, without those that this process skips. An unreadable task is given up, and the others are read
 * nevertheless.
 */
export async function readTasks(
  service: FailureParts,
  due: DueTasks,
  read = (db: Connection) => dueTasks(db, due),
): Promise<TaskRow[]> {
  const { storage, quarantine } = service;
  for (;;) {
    try {
      const rows = await storage.run(read);
      return rows.filter(({ id }) => !quarantine.has(id));
    } catch (fault) {
      if (fault instanceof StorageUnavailable) throw fault;
      const { rows, isAll } = await readOneByOne(service, due);
      if (rows.length > 0 || isAll) return rows;
    }
  }
}

/** The readable tasks of a page, after giving up the others; and whether the page was the last. */
async function readOneByOne(
  service: FailureParts,
  due: DueTasks,
): Promise<{ rows: TaskRow[]; isAll: boolean }> {
  const { storage, quarantine, clock } = service;
  const limit = due.limit + quarantine.size();
  const page = await storage.run((db) => dueTaskIds(db, { ...due, limit }));
  const ids = page.filter((id) => !quarantine.has(id));
  const rows: TaskRow[] = [];
  for (const id of ids) {
    try {
      const row = await storage.run((db) => findTask(db, id));
      if (row !== undefined) rows.push(row);
    } catch (fault) {
      await expelTask(service, { id, due_at: clock.now(), attempts: 0 }, fault);
    }
  }
  return { rows, isAll: ids.length === 0 };
}

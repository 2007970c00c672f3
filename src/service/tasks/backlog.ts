import type { TaskRow } from '../../storage/database.ts';
import { StorageUnavailable } from '../../storage/storage.ts';
import {
  type DueTasks,
  dueTaskIds,
  dueTasks,
  findTask,
  latestSequence,
  type TaskPlace,
  tasksSince,
} from '../../storage/tasks.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { expelTask, type FailureParts } from './failed-work.ts';
import { leaseCutoff } from './task-leases.ts';

/** The names of the lanes: each remote provider, and those of the task kinds. */
export function laneNames({
  providers,
  task_kinds,
}: Pick<ServiceContext, 'providers' | 'task_kinds'>): string[] {
  const remote = providers.filter(({ is_remote }) => is_remote).map(({ name }) => name);
  const own = Object.values(task_kinds).flatMap(({ lane }) => lane ?? []);
  return [...remote, ...own];
}

/** The lane of a task: that of its kind, or the remote provider that it waits for; null if it waits for none. */
export function laneOf(
  { providers, task_kinds }: Pick<ServiceContext, 'providers' | 'task_kinds'>,
  row: TaskRow,
): string | null {
  const own = task_kinds[row.kind]?.lane;
  if (own !== undefined) return own;
  const remote = providers.filter(({ is_remote }) => is_remote);
  if (remote.length === 0 || task_kinds[row.kind]?.calls_provider !== true) return null;
  const provider = providerNamed(row);
  return remote.find(({ name }) => name === provider)?.name ?? null;
}

/** The name of the provider that a task calls. */
export function providerNamed({ payload }: TaskRow): string | undefined {
  try {
    const { provider }: { provider?: string } = JSON.parse(payload);
    return provider;
  } catch {
    // The error is reported when the task runs.
    return undefined;
  }
}

/** The due tasks that were read. They are not claimed: other workers may be faster. */
export interface Backlog {
  /** The sequential tasks by due time. */
  sequential: () => readonly TaskRow[];
  /** Removes sequential tasks. */
  remove: (tasks: readonly TaskRow[]) => void;
  /** Takes the first task that waits for a remote provider. */
  nextOf: (lane: string) => TaskRow | undefined;
  /** Reads the tasks inserted since the last call. */
  readNew: () => Promise<void>;
  /** Reads the next page of due tasks; false if there was none. */
  readMore: () => Promise<boolean>;
  /** Reads from the beginning again: tasks of other workers may be free. */
  startOver: () => void;
  /** The due time of the first unread task; null if absent. */
  nextDueAt: () => Promise<number | null>;
}

const page_size = 100;
/** The maximum number of tasks kept per provider; further ones are read again later. */
const max_waiting = 500;
/** Later than any due time. */
const never = Number.MAX_SAFE_INTEGER;

type Parts = FailureParts &
  Pick<ServiceContext, 'wall' | 'running_tasks' | 'ownership' | 'providers' | 'task_kinds'>;

/** A backlog without a row read. */
export async function createBacklog(service: Parts): Promise<Backlog> {
  const { storage, clock, running_tasks, quarantine } = service;
  const known = new Set<string>();
  let sequential: TaskRow[] = [];
  const lanes = new Map<string, TaskRow[]>();
  /** Lanes with more due tasks than are kept. */
  const cut = new Set<string>();
  let newest = await storage.run(latestSequence);
  let reached: TaskPlace | undefined;
  const add = (row: TaskRow) => {
    if (known.has(row.id) || running_tasks.has(row.id) || quarantine.has(row.id)) return;
    const lane = laneOf(service, row);
    const waiting = lane === null ? sequential : (lanes.get(lane) ?? []);
    if (lane !== null && waiting.length >= max_waiting) {
      cut.add(lane);
      return;
    }
    if (lane !== null) lanes.set(lane, waiting);
    known.add(row.id);
    insertInOrder(waiting, row);
  };
  const takeFrom = (rows: TaskRow[] | undefined) => {
    const row = rows?.shift();
    if (row !== undefined) known.delete(row.id);
    return row;
  };
  return {
    sequential: () => sequential,
    remove: (tasks) => {
      const removed = new Set(tasks.map(({ id }) => id));
      for (const id of removed) known.delete(id);
      sequential = sequential.filter(({ id }) => !removed.has(id));
    },
    nextOf: (lane) => {
      const row = takeFrom(lanes.get(lane));
      if (row === undefined && cut.delete(lane)) reached = undefined;
      return row;
    },
    readNew: async () => {
      for (let rows: TaskRow[] | null = null; rows === null || rows.length === page_size; ) {
        rows = await readSince(service, newest);
        newest = rows.at(-1)?.sequence ?? newest;
        const now = clock.now();
        for (const row of rows) if (row.due_at <= now) add(row);
      }
    },
    readMore: async () => {
      const [now, wall_now] = [clock.now(), leaseCutoff(service)];
      const { test_mode } = service;
      const due = { test_mode, now, limit: page_size, wall_now, after: reached };
      const rows = await readTasks(service, due);
      reached = rows.at(-1) ?? reached;
      rows.forEach(add);
      return rows.length > 0;
    },
    startOver: () => {
      reached = undefined;
    },
    nextDueAt: async () => {
      const due = { test_mode: service.test_mode, now: never, limit: 1, after: reached };
      const [row] = await storage.run((db) => dueTasks(db, due));
      return row?.due_at ?? null;
    },
  };
}

/** The tasks inserted after a sequence; empty if they cannot be read: then they are read with the due tasks. */
async function readSince(service: Parts, sequence: number): Promise<TaskRow[]> {
  const { test_mode, storage, onFault } = service;
  const since = { test_mode, sequence, limit: page_size, wall_now: leaseCutoff(service) };
  try {
    return await storage.run((db) => tasksSince(db, since));
  } catch (fault) {
    if (fault instanceof StorageUnavailable) throw fault;
    onFault?.(fault, null);
    return [];
  }
}

/** Tasks arrive nearly in order, so the position is near the end. */
function insertInOrder(rows: TaskRow[], row: TaskRow): void {
  const at = rows.findLastIndex((other) => isBefore(other, row)) + 1;
  rows.splice(at, 0, row);
}

function isBefore(one: TaskRow, other: TaskRow): boolean {
  return one.due_at === other.due_at ? one.sequence < other.sequence : one.due_at < other.due_at;
}

/**
 * The first due tasks, without those that this process skips. An unreadable task is given up, and the others are read
 * nevertheless.
 */
export async function readTasks(service: FailureParts, due: DueTasks): Promise<TaskRow[]> {
  const { storage, quarantine } = service;
  for (;;) {
    try {
      const rows = await storage.run((db) => dueTasks(db, due));
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

import type { TaskRow } from '../../storage/database.ts';
import { StorageUnavailable } from '../../storage/storage.ts';
import { type DueTasks, dueTaskIds, dueTasks, findTask } from '../../storage/tasks.ts';
import { expelTask, type FailureParts } from './failed-work.ts';

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

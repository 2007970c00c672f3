import type { Connection, TaskRow } from './database.ts';
import { forUpdate } from './row-locks.ts';
import { canLockRows } from './rows.ts';

// Several workers of one PostgreSQL database must not execute the tasks for a record out of order.

/** A task, and one of the same kind for the same record that comes before it. */
interface EarlierTask {
  id: string;
  earlier_id: string;
  /** The lease of the earlier one; null if no worker has claimed it on its own. */
  claimed_until: number | null;
}

/** The tasks that come before others. None on SQLite, where one process executes the tasks in order. */
export async function earlierTasks(db: Connection, tasks: readonly TaskRow[]): Promise<EarlierTask[]> {
  if (!canLockRows(db) || tasks.length === 0) return [];
  const ids = tasks.map(({ id }) => id);
  return db
    .selectFrom('tasks')
    .innerJoin('tasks as earlier', 'earlier.subject', 'tasks.subject')
    .select(['tasks.id', 'earlier.id as earlier_id', 'earlier.claimed_until'])
    .where('tasks.id', 'in', ids)
    .whereRef('earlier.kind', '=', 'tasks.kind')
    .where(({ and, eb, or, ref }) =>
      or([
        eb('earlier.due_at', '<', ref('tasks.due_at')),
        and([
          eb('earlier.due_at', '=', ref('tasks.due_at')),
          eb('earlier.sequence', '<', ref('tasks.sequence')),
        ]),
      ]),
    )
    .execute();
}

/**
 * The tasks of the same kind for the same record that come before a task, in order; locked, so that none is claimed
 * before the transaction ends.
 */
export async function lockEarlierTasks(
  db: Connection,
  { subject, kind, due_at, sequence }: TaskRow,
): Promise<TaskRow[]> {
  return db
    .selectFrom('tasks')
    .selectAll()
    .where('subject', '=', subject)
    .where('kind', '=', kind)
    .where(({ and, eb, or }) =>
      or([eb('due_at', '<', due_at), and([eb('due_at', '=', due_at), eb('sequence', '<', sequence)])]),
    )
    .orderBy('due_at')
    .orderBy('sequence')
    .modifyEnd(forUpdate(db))
    .execute();
}

import type { Connection, Flag } from './database.ts';

interface Due {
  count: number;
  /** Null if nothing is due. */
  oldest_due_at: number | null;
}

export interface DueWork {
  tasks: Due;
  webhooks: Due;
  /** The number of failed tasks. */
  failed: number;
}

/** Counts the tasks and webhook messages of a mode that are due, and what was given up. */
export async function countDueWork(
  db: Connection,
  { test_mode, now }: { test_mode: Flag; now: number },
): Promise<DueWork> {
  const tasks = await db
    .selectFrom('tasks')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('due_at').as('oldest_due_at')])
    .where('test_mode', '=', test_mode)
    .where('due_at', '<=', now)
    .executeTakeFirstOrThrow();
  const webhooks = await db
    .selectFrom('webhook_messages')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('due_at').as('oldest_due_at')])
    .where('test_mode', '=', test_mode)
    .where('status', '=', 'pending')
    .where('due_at', '<=', now)
    .executeTakeFirstOrThrow();
  const failed = await db
    .selectFrom('failed_tasks')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('test_mode', '=', test_mode)
    .executeTakeFirstOrThrow();
  return { tasks: dueOf(tasks), webhooks: dueOf(webhooks), failed: Number(failed.count) };
}

function dueOf({ count, oldest_due_at }: { count: number; oldest_due_at: number | null }): Due {
  return { count: Number(count), oldest_due_at: oldest_due_at === null ? null : Number(oldest_due_at) };
}

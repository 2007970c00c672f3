import type { Connection, Flag } from './database.ts';

interface Waiting {
  count: number;
  /** When the oldest became due, for a webhook message when its event happened; null if nothing waits. */
  oldest_at: number | null;
}

export interface DueWork {
  tasks: Waiting;
  webhooks: Waiting;
  /** The number of failed tasks. */
  failed: number;
}

/**
 * Counts the tasks of a mode that are due, all its webhook messages that are neither delivered nor given up, and what
 * was given up.
 */
export async function countDueWork(
  db: Connection,
  { test_mode, now }: { test_mode: Flag; now: number },
): Promise<DueWork> {
  const tasks = await db
    .selectFrom('tasks')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('due_at').as('oldest_at')])
    .where('test_mode', '=', test_mode)
    .where('due_at', '<=', now)
    .executeTakeFirstOrThrow();
  const webhooks = await db
    .selectFrom('webhook_messages')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('created_at').as('oldest_at')])
    .where('test_mode', '=', test_mode)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  const failed = await db
    .selectFrom('failed_tasks')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('test_mode', '=', test_mode)
    .executeTakeFirstOrThrow();
  return { tasks: waiting(tasks), webhooks: waiting(webhooks), failed: Number(failed.count) };
}

function waiting({ count, oldest_at }: Waiting): Waiting {
  return { count: Number(count), oldest_at: oldest_at === null ? null : Number(oldest_at) };
}

/** Tasks and webhook messages that were given up, until somebody retries or dismisses them. */
import { type Insertable, sql } from 'kysely';
import type { Connection, FailedTaskRow, FailedTaskTable, Flag, Scope, TaskRow } from './database.ts';
import { forUpdate } from './locks.ts';
import type { Page } from './paging.ts';
import { inScope } from './rows.ts';
import { promoteNext } from './webhook-messages.ts';

type NewFailedTask = Omit<Insertable<FailedTaskTable>, 'sequence'>;

/** Inserts a failed task; an existing one is kept. */
export async function insertFailedTask(db: Connection, task: NewFailedTask): Promise<void> {
  await db
    .insertInto('failed_tasks')
    .values(task)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The final failure of a task. */
export interface Failure extends Pick<FailedTaskRow, 'id' | 'due_at' | 'attempts' | 'error' | 'failed_at'> {
  is_concluded: Flag;
}

/**
 * Moves a task to the failed tasks, under the account of its subject or its own or, if neither exists, the oldest account.
 * With a claim, returns false and changes nothing if the claim was lost. The task is locked, but its columns are not
 * read, so that an unreadable task can be moved too.
 */
export async function failTask(
  db: Connection,
  task: Pick<TaskRow, 'id'> & { claim?: number },
  failure: Failure,
): Promise<boolean> {
  const isClaimed = task.claim === undefined ? sql`` : sql`and claim = ${task.claim}`;
  // Nothing is left to retry of a concluded one, and an erasure of its people would not find it.
  const payload = failure.is_concluded === 1 ? sql`'{}'` : sql`payload`;
  await sql`${insertFailure} select ${failure.id}, id, kind, subject, ${payload},
      coalesce(${accountOfTask()}, (select id from accounts order by created_at, id limit 1)), test_mode,
      ${valuesOf(failure)}
    from tasks where id = ${task.id} ${isClaimed} ${forUpdate(db)}`.execute(db);
  const result = await sql`delete from tasks where id = ${task.id} ${isClaimed}`.execute(db);
  return result.numAffectedRows === 1n;
}

const insertFailure = sql`insert into failed_tasks (
  id, task_id, kind, subject, payload, account_id, test_mode, due_at, attempts, error, is_concluded, failed_at
)`;

/** The values of a failure, for the last columns of `insertFailure`. */
function valuesOf({ due_at, attempts, error, is_concluded, failed_at }: Failure) {
  return sql`cast(${due_at} as bigint), cast(${attempts} as bigint), ${error}, cast(${is_concluded} as bigint),
    cast(${failed_at} as bigint)`;
}

/** The accounts that a task may belong to: of its subject, then its own; null if there is none. */
function accountOfTask() {
  const parts = ['orders', 'routes', 'deliveries', 'batches', 'drivers'].map(
    (table) => sql`(select account_id from ${sql.table(table)} as record where record.id = tasks.subject)`,
  );
  return sql.join([...parts, sql`(select id from accounts where accounts.id = tasks.account_id)`]);
}

interface FailedTaskQuery extends Scope {
  limit: number;
  /** The failed task after which the page starts. */
  after_id?: string | undefined;
}

/** One page of a scope's failed tasks, latest failure first. */
export async function listFailedTasks(db: Connection, query: FailedTaskQuery): Promise<Page<FailedTaskRow>> {
  const { limit, after_id } = query;
  let tasks = db
    .selectFrom('failed_tasks')
    .selectAll()
    .where(inScope(query))
    .orderBy('id', 'desc')
    .limit(limit + 1);
  // By its id, which starts with the time: the task may have been retried or dismissed since its page was read.
  if (after_id !== undefined) tasks = tasks.where('id', '<', after_id);
  const rows = await tasks.execute();
  return { rows: rows.slice(0, limit), has_more: rows.length > limit };
}

export async function findFailedTask(
  db: Connection,
  scope: Scope,
  id: string,
): Promise<FailedTaskRow | undefined> {
  return db
    .selectFrom('failed_tasks')
    .selectAll()
    .where('id', '=', id)
    .where(inScope(scope))
    .executeTakeFirst();
}

/** Removes a failed task; false if it was already removed. */
export async function deleteFailedTask(db: Connection, id: string): Promise<boolean> {
  const result = await db.deleteFrom('failed_tasks').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows === 1n;
}

/**
 * Moves a webhook message to the failed tasks and unblocks its queue. With a claim, nothing changes if the claim was
 * lost. Only the message's queue is read, so that an unreadable message can be moved too.
 */
export async function failMessage(
  db: Connection,
  message: { sequence: number; claim?: number | undefined },
  { now, ...failure }: Failure & { now: number },
): Promise<void> {
  const { sequence, claim } = message;
  const isClaimed = claim === undefined ? sql`` : sql`and claim = ${claim}`;
  const isIt = sql`sequence = ${sequence} ${isClaimed}`;
  const found = sql<{ queue: string }>`select queue from webhook_messages where ${isIt} ${forUpdate(db)}`;
  const { rows } = await found.execute(db);
  await sql`${insertFailure} select ${failure.id}, '', 'webhook.send', event_id,
      '{"endpoint_id":"' || endpoint_id || '"}', account_id, test_mode, ${valuesOf(failure)}
    from webhook_messages where ${isIt}`.execute(db);
  await sql`delete from webhook_messages where ${isIt}`.execute(db);
  const queues = rows.map(({ queue }) => queue);
  await promoteNext(db, queues, now);
}

/**
 * Background tasks: inserted with a change, claimed by a worker, ended or postponed. Their states: `task-runner.ts`.
 */
import { type ExpressionBuilder, type Insertable, type RawBuilder, sql } from 'kysely';
import type { Connection, Database, Flag, TaskRow, TaskTable } from './database.ts';
import { forUpdate, forUpdateSkipLocked, type LeaseTime } from './locks.ts';
import { canLockRows } from './rows.ts';
import { appendTo } from './transactions.ts';

export type NewTask = Pick<
  Insertable<TaskTable>,
  'id' | 'account_id' | 'test_mode' | 'lane' | 'kind' | 'subject' | 'due_at' | 'payload'
>;

const appendTasks = appendTo<NewTask & { claim: number; claimed_until: LeaseTime | null }>(
  'tasks',
  (db, rows) => db.insertInto('tasks').values(rows),
);

/** The earliest due time of inserted tasks by connection or transaction, and account. */
const earliest = new WeakMap<Connection, Map<string, number>>();

/**
 * Adds tasks; those with equal due times run in insertion order. With a time until which they are claimed, the worker
 * that inserts them has the claim 1.
 */
export async function insertTasks(
  db: Connection,
  tasks: readonly NewTask[],
  claimed_until: LeaseTime | null = null,
): Promise<void> {
  const claim = claimed_until === null ? 0 : 1;
  await appendTasks(
    db,
    tasks.map(({ id, account_id, test_mode, lane = '', kind, subject, due_at, payload }) => ({
      id,
      account_id,
      test_mode,
      lane,
      kind,
      subject,
      due_at,
      payload,
      claim,
      claimed_until,
    })),
  );
  const times = earliest.get(db) ?? new Map<string, number>();
  earliest.set(db, times);
  for (const { account_id, due_at } of tasks)
    times.set(account_id, Math.min(times.get(account_id) ?? due_at, due_at));
}

/** The earliest due time of the tasks inserted in a transaction, by account. */
export function earliestInserted(db: Connection): ReadonlyMap<string, number> {
  return earliest.get(db) ?? new Map();
}

export async function findTask(db: Connection, id: string): Promise<TaskRow | undefined> {
  return db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Selects due tasks. */
export interface DueTasks {
  test_mode: Flag;
  /** By the clock of the mode. */
  now: number;
  limit: number;
  wall_now?: LeaseTime | undefined;
  /** Absent: tasks of all lanes. */
  lane?: string | undefined;
}

/**
 * The first due tasks of a mode in order of (due_at, sequence). With `wall_now`, tasks with an unexpired claim of another
 * worker are skipped; the only owner of a database omits it, and so takes over the tasks of a dead owner.
 */
export async function dueTasks(db: Connection, due: DueTasks): Promise<TaskRow[]> {
  return dueIn(db, due).selectAll().execute();
}

/** The tasks of `dueTasks`, locked until the transaction ends and without those that other transactions have locked. */
export async function lockDueTasks(db: Connection, due: DueTasks): Promise<TaskRow[]> {
  return dueIn(db, due).selectAll().modifyEnd(forUpdateSkipLocked(db)).execute();
}

/** The tasks of an account that wait for the same thing. */
export type TaskQueue = Pick<TaskRow, 'lane' | 'account_id'>;

/** The first queues with a due task, in order of lane and account, optionally after one of them. */
export async function dueQueues(
  db: Connection,
  { test_mode, now, limit, after }: Pick<DueTasks, 'test_mode' | 'now' | 'limit'> & { after?: TaskQueue },
): Promise<TaskQueue[]> {
  const start =
    after === undefined ? sql`true` : sql`(lane, account_id) > (${after.lane}, ${after.account_id})`;
  // Each step finds the first task of the next queue in the index, however many tasks the queue has.
  const { rows } = await sql<TaskQueue>`
    with recursive queues (lane, account_id, due_at) as (
      select lane, account_id, due_at from tasks where sequence = (
        select sequence from tasks where test_mode = ${test_mode} and ${start}
        order by lane, account_id, due_at, sequence limit 1)
      union all
      select tasks.lane, tasks.account_id, tasks.due_at from queues join tasks on tasks.sequence = (
        select later.sequence from tasks as later
        where later.test_mode = ${test_mode}
          and (later.lane, later.account_id) > (queues.lane, queues.account_id)
        order by later.lane, later.account_id, later.due_at, later.sequence limit 1)
    )
    select lane, account_id from queues where due_at <= ${now} limit ${limit}`.execute(db);
  return rows;
}

/** Selects due tasks of some queues, up to `limit` of each. */
interface DueInQueues extends Omit<DueTasks, 'lane'> {
  queues: readonly TaskQueue[];
}

/** The first due tasks of each queue, in order of (due_at, sequence); see `dueTasks` for `wall_now`. */
export async function tasksOfQueues(db: Connection, due: DueInQueues): Promise<TaskRow[]> {
  return readQueues(db, due, sql``);
}

/** The tasks of `tasksOfQueues`, locked until the transaction ends and without those that others have locked. */
export async function lockTasksOfQueues(db: Connection, due: DueInQueues): Promise<TaskRow[]> {
  return readQueues(db, due, forUpdateSkipLocked(db));
}

async function readQueues(
  db: Connection,
  { queues, ...due }: DueInQueues,
  lock: RawBuilder<unknown>,
): Promise<TaskRow[]> {
  const [first, ...rest] = queues.map(({ lane, account_id }) => {
    const queue = dueIn(db, { ...due, lane }).where('account_id', '=', account_id);
    return db.selectFrom(queue.selectAll().modifyEnd(lock).as('queue')).selectAll();
  });
  if (first === undefined) return [];
  const rows = await rest.reduce((all, queue) => all.unionAll(queue), first).execute();
  return rows.sort((one, other) => one.due_at - other.due_at || one.sequence - other.sequence);
}

/** The ids of `dueTasks`. */
export async function dueTaskIds(db: Connection, due: DueTasks): Promise<string[]> {
  const rows = await dueIn(db, due).select('id').execute();
  return rows.map(({ id }) => id);
}

function dueIn(db: Connection, { test_mode, now, limit, wall_now, lane }: DueTasks) {
  const tasks = db
    .selectFrom('tasks')
    .where('test_mode', '=', test_mode)
    .where('due_at', '<=', now)
    .where(isFree(wall_now));
  const selected = lane === undefined ? tasks : tasks.where('lane', '=', lane);
  return selected.orderBy('due_at').orderBy('sequence').limit(limit);
}

/** A condition: no other worker has an unexpired claim. Without a time claims do not matter. */
function isFree(wall_now: LeaseTime | undefined) {
  return ({ eb, lit, or }: ExpressionBuilder<Database, 'tasks'>) =>
    wall_now === undefined
      ? lit(true)
      : or([eb('claimed_until', 'is', null), eb('claimed_until', '<=', wall_now)]);
}

/** When the first task of a mode after a time is due; null without one. */
export async function nextDueAfter(
  db: Connection,
  { test_mode, now }: Pick<DueTasks, 'test_mode' | 'now'>,
): Promise<number | null> {
  const { due_at } = await db
    .selectFrom('tasks')
    .select(({ fn }) => fn.min<number | null>('due_at').as('due_at'))
    .where('test_mode', '=', test_mode)
    .where('due_at', '>', now)
    .executeTakeFirstOrThrow();
  return due_at;
}

/** Claims that a worker takes. */
export interface NewClaims extends Pick<DueTasks, 'wall_now'> {
  /** The tasks, with the claims that they had when they were read. */
  tasks: readonly Pick<TaskRow, 'id' | 'claim'>[];
  until: LeaseTime;
}

/**
 * Claims tasks; returns the new claims by id, without tasks that are gone, or that another worker has claimed. They are
 * locked in order of their ids, as two workers may claim the same tasks. See `dueTasks` for `wall_now`.
 */
export async function claimTasks(
  db: Connection,
  { tasks, wall_now, until }: NewClaims,
): Promise<ReadonlyMap<string, number>> {
  const free = db
    .selectFrom('tasks')
    .select('id')
    .where(({ and, or }) => or(tasks.map(({ id, claim }) => and({ id, claim }))))
    .where(isFree(wall_now))
    .orderBy('id')
    .modifyEnd(forUpdate(db));
  const rows = await db
    .updateTable('tasks')
    .set(({ eb }) => ({ claim: eb('claim', '+', 1), claimed_until: until }))
    .where('id', 'in', free)
    .returning(['id', 'claim'])
    .execute();
  return new Map(rows.map(({ id, claim }) => [id, claim]));
}

/** Extends a claim; false if it was lost. */
export async function renewClaim(
  db: Connection,
  { id, claim, until }: { id: string; claim: number; until: LeaseTime },
): Promise<boolean> {
  const result = await db
    .updateTable('tasks')
    .set({ claimed_until: until })
    .where('id', '=', id)
    .where('claim', '=', claim)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Extends a claim, unless a transaction has locked the task: it ends the task, or the claim is extended later. */
export async function extendClaim(
  db: Connection,
  { id, claim, until }: { id: string; claim: number; until: LeaseTime },
): Promise<void> {
  const own = db.selectFrom('tasks').select('id').where('id', '=', id).where('claim', '=', claim);
  await db
    .updateTable('tasks')
    .set({ claimed_until: until })
    .where('id', 'in', own.modifyEnd(forUpdateSkipLocked(db)))
    .execute();
}

/** Locks tasks until the transaction ends, so that no claim of them is renewed meanwhile. */
export async function lockTasks(db: Connection, ids: readonly string[]): Promise<void> {
  if (!canLockRows(db)) return;
  await db.selectFrom('tasks').select('id').where('id', 'in', ids).orderBy('id').forUpdate().execute();
}

/** Removes a completed task; false if the claim was lost, and then nothing may be written. */
export async function finishTask(db: Connection, id: string, claim: number): Promise<boolean> {
  const result = await db
    .deleteFrom('tasks')
    .where('id', '=', id)
    .where('claim', '=', claim)
    .executeTakeFirst();
  return result.numDeletedRows === 1n;
}

/** Removes completed tasks that the transaction has locked; returns how many there were. */
export async function finishTasks(db: Connection, tasks: readonly Pick<TaskRow, 'id'>[]): Promise<number> {
  const ids = tasks.map(({ id }) => id);
  const result = await db.deleteFrom('tasks').where('id', 'in', ids).executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Returns a claimed task after a failed attempt, for a later time; false if the claim was lost. */
export async function postponeTask(
  db: Connection,
  postpone: { id: string; claim: number; due_at: number; payload?: string },
): Promise<boolean> {
  const { id, claim, ...change } = postpone;
  const result = await db
    .updateTable('tasks')
    .set(({ eb }) => ({ ...change, claimed_until: null, attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('claim', '=', claim)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** The tasks of one kind for a record; locked, so that none is claimed before the transaction ends. */
export async function tasksOfSubject(db: Connection, subject: string, kind: string): Promise<TaskRow[]> {
  return db
    .selectFrom('tasks')
    .selectAll()
    .where('subject', '=', subject)
    .where('kind', '=', kind)
    .orderBy('sequence')
    .modifyEnd(forUpdate(db))
    .execute();
}

/** Deletes the tasks of some kinds for a record; a worker that runs one loses its claim. */
export async function deleteTasksOfSubject(
  db: Connection,
  subject: string,
  kinds: readonly string[],
): Promise<void> {
  await db.deleteFrom('tasks').where('subject', '=', subject).where('kind', 'in', kinds).execute();
}

// Several workers of one PostgreSQL database must not execute the tasks for a record out of order.

/** A task, and one of the same kind for the same record that comes before it. */
interface EarlierTask {
  id: string;
  earlier_id: string;
  /** The lease of the earlier task; null if no worker has claimed it on its own. */
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

interface Waiting {
  count: number;
  /** When the oldest became due, for a webhook message when its event happened; null if nothing waits. */
  oldest_at: number | null;
}

interface DueWork {
  tasks: Waiting;
  webhooks: Waiting;
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

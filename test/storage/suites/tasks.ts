import { expect, test } from 'vitest';
import type { Connection, Flag } from '../../../src/storage/database.ts';
import { insertDriver } from '../../../src/storage/drivers.ts';
import { failTask, listFailedTasks } from '../../../src/storage/failed-tasks.ts';
import { serviceState, writeSetting } from '../../../src/storage/settings.ts';
import {
  claimTasks,
  type DueTasks,
  deleteTasksOfSubject,
  dueQueues,
  dueTasks,
  findTask,
  finishTask,
  insertTasks,
  lockTasksOfQueues,
  type NewClaims,
  nextDueAfter,
  postponeTask,
  tasksOfQueues,
} from '../../../src/storage/tasks.ts';
import { nextDue } from '../read-rows.ts';
import { driver, noon, otherAccount, scope } from '../records.ts';
import type { FreshStorage } from '../suite.ts';

function task(id: string, due_at: number, subject = 'rte_1', test_mode: Flag = 1) {
  return { id, account_id: 'acct_1', test_mode, kind: 'quote.ask', subject, due_at, payload: '{}' };
}

/** Claims the task `t`, which had the claim `read` when it was read. */
async function claim(db: Connection, read: number, lease: Pick<NewClaims, 'wall_now' | 'until'>) {
  const claims = await claimTasks(db, { ...lease, tasks: [{ id: 't', claim: read }] });
  return claims.get('t');
}

async function dueIds(db: Connection, due: Partial<DueTasks> = {}): Promise<string[]> {
  return idsOf(await dueTasks(db, { test_mode: 1, now: noon, limit: 9, ...due }));
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

export function tasksSuite(fresh: FreshStorage): void {
  test('tasks come due in order of time, and of insertion where times are equal', async () => {
    const { db, first } = await fresh();
    expect(await first(serviceState, 1, 'clock', 'test_seed')).toEqual({
      due_at: null,
      clock: null,
      seed: null,
    });
    await writeSetting(db, 'clock', '{}');
    await insertTasks(db, []);
    await insertTasks(db, [task('z', noon), task('y', noon), task('late', noon + 2)]);
    await insertTasks(db, [task('early', noon - 1), task('x', noon)]);
    const state = { due_at: noon - 1, clock: '{}', seed: null };
    expect(await first(serviceState, 1, 'clock', 'test_seed')).toEqual(state);
    expect(await dueIds(db)).toEqual(['early', 'z', 'y', 'x']);
    expect(await nextDue(db, { test_mode: 1, now: noon })).toMatchObject({
      ...task('early', noon - 1),
      claim: 0,
      attempts: 0,
    });
    expect(await nextDue(db, { test_mode: 1, now: noon - 2 })).toBeUndefined();
  });

  test('the queues with a due task are found one after the other, and the first tasks of each', async () => {
    const { db } = await fresh();
    const of = (account_id: string, id: string, due_at = noon) => ({ ...task(id, due_at), account_id });
    await insertTasks(db, [of('b', 'b1'), of('b', 'b2'), of('b', 'b3', noon - 1), of('late', 'l', noon + 1)]);
    await insertTasks(db, [of('a', 'a1'), { ...of('a', 'a2'), lane: 'mail' }]);
    await insertTasks(db, [{ ...of('other', 'o'), test_mode: 0 }]);
    const due = { test_mode: 1, now: noon } as const;
    const all = await dueQueues(db, { ...due, limit: 9 });
    expect(all.map(({ lane, account_id }) => `${lane} ${account_id}`)).toEqual([' a', ' b', 'mail a']);
    const after = { lane: '', account_id: 'a' };
    expect(await dueQueues(db, { ...due, limit: 1, after })).toEqual([{ lane: '', account_id: 'b' }]);
    const first = { ...due, queues: all, limit: 2 };
    expect(idsOf(await tasksOfQueues(db, first))).toEqual(['b3', 'b1', 'a1', 'a2']);
    expect(idsOf(await tasksOfQueues(db, { ...first, queues: [] }))).toEqual([]);
    expect(await nextDueAfter(db, due)).toBe(noon + 1);
    expect(await nextDueAfter(db, { ...due, now: noon + 1 })).toBeNull();
  });

  test('the first tasks of queues are locked without those that another worker has locked', async () => {
    const storage = await fresh();
    const other = await storage.another();
    await insertTasks(
      storage.db,
      ['t', 'u', 'v'].map((id) => task(id, noon)),
    );
    const queues = [{ lane: '', account_id: 'acct_1' }];
    const due = { test_mode: 1, now: noon, queues, limit: 2 } as const;
    await storage.transaction(async (db) => {
      expect(idsOf(await lockTasksOfQueues(db, due))).toEqual(['t', 'u']);
      if (storage.engine === 'sqlite') return;
      const left = await other.transaction((db) => lockTasksOfQueues(db, due));
      expect(idsOf(left)).toEqual(['v']);
    });
  });

  test('the tasks of one mode are not those of the other', async () => {
    const { db, first } = await fresh();
    const live = (id: string, due_at: number) => task(id, due_at, 'rte_2', 0);
    await insertTasks(db, [task('test', noon), live('live', noon - 1), live('later', noon + 1)]);
    expect([await dueIds(db), await dueIds(db, { test_mode: 0 })]).toEqual([['test'], ['live']]);
    const stateOf = (test_mode: Flag) => first(serviceState, test_mode, 'clock', 'test_seed');
    expect(await stateOf(1)).toMatchObject({ due_at: noon });
    expect(await stateOf(0)).toMatchObject({ due_at: noon - 1 });
  });

  test('the order of equal times holds when the newest task has been removed', async () => {
    const { db } = await fresh();
    await insertTasks(db, [task('b', noon), task('gone', noon)]);
    await finishTask(db, 'gone', 0);
    await insertTasks(db, [task('a', noon)]);
    expect(await dueIds(db)).toEqual(['b', 'a']);
  });

  test('a claim counts up, hides the task for its lease, and fences off the claim before', async () => {
    const { db } = await fresh();
    await insertTasks(db, [task('t', noon)]);
    expect(await claim(db, 0, { wall_now: 1_000, until: 1_000 + 500 })).toBe(1);
    expect(await claim(db, 0, { wall_now: 1_000, until: 1_000 + 500 })).toBeUndefined();
    expect(await findTask(db, 't')).toMatchObject({ claim: 1, claimed_until: 1_500, attempts: 0 });
    expect(await nextDue(db, { test_mode: 1, now: noon, wall_now: 1_499 })).toBeUndefined();
    expect(await nextDue(db, { test_mode: 1, now: noon, wall_now: 1_500 })).toMatchObject({ id: 't' });
    expect(await nextDue(db, { test_mode: 1, now: noon })).toMatchObject({ id: 't' });
    expect(await claim(db, 1, { wall_now: 1_500, until: 1_500 + 500 })).toBe(2);
    expect(await finishTask(db, 't', 1)).toBe(false);
    expect(await postponeTask(db, { id: 't', claim: 1, due_at: noon })).toBe(false);
    expect(await finishTask(db, 't', 2)).toBe(true);
    expect(await finishTask(db, 't', 2)).toBe(false);
    expect(await claim(db, 2, { wall_now: 1_500, until: 1_500 + 500 })).toBeUndefined();
  });

  test('a task with a running claim is not taken from its worker, however new it is', async () => {
    const { db } = await fresh();
    await insertTasks(db, [task('t', noon)]);
    await claim(db, 0, { wall_now: 1_000, until: 1_500 });
    expect(await claim(db, 1, { wall_now: 1_499, until: 2_000 })).toBeUndefined();
    expect(await dueIds(db, { wall_now: 1_499 })).toEqual([]);
    expect(await dueIds(db, { wall_now: 1_500 })).toEqual(['t']);
    // The only owner of a database takes over the tasks of a dead one.
    expect(await dueIds(db)).toEqual(['t']);
    expect(await claim(db, 1, { wall_now: undefined, until: 2_000 })).toBe(2);
  });

  test('several tasks are claimed in one statement, but for those that others have claimed or ended', async () => {
    const { db } = await fresh();
    await insertTasks(db, [task('t', noon), task('u', noon), task('v', noon)]);
    await claim(db, 0, { wall_now: 1_000, until: 1_500 });
    const tasks = ['t', 'u', 'v', 'gone'].map((id) => ({ id, claim: 0 }));
    const claims = await claimTasks(db, { tasks, wall_now: 1_000, until: 2_000 });
    expect([...claims].sort()).toEqual([
      ['u', 1],
      ['v', 1],
    ]);
    expect(await findTask(db, 't')).toMatchObject({ claim: 1, claimed_until: 1_500 });
    expect(await findTask(db, 'u')).toMatchObject({ claim: 1, claimed_until: 2_000 });
  });

  test('a task that is inserted with a claim is hidden from others until its lease ends', async () => {
    const { db } = await fresh();
    await insertTasks(db, [task('t', noon)], 2_000);
    await insertTasks(db, [task('u', noon)]);
    expect(await findTask(db, 't')).toMatchObject({ claim: 1, claimed_until: 2_000 });
    expect(await findTask(db, 'u')).toMatchObject({ claim: 0, claimed_until: null });
    expect(await nextDue(db, { test_mode: 1, now: noon, wall_now: 1_999 })).toMatchObject({ id: 'u' });
    expect(await nextDue(db, { test_mode: 1, now: noon, wall_now: 2_000 })).toMatchObject({ id: 't' });
    expect(await finishTask(db, 't', 1)).toBe(true);
  });

  test('a postponed task is free again at its new time', async () => {
    const { db } = await fresh();
    await insertTasks(db, [task('t', noon), task('u', noon + 1)]);
    await claim(db, 0, { wall_now: 1_000, until: 1_000 + 500 });
    const later = { id: 't', claim: 1, due_at: noon + 5, payload: '{"try":2}' };
    expect(await postponeTask(db, later)).toBe(true);
    expect(await dueIds(db, { now: noon + 5, wall_now: 1_001 })).toEqual(['u', 't']);
    const postponed = { due_at: noon + 5, payload: '{"try":2}', claim: 1, attempts: 1 };
    expect(await findTask(db, 't')).toMatchObject(postponed);
  });

  test('a task that was postponed and moved back keeps its place among equal due times', async () => {
    const { db } = await fresh();
    await insertTasks(db, [task('t', noon), task('u', noon), task('v', noon)]);
    await postponeTask(db, { id: 't', claim: 0, due_at: noon + 9 });
    await postponeTask(db, { id: 't', claim: 0, due_at: noon });
    expect(await dueIds(db)).toEqual(['t', 'u', 'v']);
  });

  test('the tasks of a subject are dropped by kind', async () => {
    const { db } = await fresh();
    const other = { ...task('other', noon), kind: 'dispatch.ask' };
    await insertTasks(db, [task('a', noon), task('b', noon), other, task('c', noon, 'rte_2')]);
    await deleteTasksOfSubject(db, 'rte_1', ['quote.ask']);
    expect(await dueIds(db)).toEqual(['other', 'c']);
  });

  test('of many workers at one task, one gets it', async () => {
    const storage = await fresh();
    const other = await storage.another();
    await insertTasks(storage.db, [task('t', noon)]);
    const workers = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? storage : other));
    const lease = { wall_now: 1_000, until: 1_500 };
    const claims = await Promise.all(
      workers.map(({ transaction }) => transaction((db) => claim(db, 0, lease))),
    );
    expect(claims.filter((taken) => taken !== undefined)).toEqual([1]);
  });

  test('a task that is given up is listed in its own account', async () => {
    const { db } = await fresh();
    await insertDriver(db, driver(1, otherAccount));
    const failure = {
      due_at: noon,
      attempts: 4,
      error: 'refused',
      failed_at: noon,
      is_concluded: 0,
    } as const;
    const given = [
      task('of its driver', noon, driver(1).id),
      { ...task('of a deleted record', noon, 'drv_gone'), ...otherAccount },
      task('of an account that is gone', noon, 'drv_gone'),
    ];
    await insertTasks(db, given);
    for (const { id } of given)
      expect(await failTask(db, { id }, { ...failure, id: `ftk ${id}` })).toBe(true);
    const listed = async (of: typeof scope) =>
      idsOf((await listFailedTasks(db, { ...of, limit: 9 })).rows).toSorted();
    expect(await listed(otherAccount)).toEqual(['ftk of a deleted record', 'ftk of its driver']);
    expect(await listed(scope)).toEqual(['ftk of an account that is gone']);
  });

  test.each([
    [0, '{"address":"1 Main St"}'],
    [1, '{}'],
  ] as const)('what a task was told is kept for a retry only (%s)', async (is_concluded, kept) => {
    const { db } = await fresh();
    await insertTasks(db, [{ ...task('t', noon), ...scope, payload: '{"address":"1 Main St"}' }]);
    const failure = { id: 'ftk_1', due_at: noon, attempts: 4, error: 'refused', failed_at: noon };
    await failTask(db, { id: 't' }, { ...failure, is_concluded });
    const { rows } = await listFailedTasks(db, { ...scope, limit: 9 });
    expect(rows).toMatchObject([{ id: 'ftk_1', payload: kept, is_concluded }]);
  });
}

import { expect, test } from 'vitest';
import type { Connection, Flag } from '../../../src/storage/database.ts';
import { serviceState, writeSetting } from '../../../src/storage/settings.ts';
import {
  claimTasks,
  type DueTasks,
  deleteTasksOfSubject,
  dueTasks,
  findTask,
  finishTask,
  insertTasks,
  latestSequence,
  type NewClaims,
  postponeTask,
  type TaskPlace,
  tasksSince,
} from '../../../src/storage/tasks.ts';
import { nextDue } from '../read-rows.ts';
import { noon } from '../records.ts';
import type { FreshStorage } from '../suite.ts';

function task(id: string, due_at: number, subject = 'rte_1', test_mode: Flag = 1) {
  return { id, test_mode, kind: 'quote.ask', subject, due_at, payload: '{}' };
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

  test('due tasks are read after any position, and new ones after any insertion', async () => {
    const { db } = await fresh();
    expect(await latestSequence(db)).toBe(0);
    await insertTasks(db, [task('b', noon), task('c', noon), task('d', noon + 1), task('a', noon - 1)]);
    const latest = await latestSequence(db);
    const read: string[] = [];
    for (let after: TaskPlace | undefined; ; ) {
      const [row] = await dueTasks(db, { test_mode: 1, now: noon + 1, limit: 1, after });
      if (row === undefined) break;
      read.push(row.id);
      after = row;
    }
    expect(read).toEqual(['a', 'b', 'c', 'd']);
    await insertTasks(db, [task('f', noon + 9), task('e', noon)]);
    const since = async (sequence: number, limit: number) =>
      idsOf(await tasksSince(db, { test_mode: 1, sequence, limit }));
    expect([await since(latest, 9), await since(latest, 1)]).toEqual([['f', 'e'], ['f']]);
    expect(await since(await latestSequence(db), 9)).toEqual([]);
  });

  test('the tasks of one mode are not those of the other', async () => {
    const { db, first } = await fresh();
    const live = (id: string, due_at: number) => task(id, due_at, 'rte_2', 0);
    await insertTasks(db, [task('test', noon), live('live', noon - 1), live('later', noon + 1)]);
    expect([await dueIds(db), await dueIds(db, { test_mode: 0 })]).toEqual([['test'], ['live']]);
    const stateOf = (test_mode: Flag) => first(serviceState, test_mode, 'clock', 'test_seed');
    expect(await stateOf(1)).toMatchObject({ due_at: noon });
    expect(await stateOf(0)).toMatchObject({ due_at: noon - 1 });
    expect(idsOf(await tasksSince(db, { test_mode: 0, sequence: 0, limit: 9 }))).toEqual(['live', 'later']);
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
    const since = { test_mode: 1, sequence: 0, limit: 9 } as const;
    expect(await tasksSince(db, { ...since, wall_now: 1_499 })).toEqual([]);
    expect(await tasksSince(db, { ...since, wall_now: 1_500 })).toMatchObject([{ id: 't' }]);
    // The only owner of a database takes over the tasks of a dead one.
    expect(await tasksSince(db, since)).toMatchObject([{ id: 't' }]);
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
}

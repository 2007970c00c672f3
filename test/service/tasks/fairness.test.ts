import { expect, test } from 'vitest';
import { createService } from '../../../src/service/service.ts';
import { createCallShares } from '../../../src/service/tasks/lanes.ts';
import { createFairPlan } from '../../../src/service/tasks/next-work.ts';
import type { TaskRow } from '../../../src/storage/database.ts';
import { insertTasks } from '../../../src/storage/tasks.ts';
import { engines } from '../../databases.ts';
import { addAccount } from '../accounts/second-account.ts';
import { orderRequest, start, startFixture } from '../fixture.ts';
import { couriers, gateAt } from '../remote-couriers.ts';
import { askedRoute } from '../route-runs.ts';

/** A task that a plan may put into a group, unless it is of another kind. */
function row(name: string, change: Partial<TaskRow> = {}): TaskRow {
  const [account_id = '', number = ''] = name.split(' ');
  const task = { id: name, account_id, test_mode: 1, lane: '', kind: 'report.take', subject: name } as const;
  const state = { payload: '{}', claim: 0, claimed_until: null, attempts: 0 };
  return { ...task, due_at: start, sequence: Number(number), ...state, ...change };
}

const rows = (account: string, count: number, change: Partial<TaskRow> = {}) =>
  Array.from({ length: count }, (_, index) => row(`${account} ${index}`, change));

/** What a plan runs one after the other, where tasks remain due: `kind: account count, ...`. */
function workOf(due: readonly TaskRow[], times: number): string[] {
  const plan = createFairPlan({
    providers: [],
    running_tasks: new Set(),
    quarantine: { add: () => {}, has: () => false, size: () => 0 },
  });
  return Array.from({ length: times }, () => {
    const work = plan.nextWork(due);
    const counts = [...Map.groupBy(work?.tasks ?? [], ({ account_id }) => account_id)];
    return `${work?.kind}: ${counts.map(([account, { length }]) => `${account} ${length}`).join(', ')}`;
  });
}

const recall = { kind: 'dispatch.recall' };

test.each([
  ['one account alone', rows('b', 150), ['group: b 100', 'group: b 100']],
  ['one task beside many', [...rows('b', 150), row('a 0')], ['group: b 50, a 1', 'group: b 50, a 1']],
  ['groups in equal parts', [...rows('b', 150), ...rows('a', 150)], ['group: b 50, a 50']],
  [
    'a task that runs alone is not kept behind groups',
    [...rows('b', 150), row('a 0', { kind: 'fleet.check' })],
    ['group: b 100', 'one: a 1', 'group: b 100', 'one: a 1'],
  ],
  [
    'calls of all accounts side by side, in turn with groups',
    [...rows('b', 150), ...rows('a', 2, recall), ...rows('c', 40, recall)],
    ['group: b 100', 'calls: a 2, c 16', 'group: b 100'],
  ],
  [
    'tasks that run alone, one of each account',
    [...rows('b', 9, { kind: 'fleet.check' }), ...rows('a', 9, { kind: 'fleet.check' })],
    ['one: b 1', 'one: a 1', 'one: b 1', 'one: a 1'],
  ],
])('the work of accounts is done in turn: %s', (_, due, expected) => {
  expect(workOf(due, expected.length)).toEqual(expected);
});

test.each([
  ['one lane', [['b', 1, 'uber']], [10]],
  [
    'a lane of another account',
    [
      ['b', 1, 'uber'],
      ['a', 1, 'uber'],
    ],
    [10, 10],
  ],
  [
    'both modes of an account',
    [
      ['b', 1, 'uber'],
      ['b', 0, 'uber'],
    ],
    [10, 10],
  ],
  [
    'many lanes of one account leave room for others',
    [
      ['b', 1, 'u'],
      ['b', 1, 'v'],
      ['b', 0, 'u'],
      ['b', 0, 'v'],
      ['a', 0, 'u'],
      ['c', 0, 'u'],
    ],
    [10, 10, 10, 2, 8, 0],
  ],
] as const)('calls are shared by account, mode and courier: %s', (_, lanes, expected) => {
  const share = createCallShares()('couriers');
  const taken = lanes.map(([account_id, test_mode, lane]) => {
    const call = row(account_id, { test_mode, lane });
    let count = 0;
    while (share.take(call)) count += 1;
    return count;
  });
  expect(taken).toEqual(expected);
});

/** Tasks of records that do not exist, which end without effect. */
const idle = (account_id: string, count: number, due_at: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...{ id: `${account_id}_${due_at}_${index}`, account_id, test_mode: 1 as const, kind: 'report.take' },
    ...{ subject: `dlv_${account_id}_${due_at}_${index}`, payload: '{}', due_at },
  }));

test.each(['sqlite', 'postgres'] as const)(
  'on %s, the task of an account runs before the 1,000 older ones of another, also by several workers',
  async (engine) => {
    const fixture = await startFixture({ location: await engines[engine]() });
    const { storage } = fixture;
    await storage.run((db) => insertTasks(db, [...idle('b', 1_000, start - 60_000), ...idle('a', 1, start)]));
    const left: string[] = [];
    const observed: typeof storage = {
      ...storage,
      transaction: async (work, isolation) => {
        const done = await storage.transaction(work, isolation);
        const found = await storage.run((db) => db.selectFrom('tasks').select('account_id').execute());
        const count = (account: string) => found.filter(({ account_id }) => account_id === account).length;
        left.push(`b ${count('b')}, a ${count('a')}`);
        return done;
      },
    };
    const workers = Array.from({ length: engine === 'postgres' ? 3 : 1 }, () =>
      createService({ ...fixture.config, storage: observed }),
    );
    const done = await Promise.all(workers.map(({ tick }) => tick()));
    expect(done.reduce((sum, count) => sum + count, 0)).toBe(1_001);
    // Each worker had at most one group when the task was taken.
    expect(left.findIndex((each) => each.endsWith('a 0'))).toBeLessThan(workers.length);
  },
);

test('the calls of an account start while those of another with a slow courier wait', async () => {
  const gate = gateAt();
  const accountOf = new Map<string, string>();
  const asked: string[] = [];
  const providers = couriers(
    (name) => name === 'swiftly',
    async (name, { account_id }) => {
      if (name !== 'swiftly') return;
      asked.push(accountOf.get(account_id) ?? account_id);
      if (accountOf.get(account_id) === 'slow') await gate.pass(name);
    },
  );
  const fixture = await startFixture({ parts: { providers } });
  const first = await fixture.client().account.get();
  accountOf.set(first.data.account_id, 'slow');
  const orders = Array.from({ length: 150 }, () => orderRequest());
  const settings = { mechanism: 'auto' as const, providers: ['swiftly'] };
  await fixture.client().orders.create({ body: { orders, settings } });
  const working = fixture.pass(5_000);
  await expect.poll(() => gate.waiting.length, { interval: 5 }).toBe(10);
  const other = fixture.client(await addAccount(fixture));
  accountOf.set((await other.account.get()).data.account_id, 'other');
  await askedRoute(other);
  const later = fixture.pass(5_000);
  await expect.poll(() => asked.filter((who) => who === 'other').length, { interval: 5 }).toBe(1);
  expect(asked.filter((who) => who === 'slow')).toHaveLength(10);
  const opening = setInterval(gate.open, 2);
  await Promise.all([working, later]);
  await fixture.pass(5_000);
  clearInterval(opening);
  expect(asked).toHaveLength(151);
  expect(gate.most()).toBe(10);
});

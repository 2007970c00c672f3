import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { createService, type Service } from '../../../src/service/service.ts';
import { insertTasks } from '../../../src/storage/tasks.ts';
import { engines } from '../../databases.ts';
import { startedDelivery } from '../delivery-runs.ts';
import { clientOf, type Fixture, start, startFixture } from '../fixture.ts';
import { askedRoute } from '../route-runs.ts';
import { failureKinds, faultyStorage, plantedTasks, shortTimers, taskKindNames } from './faulty-tasks.ts';

/** A service with a planted task of each kind for each way of failing. */
async function planted(location = ':memory:') {
  const fixture = await startFixture({ location });
  onTestFinished(() => fixture.storage.close());
  const delivery = await startedDelivery(fixture.client(), 'happy_path');
  const faulty = faultyStorage(fixture.storage);
  await fixture.storage.run((db) => insertTasks(db, plantedTasks(delivery.id, fixture.now())));
  return { fixture, delivery, faulty };
}

const health = async ({ fetch }: Service) =>
  (await fetch({ method: 'GET', path: '/health', headers: {}, body: '' })).status;

async function plantedLeft({ storage }: Fixture): Promise<number> {
  const rows = await storage.run((db) =>
    db.selectFrom('tasks').select('id').where('id', 'like', 'planted%').execute(),
  );
  return rows.length;
}

async function failedOf(service: Service, key: string) {
  const { data } = (await clientOf(service, key).failedTasks.list({ query: { limit: 100 } })).data;
  return data;
}

const all = taskKindNames.length * failureKinds.length;
/** Longer than all waits between the attempts of a task. */
const tries_ms = 60_000;

test.each(['sqlite', 'postgres'] as const)(
  'on %s, tasks that fail in any way fail no request and are abandoned, listed and retried',
  async (engine) => {
    const { fixture, delivery, faulty } = await planted(await engines[engine]());
    let now = start;
    const service = createService({
      ...fixture.config,
      storage: faulty.storage,
      timers: shortTimers,
      clock: { now: () => now },
      ownership: { whileOwner: (work) => work().then(() => true) },
    });
    const client = clientOf(service, fixture.keys.test);
    const params = await askedRoute(client);
    for (let look = 0; look < 8; look += 1) {
      now += tries_ms / 4;
      expect(await health(service)).toBe(200);
      expect((await client.deliveries.get({ params: { deliveryid: delivery.id } })).status).toBe(200);
      await service.tick();
    }
    // Work without a fault is done.
    expect((await client.quotes.list({ params })).data.status).toBe('COMPLETE');
    expect(await plantedLeft(fixture)).toBe(0);
    const failed = await failedOf(service, fixture.keys.test);
    const count = (kind: string) => failed.filter((task) => task.kind === kind).length;
    expect(taskKindNames.map(count)).toEqual(taskKindNames.map(() => failureKinds.length));
    // Each with its attempts, so that a failure says which task had another number.
    expect(failed.filter(({ attempts, test_mode }) => attempts !== 4 || !test_mode)).toEqual([]);
    // A page follows on a task that was dismissed since.
    const { data: page, next_cursor } = (await client.failedTasks.list({ query: { limit: 2 } })).data;
    for (const { id } of page) await client.failedTasks.dismiss({ params: { failed_task_id: id } });
    const next = await client.failedTasks.list({ query: { limit: 100, cursor: next_cursor ?? '' } });
    expect(next.data.data).toEqual(failed.slice(2));
    // Each can be retried once it is repaired.
    faulty.heal();
    for (const { id, retryable } of failed.slice(2))
      if (retryable) await client.failedTasks.retry({ params: { failed_task_id: id } });
    await service.tick();
    expect(await plantedLeft(fixture)).toBe(0);
    expect((await failedOf(service, fixture.keys.test)).filter(({ retryable }) => retryable)).toEqual([]);
    await service.stop();
  },
);

test('an advance of the clock passes failing tasks, and a reset deletes them', async () => {
  const { fixture, faulty } = await planted();
  const service = createService({ ...fixture.config, storage: faulty.storage, timers: shortTimers });
  const client = clientOf(service, fixture.keys.test);
  const params = await askedRoute(client);
  const { data } = await client.clock.advance({ body: { by: 2 * (tries_ms / 1_000) } });
  expect(data).toMatchObject({ more: false, now: new Date(start + 2 * tries_ms).toISOString() });
  expect((await client.quotes.list({ params })).data.status).toBe('COMPLETE');
  expect(await plantedLeft(fixture)).toBe(0);
  expect(await failedOf(service, fixture.keys.test)).toHaveLength(all);
  expect(await health(service)).toBe(200);
  await client.sandbox.reset({ body: {} });
  expect(await failedOf(service, fixture.keys.test)).toEqual([]);
  await service.stop();
});

test('a reset works while failing tasks are pending', async () => {
  const { fixture, faulty } = await planted();
  const service = createService({ ...fixture.config, storage: faulty.storage, timers: shortTimers });
  await clientOf(service, fixture.keys.test).sandbox.reset({ body: {} });
  expect(await plantedLeft(fixture)).toBe(0);
});

test('a task that could not be given up at first is listed with each of its attempts', async () => {
  const { fixture } = await planted();
  const taken = new Set<string>();
  const faulty = faultyStorage(fixture.storage, (node) => {
    const text = JSON.stringify(node);
    if (node.kind === 'DeleteQueryNode') return text.includes('planted error') ? 'error' : undefined;
    const id = text.includes('insert into failed_tasks')
      ? /planted error [a-z.]+/.exec(text)?.[0]
      : undefined;
    const isFirst = id !== undefined && !taken.has(id);
    if (isFirst) taken.add(id);
    return isFirst ? 'error' : undefined;
  });
  const service = createService({ ...fixture.config, storage: faulty.storage, timers: shortTimers });
  await clientOf(service, fixture.keys.test).clock.advance({ body: { by: 2 * (tries_ms / 1_000) } });
  const failed = await failedOf(service, fixture.keys.test);
  expect([...new Set(failed.map(({ kind }) => kind))].toSorted()).toEqual(taskKindNames.toSorted());
  expect(failed.filter(({ attempts }) => attempts !== 4)).toEqual([]);
  await service.stop();
});

/** Statements that make every write or read of a planted row fail. */
const poisons: [string, string[]][] = [
  [
    'can be neither claimed nor put off',
    [
      `create trigger planted before update on tasks when old.id like 'planted%'
         begin select raise(abort, 'planted: no update'); end`,
    ],
  ],
  ['cannot be read', [`update tasks set claim = 4611686018427387904 where id like 'planted%'`]],
  [
    'can be neither written nor removed',
    [
      `create trigger planted before delete on tasks when old.id like 'planted%'
         begin select raise(abort, 'planted: no delete'); end`,
      `create trigger planted_too before update on tasks when old.id like 'planted%'
         begin select raise(abort, 'planted: no update'); end`,
    ],
  ],
];

test.each(poisons)('a task that %s stops no other', async (what, statements) => {
  const { fixture, faulty } = await planted();
  for (const text of statements) await fixture.storage.run((db) => sql.raw(text).execute(db));
  const service = createService({ ...fixture.config, storage: faulty.storage, timers: shortTimers });
  const client = clientOf(service, fixture.keys.test);
  const params = await askedRoute(client);
  await service.tick();
  expect((await client.clock.advance({ body: { by: 60 } })).data.more).toBe(false);
  expect((await client.quotes.list({ params })).data.status).toBe('COMPLETE');
  expect(await health(service)).toBe(200);
  const isStuck = what.includes('removed');
  expect(await failedOf(service, fixture.keys.test)).toHaveLength(isStuck ? 0 : all);
  const before = fixture.faults.length;
  await service.tick();
  // A task that cannot be given up is skipped instead of being retried repeatedly.
  expect(fixture.faults.length).toBe(before);
  await service.stop();
});

test('a task of an unknown kind is listed and stops nothing', async () => {
  const fixture = await startFixture();
  const task = {
    id: 'tsk_new',
    account_id: 'acct_1',
    test_mode: 1,
    kind: 'newer.kind',
    due_at: start,
  } as const;
  await fixture.storage.run((db) => insertTasks(db, [{ ...task, subject: 'nothing', payload: '{' }]));
  await fixture.service.tick();
  const [failed] = await failedOf(fixture.service, fixture.keys.test);
  expect(failed).toMatchObject({ kind: 'newer.kind', retryable: true, test_mode: true });
  expect(failed?.error).toContain('does not support');
});

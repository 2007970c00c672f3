import { expect, test } from 'vitest';
import { createHeartbeat } from '../../../src/service/runtime/background-state.ts';
import { createServiceClock } from '../../../src/service/runtime/service-clock.ts';
import { realTimers } from '../../../src/service/runtime/time.ts';
import { createWakeup } from '../../../src/service/runtime/wakeup.ts';
import { createService } from '../../../src/service/service.ts';
import { createLoop } from '../../../src/service/tasks/background-loop.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { insertTasks } from '../../../src/storage/tasks.ts';
import { orderRequest, start as startedAt, startFixture } from '../fixture.ts';

type Mode = 'real' | 'manual' | 'scaled';

/** How long a loop waits until its next poll, with a task due in `due_ms` of service time. */
async function waitOf(body: { mode: Mode; rate?: number }, due_ms: number | null): Promise<number> {
  const { config, client, storage } = await startFixture();
  await client().clock.set({ body });
  const task = { id: 'tsk_1', account_id: 'acct_1', test_mode: 1, kind: 'report.take' } as const;
  const record = { subject: 'dlv_1', payload: '{}' };
  const due = due_ms === null ? [] : [{ ...task, ...record, due_at: startedAt + due_ms }];
  await storage.run((db) => insertTasks(db, due));
  const waits = Promise.withResolvers<number>();
  const timers = {
    ...realTimers,
    after: (delay_ms: number) => {
      waits.resolve(delay_ms);
      return () => {};
    },
  };
  const clock = createServiceClock({ ...config, test_mode: 1, followSeed: () => {} });
  const loop = createLoop({
    ...config,
    clock,
    wakeup: createWakeup(timers),
    work: async () => {},
    name: 'tasks',
    heartbeat: createHeartbeat(config.monotonic),
  });
  loop.start();
  const wait_ms = await waits.promise;
  await loop.stop();
  return wait_ms;
}

test.each([
  ['real', { mode: 'real' }, 200, 200],
  ['real, far ahead', { mode: 'real' }, 60_000, 500],
  ['real, with nothing due', { mode: 'real' }, null, 500],
  ['scaled', { mode: 'scaled' }, 6_000, 100],
  ['scaled to a day a second', { mode: 'scaled', rate: 86_400 }, 60_000, 60_000 / 86_400],
  ['scaled down', { mode: 'scaled', rate: 0.5 }, 100, 200],
  ['manual', { mode: 'manual' }, 100, 500],
  ['manual, with what another worker has in hand', { mode: 'manual' }, 0, 500],
] as const)(
  'on a %s clock the loop polls again when something is due, or soon',
  async (_mode, body, due, wait) => {
    expect(await waitOf(body, due)).toBe(wait);
  },
);

/** A storage that records its queries. */
function counting(storage: Storage, asked: string[]): Storage {
  return {
    ...storage,
    first: (lookup, ...parameters) => {
      asked.push(lookup.name);
      return storage.first(lookup, ...parameters);
    },
    run: (work) => {
      asked.push('run');
      return storage.run(work);
    },
    transaction: (work) => {
      asked.push('transaction');
      return storage.transaction(work);
    },
  };
}

test.each([
  [
    'embedded',
    { ownership: { whileOwner: async () => false } },
    ['key by hash', 'state of the service', 'delivery by id'],
  ],
  ['served', {}, ['key by hash', 'state of the service', 'delivery by id']],
  ['hosted', { sandbox: false }, ['key by hash', 'delivery by id']],
])('a look-up of an %s service costs one statement for its clock', async (_kind, parts, statements) => {
  const fixture = await startFixture();
  const { data } = await fixture.client().deliveries.create({ body: orderRequest() });
  await fixture.client().clock.set({ body: { mode: 'scaled' } });
  const asked: string[] = [];
  const service = createService({ ...fixture.config, ...parts, storage: counting(fixture.storage, asked) });
  const headers = { 'x-api-key': fixture.keys.test };
  const answer = await service.fetch({ method: 'GET', path: `/v1/delivery/${data.id}`, headers, body: '' });
  expect(answer.status).toBe(200);
  expect(asked).toEqual(statements);
});

test('with a running loop or shared work, a request leaves due tasks to them', async () => {
  const fixture = await startFixture();
  await fixture.client().deliveries.create({ body: { ...orderRequest(), initiate: true } });
  const { next_due_at } = (await fixture.client().clock.get()).data;
  const clock = { now: () => Date.parse(next_due_at ?? '') };
  const asked: string[] = [];
  const whileOwner = async () => {
    asked.push('ownership');
    return false;
  };
  const shared = createService({ ...fixture.config, clock });
  // Polls once, without a repetition.
  const timers = { ...realTimers, after: () => () => {} };
  const looping = createService({ ...fixture.config, clock, timers, ownership: { whileOwner } });
  looping.start();
  // In each mode, one loop runs due tasks; another looks for stalled queues, and sends webhooks. Both share the cleaning.
  await expect.poll(() => asked.length).toBe(7);
  const headers = { 'x-api-key': fixture.keys.test };
  for (const { fetch } of [shared, looping])
    await fetch({ method: 'GET', path: '/v2/account', headers, body: '' });
  expect(asked).toHaveLength(7);
  expect((await fixture.client().clock.get()).data.next_due_at).toBe(next_due_at);
  await looping.stop();
});

test('without a loop, due tasks of a mode run before a request of that mode', async () => {
  const fixture = await startFixture();
  let asked = 0;
  const whileOwner = async (work: () => Promise<unknown>) => {
    asked++;
    await work();
    return true;
  };
  const ownership = { whileOwner };
  const service = createService({ ...fixture.config, ownership });
  const headers = { 'x-api-key': fixture.keys.test };
  const request = { method: 'GET', path: '/v2/account', headers, body: '' };
  const look = () => service.fetch(request);
  await look();
  expect(asked).toBe(0);
  await fixture.client().deliveries.create({ body: { ...orderRequest(), initiate: true } });
  await look();
  expect(asked).toBe(0);
  const { data } = await fixture.client().clock.get();
  const wait_ms = Date.parse(data.next_due_at ?? '') - fixture.now();
  const clock = { now: () => fixture.now() + wait_ms };
  const later = createService({ ...fixture.config, ownership, clock });
  await later.fetch({ ...request, headers: { 'x-api-key': fixture.keys.live } });
  await later.fetch({ ...request, path: '/health', headers: {} });
  expect(asked).toBe(0);
  await later.fetch(request);
  expect(asked).toBe(1);
  expect((await fixture.client().clock.get()).data.next_due_at).not.toBe(data.next_due_at);
});

import { expect, test } from 'vitest';
import { realTimers } from '../../../src/service/runtime/time.ts';
import { createService } from '../../../src/service/service.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { orderRequest, startFixture } from '../fixture.ts';

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
  // In each mode, one loop runs due tasks; another looks for stalled queues, and sends webhooks.
  await expect.poll(() => asked.length, { timeout: 10_000 }).toBe(6);
  const headers = { 'x-api-key': fixture.keys.test };
  for (const { fetch } of [shared, looping])
    await fetch({ method: 'GET', path: '/v2/account', headers, body: '' });
  expect(asked).toHaveLength(6);
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

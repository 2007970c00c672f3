import { expect, test } from 'vitest';
import { createService } from '../../src/service/service.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { orderRequest, startFixture } from './fixture.ts';

/** A storage that writes down what is asked of it. */
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
  ['embedded', { catchUp: async () => {} }, ['state of the service', 'key by hash', 'delivery by id']],
  ['served', {}, ['state of the service', 'key by hash', 'delivery by id']],
  ['hosted', { sandbox: false }, ['key by hash', 'delivery by id']],
])(
  'a look-up of an %s service costs no statement for its clock but one',
  async (_kind, parts, statements) => {
    const fixture = await startFixture();
    const { data } = await fixture.client().deliveries.create({ body: orderRequest() });
    await fixture.client().clock.set({ body: { mode: 'scaled' } });
    const asked: string[] = [];
    const service = createService({ ...fixture.config, ...parts, storage: counting(fixture.storage, asked) });
    const headers = { 'x-api-key': fixture.keys.test };
    const answer = await service.fetch({ method: 'GET', path: `/v1/delivery/${data.id}`, headers, body: '' });
    expect(answer.status).toBe(200);
    expect(asked).toEqual(statements);
  },
);

test('where no loop runs, what is due is done before a request, and only then', async () => {
  const fixture = await startFixture();
  const done: number[] = [];
  const catchUp = async (work: () => Promise<unknown>) => {
    done.push(Number(await work()));
  };
  const service = createService({ ...fixture.config, catchUp });
  const look = () => service.fetch({ method: 'GET', path: '/health', headers: {}, body: '' });
  await look();
  expect(done).toEqual([]);
  await fixture.client().deliveries.create({ body: { ...orderRequest(), initiate: true } });
  await look();
  expect(done).toEqual([]);
  const { data } = await fixture.client().clock.get();
  const wait_ms = Date.parse(data.next_due_at ?? '') - fixture.now();
  const later = createService({ ...fixture.config, catchUp, clock: { now: () => fixture.now() + wait_ms } });
  await later.fetch({ method: 'GET', path: '/health', headers: {}, body: '' });
  expect(done).toEqual([1]);
});

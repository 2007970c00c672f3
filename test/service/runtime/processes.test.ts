import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { simulatedProviders } from '../../../src/providers/directory.ts';
import type { Provider } from '../../../src/providers/port.ts';
import { fileOwnership } from '../../../src/service/runtime/processes.ts';
import { realTimers } from '../../../src/service/runtime/time.ts';
import { createService } from '../../../src/service/service.ts';
import { executeOnce } from '../../../src/service/tasks/task-leases.ts';
import { acquireWorkerLock } from '../../../src/storage/sqlite-file.ts';
import { memoryRecords } from '../../providers/simulated/memory-records.ts';
import { temporaryFolder } from '../../storage/folder.ts';
import { clientOf, draftRoute, type Fixture, orderRequest, quotesOf, startFixture } from '../fixture.ts';
import { askedRoute, dispatchedOrder } from '../route-runs.ts';

/** A service that is the first one on a file. */
async function alone(providers: Provider[] = simulatedProviders(memoryRecords())) {
  const file = join(temporaryFolder(), 'waybill.db');
  const ownership = fileOwnership(file, { keeps: false });
  const fixture = await startFixture({ location: file, parts: { ownership, providers } });
  onTestFinished(async () => {
    ownership.release();
    await fixture.storage.close();
  });
  return { file, ownership, fixture };
}

/** Another process on the same file. */
function another({ config }: Fixture, file: string, keeps = false) {
  const ownership = fileOwnership(file, { keeps });
  onTestFinished(() => ownership.release());
  return { ownership, service: createService({ ...config, ownership }) };
}

/** Another process that owns the background work of a file, until it is killed. */
async function owner(file: string): Promise<() => Promise<void>> {
  const script = join(import.meta.dirname, '..', '..', 'storage', 'lock-holder.ts');
  const holder = fork(script, [file], { execArgv: [] });
  onTestFinished(() => void holder.kill('SIGKILL'));
  expect(await once(holder, 'message')).toEqual(['held', undefined]);
  return async () => {
    holder.kill('SIGKILL');
    await once(holder, 'exit');
  };
}

test('concurrent work of one process shares one ownership, which ends with the last of it', async () => {
  const file = join(temporaryFolder(), 'waybill.db');
  const ownership = fileOwnership(file, { keeps: false });
  const gate = Promise.withResolvers<void>();
  const first = ownership.whileOwner(() => gate.promise);
  expect(await ownership.whileOwner(async () => {})).toBe(true);
  expect(acquireWorkerLock(file)).toBeNull();
  expect(await fileOwnership(file, { keeps: false }).whileOwner(async () => {})).toBe(false);
  gate.resolve();
  expect(await first).toBe(true);
  const free = acquireWorkerLock(file);
  expect(free).not.toBeNull();
  free?.release();
});

test('a kept ownership lasts until it is released and does not end with failed work', async () => {
  const file = join(temporaryFolder(), 'waybill.db');
  const [kept, other] = [true, false].map((keeps) => fileOwnership(file, { keeps }));
  const failing = async () => {
    throw new Error('the work failed');
  };
  await expect(other?.whileOwner(failing)).rejects.toThrow('the work failed');
  await expect(kept?.whileOwner(failing)).rejects.toThrow('the work failed');
  expect(await other?.whileOwner(async () => {})).toBe(false);
  kept?.release();
  expect(await other?.whileOwner(async () => {})).toBe(true);
});

test('the next owner takes over the tasks of a dead one, whose late result is discarded', async () => {
  const reached = Promise.withResolvers<void>();
  const late = Promise.withResolvers<void>();
  let asked = 0;
  const providers = simulatedProviders(memoryRecords()).map((provider) => ({
    ...provider,
    quotes_at_once: false,
    quote: async (request: Parameters<Provider['quote']>[0]) => {
      const answer = await provider.quote(request);
      if (provider.name !== 'haulvan' || ++asked > 1 || answer.kind !== 'quoted') return answer;
      reached.resolve();
      await late.promise;
      return { ...answer, cost_of_delivery: 1 };
    },
  }));
  const { file, ownership, fixture } = await alone(providers);
  const params = await askedRoute(fixture.client());
  const dying = fixture.pass(5_000);
  await reached.promise;
  ownership.release();
  const { service } = another(fixture, file);
  const listed = () => clientOf(service, fixture.keys.test).quotes.list({ params });
  const before = await listed();
  expect(before.data.status).toBe('COMPLETE');
  late.resolve();
  await dying;
  expect(asked).toBe(2);
  expect((await listed()).data).toEqual(before.data);
  expect(fixture.faults).toEqual([]);
});

test('a task has one owner until it is released', async () => {
  const running_tasks = new Set<string>();
  const row = { id: 'tsk_1' };
  const isHeld = await executeOnce({ running_tasks }, [row], async () => {
    expect(await executeOnce({ running_tasks }, [row], async () => true)).toBe(false);
    return running_tasks.has(row.id);
  });
  expect(isHeld).toBe(true);
  expect(running_tasks.size).toBe(0);
});

test('a process does not take over its own running tasks', async () => {
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  let asked = 0;
  const providers = simulatedProviders(memoryRecords()).map((provider) => ({
    ...provider,
    create: async (request: Parameters<Provider['create']>[0]) => {
      asked++;
      reached.resolve();
      await gate.promise;
      return provider.create(request);
    },
  }));
  const { fixture } = await alone(providers);
  const client = fixture.client();
  const dispatching = dispatchedOrder(fixture);
  await reached.promise;
  expect(await fixture.service.tick()).toBe(0);
  const moving = client.clock.advance({ body: { by: 1 } });
  await new Promise((resolve) => realTimers.after(50, () => resolve(null)));
  gate.resolve();
  expect((await moving).data.steps).toBe(0);
  expect((await dispatching).status).toBe('delivery_created');
  expect(asked).toBe(1);
});

/** A route that its courier will refuse, and the choice of a quote. */
async function quotedRoute(fixture: Fixture) {
  const noCapacity = orderRequest({ dropoff_phone_number: '+13125550118' });
  const { id: route_id } = await draftRoute(fixture.client(), [noCapacity]);
  const [quote] = await quotesOf(fixture, route_id);
  return { route_id, body: { quote_id: quote?.id ?? '' } };
}

test('a live owner in another process keeps the dispatch until it ends', async () => {
  const { file, fixture } = await alone();
  const client = fixture.client();
  const { route_id, body } = await quotedRoute(fixture);
  const kill = await owner(file);
  const { data } = await client.dispatches.create({ params: { route_id }, body });
  expect(data.deliveries[0]?.status).toBe('delivery_created');
  expect(await fixture.service.tick()).toBe(0);
  await kill();
  const params = { deliveryid: data.deliveries[0]?.id ?? '' };
  expect((await client.deliveries.get({ params })).data.status).toBe('failed');
});

test('a dispatch is answered with the result of the owner in another process', async () => {
  const { file, fixture } = await alone();
  const { route_id, body } = await quotedRoute(fixture);
  const { service } = another(fixture, file, true);
  service.start();
  const { data } = await fixture.client().dispatches.create({ params: { route_id }, body });
  await service.stop();
  expect(data.deliveries[0]?.status).toBe('failed');
});

test('an advance of the clock is run by the owner and reported like one’s own', async () => {
  const { file, fixture } = await alone();
  const client = fixture.client();
  await askedRoute(client);
  const { service } = another(fixture, file, true);
  service.start();
  await service.tick();
  const { data } = await client.clock.advance({ body: { by: 60 } });
  await service.stop();
  expect(data).toMatchObject({ steps: 5, more: false });
  expect(data.events.map(({ type }) => type)).toEqual(['route_quotes.completed']);
});

test('an advance that waits for an owner runs here once the owner has ended', async () => {
  const { file, fixture } = await alone();
  const client = fixture.client();
  const params = await askedRoute(client);
  const { ownership, service } = another(fixture, file, true);
  await service.tick();
  const moving = client.clock.advance({ body: { by: 60 } });
  await new Promise((resolve) => realTimers.after(100, () => resolve(null)));
  expect((await client.quotes.list({ params })).data.status).toBe('PENDING');
  ownership.release();
  expect((await moving).data).toMatchObject({ steps: 5, more: false });
});

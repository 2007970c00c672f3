import { expect, test } from 'vitest';
import type { ClockAdvance } from '../../../src/contract/sandbox.ts';
import { realTimers } from '../../../src/service/runtime/time.ts';
import { createService, type Service } from '../../../src/service/service.ts';
import { keyByHash } from '../../../src/storage/accounts.ts';
import { readSetting } from '../../../src/storage/settings.ts';
import { type Storage, StorageUnavailable } from '../../../src/storage/storage.ts';
import { clientOf, type Fixture, patientTimers, start as startedAt, startFixture } from '../fixture.ts';
import { listening } from '../remote-couriers.ts';
import { askedRoute } from '../route-runs.ts';

const at = (ms: number) => new Date(startedAt + ms).toISOString();

/** A service, stopped during an advance of a minute when `name` is asked. */
async function stoppedAt(name: string, asked: string[]) {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const providers = listening(asked, async (each) => {
    if (each !== name) return;
    reached.resolve();
    await gate.promise;
  });
  const fixture = await startFixture({ parts: { providers, timers: patientTimers } });
  const params = await askedRoute(fixture.client());
  const moving = post(fixture.service, fixture.keys.test);
  await reached.promise;
  return { fixture, gate, moving, params };
}

/** Another process on the same database. */
function another(fixture: Fixture, asked: string[]): Service {
  return createService({ ...fixture.config, providers: listening(asked) });
}

function post(service: Service, key: string) {
  return service.fetch({
    method: 'POST',
    path: '/v2/sandbox/clock/advance',
    headers: { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': 'advance' },
    body: '{"by":60}',
  });
}

const nowOf = async (service: Service, key: string) => (await clientOf(service, key).clock.get()).data.now;

const inOrder = ['metrobike 1000', 'swiftly 2000', 'haulvan 3000', 'nightowl 3000', 'poolride 4000'];

/** An advance of a process that never returns, and another process after the lease of its tasks. */
async function interrupted() {
  const [asked, again]: [string[], string[]] = [[], []];
  const { fixture, params } = await stoppedAt('haulvan', asked);
  fixture.passWall(30_000);
  const service = another(fixture, again);
  return { asked, again, fixture, service, params, now: () => nowOf(service, fixture.keys.test) };
}

test('an interrupted advance is finished before anything else, every task once', async () => {
  const { asked, again, fixture, service, params, now } = await interrupted();
  expect(await now()).toBe(at(60_000));
  expect(asked).toEqual(inOrder.slice(0, 3));
  expect(again).toEqual(inOrder.slice(2));
  const { data } = await clientOf(service, fixture.keys.test).quotes.list({ params });
  const providers = ['haulvan', 'metrobike', 'poolride', 'swiftly'];
  expect(data.data?.map(({ provider }) => provider).sort()).toEqual(providers);
});

test('a repeat with the same key ends at the same time and reports everything', async () => {
  const { fixture, service, now } = await interrupted();
  for (const replayed of [undefined, 'true']) {
    const answer = await post(service, fixture.keys.test);
    const moved: ClockAdvance = JSON.parse(answer.body);
    expect(moved).toMatchObject({ now: at(60_000), steps: 6, more: false });
    expect(moved.events.map(({ type }) => type)).toEqual(['route_quotes.completed']);
    expect(answer.headers['idempotent-replayed']).toBe(replayed);
  }
  expect(await now()).toBe(at(60_000));
});

test('a repeat after later advances still gets the first response', async () => {
  const { fixture, service, params, now } = await interrupted();
  await now();
  const client = clientOf(service, fixture.keys.test);
  await client.quotes.request({ params });
  expect((await client.clock.advance({ body: { by: 60 } })).data.events).toHaveLength(1);
  const moved: ClockAdvance = JSON.parse((await post(service, fixture.keys.test)).body);
  expect(moved).toMatchObject({ now: at(60_000), more: false, events: { length: 1 } });
  expect(await now()).toBe(at(120_000));
});

test('a storage failure is a 503, and the next request completes the advance', async () => {
  const asked: string[] = [];
  let fails = true;
  const providers = listening(asked, async (name) => {
    if (name === 'haulvan' && fails) throw new StorageUnavailable('the disk is full');
  });
  const fixture = await startFixture({ parts: { providers } });
  await askedRoute(fixture.client());
  expect((await post(fixture.service, fixture.keys.test)).status).toBe(503);
  fails = false;
  fixture.passWall(10_000);
  expect(await nowOf(fixture.service, fixture.keys.test)).toBe(at(60_000));
  expect(asked).toEqual([...inOrder.slice(0, 3), ...inOrder.slice(2)]);
  const moved: ClockAdvance = JSON.parse((await post(fixture.service, fixture.keys.test)).body);
  expect(moved).toMatchObject({ now: at(60_000), steps: 6 });
});

test('background work of the same process waits until the advance has ended', async () => {
  const asked: string[] = [];
  const { fixture, gate, moving } = await stoppedAt('haulvan', asked);
  const working = fixture.service.tick();
  await new Promise((resolve) => realTimers.after(50, () => resolve(null)));
  expect(asked).toEqual(inOrder.slice(0, 3));
  gate.resolve();
  expect(await working).toBe(0);
  expect((await moving).status).toBe(200);
  expect(asked).toEqual(inOrder);
});

test('two processes in one advance run every task once and in order', async () => {
  const asked: string[] = [];
  const { fixture, gate, moving } = await stoppedAt('haulvan', asked);
  const other = another(fixture, asked).tick();
  await new Promise((resolve) => realTimers.after(50, () => resolve(null)));
  expect(asked).toEqual(inOrder.slice(0, 3));
  gate.resolve();
  await other;
  const moved: ClockAdvance = JSON.parse((await moving).body);
  expect(moved).toMatchObject({ now: at(60_000), steps: 5, more: false });
  expect(asked).toEqual(inOrder);
});

test('stopping the service finishes the current step and starts no other work', async () => {
  const asked: string[] = [];
  const { fixture, gate, moving } = await stoppedAt('haulvan', asked);
  const working = fixture.service.tick();
  await new Promise((resolve) => realTimers.after(50, () => resolve(null)));
  const stopping = fixture.service.stop();
  gate.resolve();
  expect(await working).toBe(0);
  await stopping;
  expect((await moving).status).toBe(503);
  expect(asked).toEqual(inOrder.slice(0, 3));
  // Its key is free again, and its service works.
  expect(JSON.parse((await post(fixture.service, fixture.keys.test)).body)).toMatchObject({
    ...{ now: at(60_000), steps: 5, more: false },
  });
});

test('an advance that another process has finished meanwhile gets the same response', async () => {
  const { fixture, gate, moving } = await stoppedAt('poolride', []);
  fixture.passWall(10_000);
  const service = another(fixture, []);
  await service.tick();
  gate.resolve();
  const moved: ClockAdvance = JSON.parse((await moving).body);
  expect(moved).toMatchObject({ now: at(60_000), steps: 6, more: false });
  expect(moved.events.map(({ type }) => type)).toEqual(['route_quotes.completed']);
  expect(await nowOf(fixture.service, fixture.keys.test)).toBe(at(60_000));
});

/** Another process, which reads the clock just before an advance starts that crashes in the middle. */
async function overtaken() {
  const fixture = await startFixture();
  await askedRoute(fixture.client());
  let isAhead = false;
  const storage: Storage = {
    ...fixture.storage,
    first: async (lookup, ...parameters) => {
      if (isAhead && lookup.name === keyByHash.name) {
        isAhead = false;
        await dieIn(fixture, 'haulvan');
      }
      return fixture.storage.first(lookup, ...parameters);
    },
  };
  const service = createService({ ...fixture.config, storage });
  const headers = { 'x-api-key': fixture.keys.test, 'content-type': 'application/json' };
  return async (path: string, body: string) => {
    isAhead = true;
    const answer = await service.fetch({ method: 'POST', path, headers, body });
    const { now, next_due_at }: { now: string; next_due_at?: string | null } = JSON.parse(answer.body);
    return { now, next_due_at };
  };
}

/** Leaves an unfinished advance, with its tasks free again. */
async function dieIn(fixture: Fixture, name: string): Promise<void> {
  const reached = Promise.withResolvers<void>();
  const providers = listening([], async (each) => {
    if (each !== name) return;
    reached.resolve();
    await new Promise<never>(() => {});
  });
  void post(createService({ ...fixture.config, providers }), fixture.keys.test);
  await reached.promise;
  fixture.passWall(10_000);
}

test('an advance that another process has started meanwhile is finished first', async () => {
  const advanced = await overtaken();
  expect(await advanced('/v2/sandbox/clock/advance', '{"by":60}')).toEqual({ now: at(120_000) });
  const set = await overtaken();
  const moved = { now: at(60_000), next_due_at: null };
  expect(await set('/v2/sandbox/clock', '{"mode":"manual"}')).toEqual(moved);
});

test('running background work ends before an advance begins', async () => {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const providers = listening([], async () => {
    reached.resolve();
    await gate.promise;
  });
  const fixture = await startFixture({ parts: { providers } });
  await askedRoute(fixture.client());
  const working = fixture.pass(10_000);
  await reached.promise;
  const moving = post(fixture.service, fixture.keys.test);
  await new Promise((resolve) => realTimers.after(50, () => resolve(null)));
  expect(await fixture.storage.run((db) => readSetting(db, 'clock'))).toBeNull();
  gate.resolve();
  await Promise.all([working, moving]);
  expect(await nowOf(fixture.service, fixture.keys.test)).toBe(at(70_000));
});

test('with a running loop, requests are answered while an interrupted advance is being finished', async () => {
  const { fixture, gate } = await stoppedAt('haulvan', []);
  fixture.passWall(30_000);
  const held = Promise.withResolvers<void>();
  const providers = listening([], () => held.promise);
  const service = createService({ ...fixture.config, providers });
  service.start();
  expect(await nowOf(service, fixture.keys.test)).toBe(at(3_000));
  held.resolve();
  await expect.poll(() => nowOf(service, fixture.keys.test)).toBe(at(60_000));
  gate.resolve();
  await service.stop();
});

import { expect, test } from 'vitest';
import type { ClockAdvance } from '../../src/contract/clock.ts';
import { simulatedProviders } from '../../src/providers/directory.ts';
import type { Provider } from '../../src/providers/port.ts';
import { createService, type Service } from '../../src/service/service.ts';
import { StorageUnavailable } from '../../src/storage/errors.ts';
import { draftRoute, type Fixture, start as startedAt, startFixture } from './fixture.ts';

const at = (ms: number) => new Date(startedAt + ms).toISOString();

/** Couriers that write down who was asked and when; `before` may hold an answer up. */
function listening(asked: string[], before: (name: string) => Promise<void> = async () => {}): Provider[] {
  return simulatedProviders().map((provider) => ({
    ...provider,
    quote: async (request) => {
      asked.push(`${provider.name} ${request.now - startedAt}`);
      await before(provider.name);
      return provider.quote(request);
    },
  }));
}

/** A service, and the way to a moment within an advance of a minute in which `name` is asked. */
async function stoppedAt(name: string, asked: string[]) {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const providers = listening(asked, async (each) => {
    if (each !== name) return;
    reached.resolve();
    await gate.promise;
  });
  const fixture = await startFixture({ parts: { providers } });
  const route = await draftRoute(fixture.client());
  await fixture.client().quotes.request({ params: { route_id: route.id } });
  const moving = post(fixture.service, fixture.keys.test);
  await reached.promise;
  return { fixture, gate, moving, route_id: route.id };
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

async function nowOf(service: Service, key: string): Promise<string> {
  const headers = { 'x-api-key': key };
  const answer = await service.fetch({ method: 'GET', path: '/v2/sandbox/clock', headers, body: '' });
  const { now }: { now: string } = JSON.parse(answer.body);
  return now;
}

const inOrder = ['metrobike 1000', 'swiftly 2000', 'haulvan 3000', 'nightowl 3000', 'poolride 4000'];

test('an advance that died in the middle is finished before anything else, every task once', async () => {
  const asked: string[] = [];
  const { fixture, route_id } = await stoppedAt('haulvan', asked);
  // The first process never comes back; what it had in hand is free after its lease.
  fixture.passWall(10_000);
  const again: string[] = [];
  const service = another(fixture, again);
  expect(await nowOf(service, fixture.keys.test)).toBe(at(60_000));
  expect(asked).toEqual(inOrder.slice(0, 3));
  expect(again).toEqual(inOrder.slice(2));
  const headers = { 'x-api-key': fixture.keys.test };
  const path = `/v2/routes/${route_id}/quotes`;
  const quotes = await service.fetch({ method: 'GET', path, headers, body: '' });
  const { data }: { data: { provider: string }[] } = JSON.parse(quotes.body);
  expect(data.map(({ provider }) => provider).sort()).toEqual([
    'haulvan',
    'metrobike',
    'poolride',
    'swiftly',
  ]);
});

test('a repeat with its key ends where the advance was to end, and hears of all it caused', async () => {
  const { fixture } = await stoppedAt('haulvan', []);
  fixture.passWall(30_000);
  const service = another(fixture, []);
  for (const replayed of [undefined, 'true']) {
    const answer = await post(service, fixture.keys.test);
    const moved: ClockAdvance = JSON.parse(answer.body);
    expect(moved).toMatchObject({ now: at(60_000), steps: 6, more: false });
    expect(moved.events.map(({ type }) => type)).toEqual(['route_quotes.completed']);
    expect(answer.headers['idempotent-replayed']).toBe(replayed);
  }
  expect(await nowOf(service, fixture.keys.test)).toBe(at(60_000));
});

test('a repeat after others have moved the clock on is still answered for the first', async () => {
  const { fixture } = await stoppedAt('haulvan', []);
  fixture.passWall(30_000);
  const service = another(fixture, []);
  await nowOf(service, fixture.keys.test);
  const headers = { 'x-api-key': fixture.keys.test, 'content-type': 'application/json' };
  const path = '/v2/sandbox/clock/advance';
  await service.fetch({ method: 'POST', path, headers, body: '{"by":60}' });
  const moved: ClockAdvance = JSON.parse((await post(service, fixture.keys.test)).body);
  expect(moved).toMatchObject({ now: at(60_000), more: false });
  expect(await nowOf(service, fixture.keys.test)).toBe(at(120_000));
});

test('a key is a new request a day later, whatever became of it before', async () => {
  const { fixture } = await stoppedAt('haulvan', []);
  fixture.passWall(30_000);
  const service = another(fixture, []);
  expect(await nowOf(service, fixture.keys.test)).toBe(at(60_000));
  fixture.passWall(24 * 60 * 60_000);
  await post(service, fixture.keys.test);
  expect(await nowOf(service, fixture.keys.test)).toBe(at(120_000));
});

test('storage that fails in the middle is a 503, and the next request goes on to the end', async () => {
  const asked: string[] = [];
  let fails = true;
  const providers = listening(asked, async (name) => {
    if (name === 'haulvan' && fails) throw new StorageUnavailable('the disk is full');
  });
  const fixture = await startFixture({ parts: { providers } });
  const route = await draftRoute(fixture.client());
  await fixture.client().quotes.request({ params: { route_id: route.id } });
  expect((await post(fixture.service, fixture.keys.test)).status).toBe(503);
  fails = false;
  fixture.passWall(10_000);
  expect(await nowOf(fixture.service, fixture.keys.test)).toBe(at(60_000));
  expect(asked).toEqual([...inOrder.slice(0, 3), ...inOrder.slice(2)]);
  const moved: ClockAdvance = JSON.parse((await post(fixture.service, fixture.keys.test)).body);
  expect(moved).toMatchObject({ now: at(60_000), steps: 6 });
});

test('two processes at one advance do every task once and in order', async () => {
  const asked: string[] = [];
  const { fixture, gate, moving } = await stoppedAt('haulvan', asked);
  const other = another(fixture, asked).tick();
  await new Promise((resolve) => fixture.config.timers.after(50, () => resolve(null)));
  expect(asked).toEqual(inOrder.slice(0, 3));
  gate.resolve();
  await other;
  const moved: ClockAdvance = JSON.parse((await moving).body);
  expect(moved).toMatchObject({ now: at(60_000), steps: 5, more: false });
  expect(asked).toEqual(inOrder);
});

test('what another process has finished in the meantime is answered as if it had been done here', async () => {
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

test('an advance that was cut off is finished before the clock is set otherwise', async () => {
  const { fixture } = await stoppedAt('haulvan', []);
  fixture.passWall(10_000);
  const service = another(fixture, []);
  const headers = { 'x-api-key': fixture.keys.test, 'content-type': 'application/json' };
  const body = '{"mode":"manual"}';
  const answer = await service.fetch({ method: 'POST', path: '/v2/sandbox/clock', headers, body });
  expect(JSON.parse(answer.body)).toMatchObject({ mode: 'manual', now: at(60_000) });
});

test('a loop does not go past an advance that was cut off', async () => {
  const asked: string[] = [];
  const { fixture } = await stoppedAt('haulvan', []);
  fixture.passWall(10_000);
  const service = another(fixture, asked);
  await service.tick();
  expect(asked).toEqual(inOrder.slice(2));
  expect(await nowOf(service, fixture.keys.test)).toBe(at(60_000));
});

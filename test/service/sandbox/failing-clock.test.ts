import type { OperationNode } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { createService, type Service } from '../../../src/service/service.ts';
import { writeSetting } from '../../../src/storage/settings.ts';
import { jsonOf } from '../../cli/harness.ts';
import { engines } from '../../databases.ts';
import { clientOf, draftRoute, type Fixture, start, startFixture } from '../fixture.ts';
import { askedRoute } from '../route-runs.ts';
import { type FailureKind, failureKinds, faultyStorage, shortTimers } from '../tasks/faulty-tasks.ts';

const isClockWrite = (node: OperationNode) =>
  ['InsertQueryNode', 'UpdateQueryNode'].includes(node.kind) && /"clock"/.test(JSON.stringify(node));

/** A service with failing writes of the clock: the test selects them by number, from 1. */
async function startFailing(engine: keyof typeof engines, manner: FailureKind) {
  const fixture = await startFixture({ location: await engines[engine]() });
  let writes = 0;
  let fails = (_nth: number) => false;
  const { storage } = faultyStorage(fixture.storage, (node) => {
    if (!isClockWrite(node)) return undefined;
    writes += 1;
    return fails(writes) ? manner : undefined;
  });
  const service = createService({ ...fixture.config, storage, timers: shortTimers });
  onTestFinished(async () => {
    await service.stop();
    await fixture.storage.close();
  });
  const failWrites = (which: typeof fails) => {
    writes = 0;
    fails = which;
  };
  return { fixture, service, failWrites, client: clientOf(service, fixture.keys.test) };
}

async function send(service: Service, { keys }: Fixture, method: string, path: string, body?: object) {
  const headers = { 'x-api-key': keys.test, 'content-type': 'application/json' };
  const answer = await service.fetch({ method, path, headers, body: body ? JSON.stringify(body) : '' });
  return { status: answer.status, record: jsonOf(answer.body) };
}

const advance = (service: Service, fixture: Fixture) =>
  send(service, fixture, 'POST', '/v2/sandbox/clock/advance', { by: 60 });

/** Requests quotes for a new route; returns their state. */
async function askedStatus(client: ReturnType<typeof clientOf>) {
  const params = await askedRoute(client);
  return async () => (await client.quotes.list({ params })).data.status;
}

const cases = [...failureKinds.map((manner) => ['sqlite', manner] as const), ['postgres', 'error'] as const];

test.each(cases)(
  'on %s, an advance with a step that cannot be written (%s) is abandoned, and the next one works',
  async (engine, manner) => {
    const { fixture, service, failWrites, client } = await startFailing(engine, manner);
    const statusOf = await askedStatus(client);
    // The first write starts the advance.
    failWrites((nth) => nth === 2);
    expect((await advance(service, fixture)).status).toBe(500);
    const { data: failed } = (await client.failedTasks.list({ query: {} })).data;
    expect(failed).toMatchObject([{ kind: 'clock.advance', retryable: false, attempts: 1 }]);
    expect((await client.clock.get()).data.now).toBe(new Date(start).toISOString());
    expect((await advance(service, fixture)).record).toMatchObject({ more: false });
    expect(await statusOf()).toBe('COMPLETE');
    await client.failedTasks.dismiss({ params: { failed_task_id: failed[0]?.id ?? '' } });
  },
);

test.each(cases)(
  'on %s, while the clock cannot be written (%s) everything else works, and its advance is listed once',
  async (engine, manner) => {
    const { fixture, service, failWrites, client } = await startFailing(engine, manner);
    failWrites((nth) => nth === 1);
    expect((await advance(service, fixture)).status).toBe(500);
    expect((await client.failedTasks.list({ query: {} })).data.data).toEqual([]);
    const statusOf = await askedStatus(client);
    failWrites((nth) => nth > 1);
    expect((await advance(service, fixture)).status).toBe(500);
    // Two reads by the service, and one by another process.
    const other = createService(fixture.config);
    await fixture.storage.run((db) =>
      db.updateTable('tasks').set({ due_at: start }).where('kind', '=', 'quote.ask').execute(),
    );
    for (let looks = 0; looks < 2; looks += 1) await service.tick().catch(() => {});
    expect(await statusOf()).toBe('COMPLETE');
    expect((await send(service, fixture, 'GET', '/health')).status).toBe(200);
    expect((await clientOf(service, fixture.keys.live).orders.list({ query: {} })).status).toBe(200);
    const { data: failed } = (await client.failedTasks.list({ query: {} })).data;
    expect(failed).toMatchObject([{ kind: 'clock.advance', retryable: false }]);
    failWrites(() => false);
    await service.tick();
    expect((await advance(service, fixture)).record).toMatchObject({ more: false });
    expect((await advance(other, fixture)).record).toMatchObject({ more: false });
  },
);

test.each(['{', 'null', '"noon"', '{}', '{"revision":1,"mode":"real","rate":"fast"}'])(
  'an invalid stored clock (%s) fails only clock operations until the sandbox is reset',
  async (text) => {
    const fixture = await startFixture();
    const { service } = fixture;
    const [client, other] = [fixture.client(), createService(fixture.config)];
    await client.clock.set({ body: { mode: 'manual' } });
    const before = (await client.clock.advance({ body: { by: 60 } })).data.now;
    await clientOf(other, fixture.keys.test).clock.get();
    await fixture.storage.run((db) => writeSetting(db, 'clock', text));
    const restarted = createService(fixture.config);
    for (const each of [service, other, restarted]) {
      const refused = { status: 409, record: { code: 'clock_unreadable' } };
      expect(await send(each, fixture, 'GET', '/v2/sandbox/clock')).toMatchObject(refused);
      expect(await send(each, fixture, 'POST', '/v2/sandbox/clock', { mode: 'real' })).toMatchObject(refused);
      expect(await advance(each, fixture)).toMatchObject(refused);
      expect((await send(each, fixture, 'GET', '/health')).status).toBe(200);
      await draftRoute(clientOf(each, fixture.keys.test));
      await each.tick();
    }
    expect((await send(restarted, fixture, 'POST', '/v2/sandbox/reset', {})).status).toBe(200);
    for (const each of [service, other, restarted]) {
      expect((await advance(each, fixture)).record).toMatchObject({ more: false });
      expect((await send(each, fixture, 'POST', '/v2/sandbox/clock', { mode: 'real' })).status).toBe(200);
    }
    expect(Date.parse((await client.clock.get()).data.now)).toBeGreaterThan(Date.parse(before));
  },
);

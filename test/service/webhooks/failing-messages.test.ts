import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../../src/service/server.ts';
import { newDatabase } from '../../databases.ts';
import { startedDelivery } from '../delivery-runs.ts';
import { type Fixture, orderRequest, startFixture } from '../fixture.ts';
import { insertEndpoint } from './received-events.ts';
import { startReceiver } from './receiver.ts';

const engines = {
  sqlite: async () => ':memory:',
  postgres: newDatabase,
};

type Engine = keyof typeof engines;

async function receiving(engine: Engine) {
  const fixture = await startFixture({ location: await engines[engine]() });
  const receiver = await startReceiver();
  await insertEndpoint(fixture, receiver.url, { events: '["delivery.created"]' });
  onTestFinished(async () => {
    await fixture.service.stop();
    await fixture.storage.close();
    await receiver.close();
  });
  const execute = (text: string) => fixture.storage.run((db) => sql.raw(text).execute(db));
  const idOf = async (delivery_id: string) => {
    const { data } = (await fixture.client().events.list({ query: { delivery_id } })).data;
    return data.find(({ type }) => type === 'delivery.created')?.id ?? '';
  };
  const sentTimes = (event_id: string) =>
    receiver.received.filter(({ headers }) => headers['webhook-id'] === event_id).length;
  return { fixture, execute, idOf, sentTimes };
}

const waitingIn = ({ storage }: Fixture) =>
  storage.run((db) => db.selectFrom('webhook_messages').select('event_id').execute());

const failedIn = async (fixture: Fixture) =>
  (await fixture.client().failedTasks.list({ query: {} })).data.data;

/** Advances the clock past all waits between the attempts of a message, and sends what is due. */
async function passTries({ service, pass }: Fixture): Promise<void> {
  for (let tries = 0; tries < 6; tries += 1) {
    await pass(20_000, () => service.send());
  }
}

/** Statements after which attempts for an event cannot be written. */
const refusals: Readonly<Record<Engine, (event_id: string) => string[]>> = {
  sqlite: (id) => [
    `create trigger planted before insert on webhook_attempts when new.event_id = '${id}'
      begin select raise(abort, 'planted: no attempt'); end`,
  ],
  postgres: (id) => [
    `create function planted() returns trigger language plpgsql as
      $$ begin raise exception 'planted: no attempt'; end $$`,
    `create trigger planted before insert on webhook_attempts for each row
      when (new.event_id = '${id}') execute function planted()`,
  ],
};

test.each(['sqlite', 'postgres'] as const)(
  'on %s, a message whose attempt cannot be recorded delays no other, is abandoned after its attempts, and can be retried',
  async (engine) => {
    const { fixture, execute, idOf, sentTimes } = await receiving(engine);
    const [bad, good] = [
      await startedDelivery(fixture.client(), 'happy_path'),
      await startedDelivery(fixture.client(), 'happy_path'),
    ];
    const [badEvent, goodEvent] = [await idOf(bad.id), await idOf(good.id)];
    for (const statement of refusals[engine](badEvent)) await execute(statement);
    await fixture.service.send();
    expect(await waitingIn(fixture)).toEqual([{ event_id: badEvent }]);
    expect(sentTimes(goodEvent)).toBe(1);
    await passTries(fixture);
    expect(sentTimes(badEvent)).toBe(4);
    expect(await waitingIn(fixture)).toEqual([]);
    const [failed] = await failedIn(fixture);
    expect(failed).toMatchObject({ kind: 'webhook.send', subject: badEvent, retryable: true });
    expect(failed?.error).toContain('planted: no attempt');
    await execute(`drop trigger planted${engine === 'postgres' ? ' on webhook_attempts' : ''}`);
    await fixture.client().failedTasks.retry({ params: { failed_task_id: failed?.id ?? '' } });
    await fixture.service.send();
    expect([sentTimes(badEvent), await waitingIn(fixture), await failedIn(fixture)]).toEqual([5, [], []]);
  },
  60_000,
);

test.each([
  ['sqlite', 'whose event is gone', (id: string) => `delete from events where id = '${id}'`],
  ['postgres', 'whose event is gone', (id: string) => `delete from events where id = '${id}'`],
  ['sqlite', 'that cannot be read', (id: string) => unreadable(id)],
] as const)(
  'on %s, a message %s is abandoned at once, and the others are sent',
  async (engine, _what, damage) => {
    const { fixture, execute, idOf, sentTimes } = await receiving(engine);
    const [bad, good] = [
      await startedDelivery(fixture.client(), 'happy_path'),
      await startedDelivery(fixture.client(), 'happy_path'),
    ];
    const [badEvent, goodEvent] = [await idOf(bad.id), await idOf(good.id)];
    await execute(damage(badEvent));
    const started_at = Date.now();
    expect((await fixture.client().clock.advance({ body: { by: 60 } })).data.more).toBe(false);
    expect(Date.now() - started_at).toBeLessThan(9_000);
    expect([sentTimes(badEvent), sentTimes(goodEvent)]).toEqual([0, 1]);
    expect(await failedIn(fixture)).toMatchObject([{ kind: 'webhook.send', subject: badEvent }]);
    expect(await waitingIn(fixture)).toEqual([]);
  },
);

/** An integer that JavaScript cannot hold. */
const unreadable = (id: string) =>
  `update webhook_messages set created_at = 4611686018427387904 where event_id = '${id}'`;

test('over HTTP, an endpoint that is enabled again gets everything that it missed, and every request is answered', async () => {
  const receiver = await startReceiver();
  const server = await startServer({
    ...{ host: '127.0.0.1', port: 0, database: ':memory:', publicUrl: null, sandbox: true, seed: 'missed' },
    log: () => {},
  });
  onTestFinished(async () => {
    await server.stop();
    await receiver.close();
  });
  const statuses: number[] = [];
  const send = async (method: string, path: string, body?: object, key = server.keys?.test ?? '') => {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    statuses.push(answer.status);
    const record: { id?: string } = JSON.parse(await answer.text());
    return record.id ?? '';
  };
  const advance = (by: number) => send('POST', '/v2/sandbox/clock/advance', { by });
  const events = ['delivery.location_updated'];
  await send('POST', '/v2/sandbox/clock', { mode: 'manual' });
  const first = await send('POST', '/v2/webhook_endpoints', { url: `${receiver.url}/first`, events });
  await send('POST', '/v2/webhook_endpoints', { url: `${receiver.url}/second`, events });
  await send('PATCH', `/v2/webhook_endpoints/${first}`, { status: 'disabled' });
  await send('POST', '/v1/delivery_information', { ...orderRequest(), initiate: true });
  await advance(1_800);
  await send('PATCH', `/v2/webhook_endpoints/${first}`, { status: 'enabled' });
  await advance(60);
  await send('GET', '/health');
  await send('GET', '/v2/orders', undefined, server.keys?.live);
  const at = (path: string) => receiver.received.filter((request) => request.path === path).length;
  await expect.poll(() => at('/second')).toBeGreaterThan(5);
  await expect.poll(() => at('/first')).toBe(at('/second'));
  await send('GET', '/v2/failed_tasks');
  await send('POST', '/v2/sandbox/reset', {});
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
});

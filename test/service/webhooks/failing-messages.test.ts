import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { newDatabase } from '../../databases.ts';
import { startedDelivery } from '../delivery-runs.ts';
import { type Fixture, orderRequest } from '../fixture.ts';
import { serve } from '../http/raw-http.ts';
import { messagesIn, receiving } from './endpoint-fixture.ts';
import { insertEndpoint } from './received-events.ts';
import { startReceiver } from './receiver.ts';

const engines = {
  sqlite: async () => ':memory:',
  postgres: newDatabase,
};

type Engine = keyof typeof engines;

/** A bad and a good event that are to be sent. */
async function twoEvents(engine: Engine) {
  const { fixture, receiver, client } = await receiving(undefined, { location: await engines[engine]() });
  await insertEndpoint(fixture, receiver.url, { events: '["delivery.created"]' });
  for (let count = 0; count < 2; count += 1) await startedDelivery(client, 'happy_path');
  const [bad, good] = await messagesIn(fixture);
  const sentTimes = (event_id: string) =>
    receiver.received.filter(({ headers }) => headers['webhook-id'] === event_id).length;
  return {
    ...{ fixture, client, badEvent: bad?.event_id ?? '', goodEvent: good?.event_id ?? '', sentTimes },
    execute: (text: string) => fixture.storage.run((db) => sql.raw(text).execute(db)),
    waiting: async () => (await messagesIn(fixture)).map(({ event_id }) => event_id),
    failed: async () => (await client.failedTasks.list({ query: {} })).data.data,
  };
}

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
    const { fixture, client, badEvent, goodEvent, ...rest } = await twoEvents(engine);
    const { execute, waiting, failed, sentTimes } = rest;
    for (const statement of refusals[engine](badEvent)) await execute(statement);
    await fixture.service.send();
    expect(await waiting()).toEqual([badEvent]);
    expect(sentTimes(goodEvent)).toBe(1);
    await passTries(fixture);
    expect(sentTimes(badEvent)).toBe(4);
    expect(await waiting()).toEqual([]);
    const [task] = await failed();
    expect(task).toMatchObject({ kind: 'webhook.send', subject: badEvent, retryable: true });
    expect(task?.error).toContain('planted: no attempt');
    await execute(`drop trigger planted${engine === 'postgres' ? ' on webhook_attempts' : ''}`);
    // Somebody has sent it again meanwhile, which was given up, too.
    await client.events.resend({ params: { event_id: badEvent }, body: {} });
    await execute(`update webhook_messages set status = 'exhausted', due_at = null`);
    await client.failedTasks.retry({ params: { failed_task_id: task?.id ?? '' } });
    await fixture.service.send();
    expect([sentTimes(badEvent), await waiting(), await failed()]).toEqual([5, [], []]);
  },
);

test.each([
  ['sqlite', 'whose event is gone', (id: string) => `delete from events where id = '${id}'`],
  ['postgres', 'whose event is gone', (id: string) => `delete from events where id = '${id}'`],
  ['sqlite', 'that cannot be read', (id: string) => unreadable(id)],
] as const)(
  'on %s, a message %s is abandoned at once, and the others are sent',
  async (engine, _what, damage) => {
    const { client, badEvent, goodEvent, ...rest } = await twoEvents(engine);
    const { execute, waiting, failed, sentTimes } = rest;
    await execute(damage(badEvent));
    expect((await client.clock.advance({ body: { by: 60 } })).data.more).toBe(false);
    expect([sentTimes(badEvent), sentTimes(goodEvent)]).toEqual([0, 1]);
    expect(await failed()).toMatchObject([{ kind: 'webhook.send', subject: badEvent }]);
    expect(await waiting()).toEqual([]);
  },
);

/** An integer that JavaScript cannot hold. */
const unreadable = (id: string) =>
  `update webhook_messages set created_at = 4611686018427387904 where event_id = '${id}'`;

test('over HTTP, an endpoint that is enabled again gets everything that it missed, and every request is answered', async () => {
  const receiver = await startReceiver();
  onTestFinished(receiver.close);
  const server = await serve({ sandbox: true, seed: 'missed' });
  const statuses: number[] = [];
  const send = async (method: string, path: string, body?: object, key = server.key) => {
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

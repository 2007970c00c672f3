import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { clientOf, sendTo } from '../fixture.ts';
import { attemptsIn, messagesIn, newEndpoint, receiving, refusalOf } from './endpoint-fixture.ts';

const at = (ms: number) => new Date(ms).toISOString();

test('a test sends its own event at once, whatever the endpoint subscribes to', async () => {
  const { fixture, receiver, client } = await receiving();
  const { params, id } = await newEndpoint(client, { url: `${receiver.url}/hooks` });
  const { data: attempt } = await client.webhooks.test({ params });
  expect(attempt).toEqual({
    ...{ id: expect.stringMatching(/^att_/), object: 'webhook_attempt', webhook_endpoint_id: id },
    ...{ event_id: expect.stringMatching(/^evt_/), event_type: 'webhook.test' },
    ...{ delivery_id: null, external_order_ref: null, sequence: null },
    ...{ number: 1, status: 'succeeded', status_code: 200 },
    ...{ reason: '', response: '', duration_ms: expect.any(Number), test_mode: true },
    ...{ next_attempt_at: null, created_at: at(fixture.now()) },
  });
  const { event_id } = attempt;
  const { data: event } = await client.events.get({ params: { event_id } });
  expect(event).toMatchObject({ type: 'webhook.test', sequence: null, data: {} });
  expect(receiver.received).toMatchObject([{ path: '/hooks', event, headers: { 'webhook-id': event_id } }]);
  expect((await client.webhooks.attempts({ params })).data.data).toEqual([attempt]);
  expect(await messagesIn(fixture)).toEqual([]);
});

test('a failed test is reported and not repeated', async () => {
  const { fixture, receiver, client } = await receiving(() => ({ status: 503, body: 'closed for lunch' }));
  const { params } = await newEndpoint(client, { url: receiver.url });
  const failed = { status: 'failed', number: 1, next_attempt_at: null };
  const { data } = await client.webhooks.test({ params });
  expect(data).toMatchObject({ ...failed, status_code: 503, response: 'closed for lunch' });
  expect(data.reason).not.toBe('');
  await receiver.close();
  const { data: unheard } = await client.webhooks.test({ params });
  expect(unheard).toMatchObject({ ...failed, status_code: null, response: '' });
  expect(unheard.reason).not.toBe('');
  await fixture.pass(80 * 60 * 60_000);
  expect([await fixture.service.send(), receiver.received.length]).toEqual([0, 1]);
  const { data: last } = await client.webhooks.attempts({ params, query: { last: true } });
  expect(last.data).toEqual([unheard, data]);
  const givenUp = await client.webhooks.attempts({ params, query: { status: 'failed', last: true } });
  expect(givenUp.data.data).toEqual([]);
});

test('a 410 response to a test disables the endpoint, which is then not tested', async () => {
  const { receiver, client } = await receiving(() => ({ status: 410 }));
  const { params } = await newEndpoint(client, { url: receiver.url });
  expect((await client.webhooks.test({ params })).data).toMatchObject({ status: 'failed', status_code: 410 });
  const disabled = { status: 'disabled', disabled_reason: 'it returned 410 Gone' };
  expect((await client.webhooks.get({ params })).data).toMatchObject(disabled);
  await expect(client.webhooks.test({ params })).rejects.toMatchObject({
    code: 'webhook_endpoint_disabled',
    message: expect.stringContaining('it returned 410 Gone'),
  });
  expect(receiver.received).toHaveLength(1);
});

test('the response of a previous URL disables nothing', async () => {
  let move = async () => {};
  const { receiver, client } = await receiving(async () => {
    await move();
    return { status: 410 };
  });
  const { params } = await newEndpoint(client, { url: receiver.url });
  move = async () => {
    await client.webhooks.update({ params, body: { url: `${receiver.url}/new` } });
  };
  await client.webhooks.test({ params });
  expect((await client.webhooks.get({ params })).data.status).toBe('enabled');
});

test('an endpoint that is deleted during its test is gone, with the attempt', async () => {
  let remove = async () => {};
  const { fixture, receiver, client } = await receiving(async () => {
    await remove();
    return {};
  });
  const { params } = await newEndpoint(client, { url: receiver.url });
  remove = async () => {
    await client.webhooks.delete({ params });
  };
  expect(await refusalOf(client.webhooks.test({ params }))).toEqual(['record_not_found']);
  expect(receiver.received).toHaveLength(1);
  expect(await attemptsIn(fixture)).toEqual([]);
});

test('the same idempotency key twice sends once', async () => {
  const { fixture, receiver, client } = await receiving();
  const { id } = await newEndpoint(client, { url: receiver.url });
  const send = (key: string) =>
    fixture.send('POST', `/v2/webhook_endpoints/${id}/test`, { headers: { 'idempotency-key': key } });
  const first = await send('one');
  expect((await send('one')).body).toBe(first.body);
  expect(receiver.received).toHaveLength(1);
  await send('two');
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(2);
});

test('an interrupted test is sent by a repeat as the same event', async () => {
  const { fixture, receiver, client, another } = await receiving();
  const { id } = await newEndpoint(client, { url: receiver.url });
  const dead: string[] = [];
  const runners = (self: string) => ({ self, isGone: (runner: string) => dead.includes(runner) });
  const reached = Promise.withResolvers<void>();
  const connecting = Promise.withResolvers<never>();
  const connectNever = () => {
    reached.resolve();
    return connecting.promise;
  };
  const web = { ...fixture.config.web, connect: connectNever };
  const first = another({ web, runners: runners('one') });
  const second = another({ runners: runners('two') });
  const test = (service: typeof first) =>
    sendTo(service, fixture.keys.test)('POST', `/v2/webhook_endpoints/${id}/test`, {
      headers: { 'idempotency-key': 'k' },
    });
  const cutOff = test(first);
  await reached.promise;
  expect((await test(second)).status).toBe(409);
  dead.push('one');
  const answer = await test(second);
  const events = await clientOf(second, fixture.keys.test).events.list({ query: { type: 'webhook.test' } });
  expect(events.data.data.map((event) => event.id)).toEqual([JSON.parse(answer.body).event_id]);
  expect(receiver.received).toHaveLength(1);
  connecting.reject(new Error('the process was killed'));
  expect((await cutOff).status).toBe(409);
  expect(await attemptsIn(fixture)).toHaveLength(1);
});

test('a hosted service tests endpoints of live keys', async () => {
  const { fixture, receiver, another } = await receiving();
  const web = {
    resolve: async () => ['93.184.215.14'],
    connect: async () => connect({ host: '127.0.0.1', port: receiver.port }),
  };
  const hosted = another({ sandbox: false, web });
  const live = clientOf(hosted, fixture.keys.live);
  const { id, params } = await newEndpoint(live);
  // The local server has no certificate; only endpoints of earlier versions have such URLs.
  await fixture.storage.run((db) =>
    db
      .updateTable('webhook_endpoints')
      .set({ url: 'http://shop.example/hooks' })
      .where('id', '=', id)
      .execute(),
  );
  const { data } = await live.webhooks.test({ params });
  expect(data).toMatchObject({ status: 'succeeded', test_mode: false });
  expect(receiver.received).toMatchObject([{ path: '/hooks', event: { test_mode: false } }]);
});
